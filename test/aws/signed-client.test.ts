/** `askback/client` over the signing fetch, against the real server: what the official SDK's client sends can be signed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { awsSignedFetch } from '../../aws/signed-fetch.ts';
import { connect } from '../../client/connect.ts';
import { fromContext } from '../../client/from-context.ts';
import { runTask } from '../../client/run-task.ts';
import { openTarget, type Target } from '../e2e/support/target.ts';
import { REQUEST } from '../e2e/support/expense.ts';

describe('a caller who is known by IAM', () => {
  let target: Target;
  beforeAll(async () => {
    target = await openTarget();
  });
  afterAll(() => target.stop());

  it.each(['JSONRPC', 'HTTP+JSON'] as const)('signs all that a task takes over %s', async (binding) => {
    const sent: { method: string; names: string | undefined }[] = [];
    const signed = awsSignedFetch({
      region: 'eu-west-1',
      credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'session' },
      origins: [target.url],
      fetch: async (input, init) => {
        const { authorization = '', ...rest } = (init?.headers ?? {}) as Record<string, string>;
        sent.push({ method: init?.method ?? '', names: /SignedHeaders=([^,]+)/.exec(authorization)?.[1] });
        // API Gateway would check it; the local server knows bearer tokens only.
        return fetch(input, { ...init, headers: rest });
      },
    });
    const client = await connect(target.url, { binding, fetch: signed });
    const outcome = await runTask(client, `${REQUEST} (${binding})`, {
      resolvers: [fromContext({ costCentre: 'CC-4410' })],
    });
    expect(outcome.kind).toBe('completed');
    const [card, ...calls] = sent;
    expect(card).toEqual({ method: 'GET', names: expect.stringContaining('host;x-amz-date;x-amz-security-token') });
    expect(calls.length).toBeGreaterThanOrEqual(2);
    for (const { names } of calls) {
      expect(names).toMatch(/a2a-version;.*host;x-amz-date;x-amz-security-token$/);
    }
  });
});
