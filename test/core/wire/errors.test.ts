/** The error table against the specification and against the official SDK (A2A 1.0 sections 5.4, 9.5 and 11.6). */
import * as sdk from '@a2a-js/sdk/errors';
import { describe, expect, it } from 'vitest';
import { ProtocolError, type ProtocolErrorReason } from '../../../core/errors.ts';
import { errorHeaders, httpStatus, rpcError, rpcHttpStatus, statusBody } from '../../../core/wire/errors.ts';

const A2A_ROWS: readonly [ProtocolErrorReason, number, number, string, sdk.A2AError][] = [
  ['TASK_NOT_FOUND', -32001, 404, 'NOT_FOUND', new sdk.TaskNotFoundError({ message: 'm' })],
  ['TASK_NOT_CANCELABLE', -32002, 400, 'FAILED_PRECONDITION', new sdk.TaskNotCancelableError({ message: 'm' })],
  [
    'PUSH_NOTIFICATION_NOT_SUPPORTED',
    -32003,
    400,
    'FAILED_PRECONDITION',
    new sdk.PushNotificationNotSupportedError({ message: 'm' }),
  ],
  ['UNSUPPORTED_OPERATION', -32004, 400, 'FAILED_PRECONDITION', new sdk.UnsupportedOperationError({ message: 'm' })],
  [
    'CONTENT_TYPE_NOT_SUPPORTED',
    -32005,
    400,
    'INVALID_ARGUMENT',
    new sdk.ContentTypeNotSupportedError({ message: 'm' }),
  ],
  ['INVALID_AGENT_RESPONSE', -32006, 500, 'INTERNAL', new sdk.InvalidAgentResponseError({ message: 'm' })],
  [
    'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
    -32007,
    400,
    'FAILED_PRECONDITION',
    new sdk.ExtendedAgentCardNotConfiguredError({ message: 'm' }),
  ],
  [
    'EXTENSION_SUPPORT_REQUIRED',
    -32008,
    400,
    'FAILED_PRECONDITION',
    new sdk.ExtensionSupportRequiredError({ message: 'm' }),
  ],
  ['VERSION_NOT_SUPPORTED', -32009, 400, 'FAILED_PRECONDITION', new sdk.VersionNotSupportedError({ message: 'm' })],
  ['INVALID_PARAMS', -32602, 400, 'INVALID_ARGUMENT', new sdk.RequestMalformedError({ message: 'm' })],
];

describe('rows of A2A', () => {
  it.each(A2A_ROWS)('%s is %i, %i %s, and what the official SDK sends', (reason, code, http, status, theirs) => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'a2a-protocol.org' }];
    const ours = new ProtocolError(reason, 'm');
    expect(rpcError(ours)).toEqual({ code, message: 'm', data: details });
    expect(rpcError(ours)).toEqual(sdk.toJsonRpcError(theirs));
    expect(statusBody(ours)).toEqual({ error: { code: http, status, message: 'm', details } });
    expect(statusBody(ours)).toEqual(sdk.toRestErrorBody(theirs, sdk.restStatusFor(theirs)));
    expect(httpStatus(ours)).toBe(http);
  });

  it.each(A2A_ROWS)(
    "%s: the official SDK's client reads both bodies as its own class",
    (reason, _c, http, _s, theirs) => {
      const ours = new ProtocolError(reason, 'm', { violations: [{ field: 'f', description: 'd' }] });
      const name = theirs.constructor.name;
      const overRpc = sdk.fromJsonRpcErrorResponse({ jsonrpc: '2.0', id: 1, error: rpcError(ours) as never });
      expect(overRpc.constructor.name).toContain(name.replace(/Error$/, ''));
      const overHttp = sdk.fromRestErrorBody(statusBody(ours).error as never, { statusCode: http });
      expect(overHttp.constructor.name).toContain(name.replace(/Error$/, ''));
    },
  );
});

describe('rows of JSON-RPC and of ours', () => {
  it.each<[ProtocolErrorReason, number, number, string, number]>([
    ['PARSE_ERROR', -32700, 400, 'INVALID_ARGUMENT', 200],
    ['INVALID_REQUEST', -32600, 400, 'INVALID_ARGUMENT', 200],
    ['METHOD_NOT_FOUND', -32601, 404, 'NOT_FOUND', 200],
    ['METHOD_NOT_ALLOWED', -32601, 405, 'UNIMPLEMENTED', 405],
    ['REQUEST_TOO_LARGE', -32602, 413, 'INVALID_ARGUMENT', 413],
    ['UNSUPPORTED_MEDIA_TYPE', -32005, 415, 'INVALID_ARGUMENT', 415],
    ['UNAUTHENTICATED', -32090, 401, 'UNAUTHENTICATED', 401],
    ['PERMISSION_DENIED', -32091, 403, 'PERMISSION_DENIED', 403],
    ['UNAVAILABLE', -32092, 503, 'UNAVAILABLE', 503],
    ['TOO_MANY_STREAMS', -32093, 429, 'RESOURCE_EXHAUSTED', 429],
    ['CALLBACK_GONE', -32094, 410, 'FAILED_PRECONDITION', 410],
    ['INTERNAL', -32603, 500, 'INTERNAL', 500],
    ['TASK_NOT_FOUND', -32001, 404, 'NOT_FOUND', 200],
  ])('%s is %i, %i %s, and %i under JSON-RPC', (reason, code, http, status, underRpc) => {
    const error = new ProtocolError(reason, 'm');
    expect(rpcError(error).code).toBe(code);
    expect(statusBody(error).error).toMatchObject({ code: http, status });
    expect(rpcHttpStatus(error)).toBe(underRpc);
  });

  it('retry advice stands in the header and in the body', () => {
    const error = new ProtocolError('UNAVAILABLE', 'm', { retryAfterSeconds: 3 });
    expect(errorHeaders(error)).toEqual({ 'cache-control': 'no-store', 'retry-after': '3' });
    expect(rpcError(error).data[1]).toEqual({
      '@type': 'type.googleapis.com/google.rpc.RetryInfo',
      retryDelay: '3s',
    });
  });

  it('violations keep the metadata that stands beside them', () => {
    const violations = [{ field: 'f', description: 'd' }];
    const error = new ProtocolError('INVALID_PARAMS', 'm', { violations, metadata: { questionId: 'q-1' } });
    expect(rpcError(error).data[0]).toMatchObject({
      metadata: { questionId: 'q-1', fieldViolations: '[{"field":"f","description":"d"}]' },
    });
  });
});
