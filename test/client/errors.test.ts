/** The errors that `askback/client` exports are called what they are, for whoever catches them by name. */
import { describe, expect, it } from 'vitest';
import * as client from '../../client/index.ts';

const classesOf = (entry: object) =>
  Object.entries(entry).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'function' && value.prototype instanceof Error ? [name] : [],
  );

describe('errors', () => {
  it('end in Error', () => {
    expect(classesOf(client).sort()).toEqual([
      'AgentMisbehavedError',
      'AgentUnreachableError',
      'AgentUnsupportedError',
      'GaveUpError',
      'InvalidAnswerError',
      'NotPendingError',
      'PolicyError',
      'WebhookRefusedError',
    ]);
  });

  it('bear their names', () => {
    expect(new client.NotPendingError('t-1', 'taken').name).toBe('NotPendingError');
    expect(new client.PolicyError('x').name).toBe('PolicyError');
    expect(new client.WebhookRefusedError('wrong').name).toBe('WebhookRefusedError');
  });
});
