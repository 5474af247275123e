import { describe, expect, it } from 'vitest';
import { alwaysRetryable, sortError } from '../../aws/errors.ts';
import { RetryableError } from '../../core/errors.ts';

function sdkError(name: string, more: object = {}): Error {
  return Object.assign(new Error('text'), { name, $metadata: { httpStatusCode: 400 } }, more);
}

describe('errors of the AWS SDK', () => {
  it.each([
    sdkError('ProvisionedThroughputExceededException'),
    sdkError('ThrottlingException'),
    sdkError('RequestLimitExceeded'),
    sdkError('TooManyRequestsException', { $metadata: { httpStatusCode: 429 } }),
    sdkError('SomethingNew', { $metadata: { httpStatusCode: 429 } }),
    sdkError('SomethingNew', { $retryable: { throttling: true } }),
  ])('throttling is retryable: $name', (error) => {
    const sorted = sortError(error, 'STORE_UNAVAILABLE');
    expect(sorted).toBeInstanceOf(RetryableError);
    expect(sorted).toMatchObject({ reason: 'THROTTLED', cause: error });
  });

  it.each([
    sdkError('InternalServerError', { $metadata: { httpStatusCode: 500 } }),
    sdkError('SomethingNew', { $metadata: { httpStatusCode: 503 } }),
    sdkError('TransactionConflictException'),
    sdkError('TimeoutError', { $metadata: {} }),
    sdkError('Error', { code: 'ECONNREFUSED', $metadata: undefined }),
    sdkError('AggregateError', { code: 'ECONNREFUSED', $metadata: undefined }),
    sdkError('Error', { $metadata: undefined, cause: sdkError('Error', { code: 'EPIPE', $metadata: undefined }) }),
  ])('no answer is retryable, in the words of the port: $name $code', (error) => {
    expect(sortError(error, 'STORE_UNAVAILABLE')).toMatchObject({ reason: 'STORE_UNAVAILABLE', cause: error });
    expect(sortError(error, 'QUEUE_UNAVAILABLE')).toMatchObject({ reason: 'QUEUE_UNAVAILABLE' });
  });

  it.each([
    sdkError('ValidationException'),
    sdkError('AccessDeniedException'),
    sdkError('ResourceNotFoundException'),
    sdkError('ItemCollectionSizeLimitExceededException'),
    new TypeError('a bug'),
  ])('a bug or a wrong deployment surfaces as itself: $name', (error) => {
    expect(sortError(error, 'STORE_UNAVAILABLE')).toBe(error);
  });

  it('what is retryable already stays as it is, and a loop of causes ends', () => {
    const known = new RetryableError('CONFLICT', 'c');
    expect(sortError(known, 'STORE_UNAVAILABLE')).toBe(known);
    const loop = new Error('loop');
    loop.cause = loop;
    expect(sortError(loop, 'STORE_UNAVAILABLE')).toBe(loop);
  });

  it('where the sweeper covers a loss, everything is retryable', () => {
    const denied = sdkError('AccessDeniedException');
    expect(alwaysRetryable(denied, 'TIMERS_UNAVAILABLE')).toMatchObject({
      name: 'RetryableError',
      reason: 'TIMERS_UNAVAILABLE',
      cause: denied,
    });
  });
});
