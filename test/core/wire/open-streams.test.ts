/** How many streams one caller may have open in one process (invariant 9, docs/decisions/0013). */
import { describe, expect, it } from 'vitest';
import { taskNotFound } from '../../../core/errors.ts';
import type { StreamItem } from '../../../core/operations/stream-task.ts';
import { handleHttp } from '../../../core/wire/dispatch.ts';
import type { HttpRequest } from '../../../core/wire/http.ts';
import type { TaskOperations } from '../../../core/wire/operations.ts';
import { httpRequest, MESSAGE, TASK, wired } from './support.ts';

async function* endless(): AsyncGenerator<StreamItem, void, undefined> {
  yield { event: { task: TASK } };
  for (;;) {
    await Promise.resolve();
    yield { comment: 'heartbeat' };
  }
}

const SUBSCRIBE = { path: '/tasks/task1:subscribe' } as const;
const BOB = { tenant: 'acme', principal: 'bob' } as const;
const RPC = {
  body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'SendStreamingMessage', params: { message: MESSAGE } }),
};

function agent(fakes: Partial<TaskOperations> = {}) {
  const operations = { streamMessage: async () => endless(), subscribeToTask: async () => endless(), ...fakes };
  const { context, calls } = wired(operations, undefined, { streaming: true });
  const open = (over: Partial<HttpRequest> = SUBSCRIBE) => handleHttp(httpRequest(over), context);
  const openMany = async (count: number) => {
    const opened = [];
    for (let n = 0; n < count; n += 1) opened.push(await open());
    return opened;
  };
  return { calls, open, openMany };
}

async function leave(body: string | AsyncIterable<string>): Promise<void> {
  if (typeof body === 'string') throw new Error('expected a stream');
  for await (const _chunk of body) break;
}

async function all(body: string | AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const chunk of body) text += chunk;
  return text;
}

describe('a caller has at most 100 streams open in one process', () => {
  it('one more is refused with 429 and advice, before anything is recorded, on both bindings', async () => {
    const { open, openMany, calls } = agent();
    const opened = await openMany(100);
    expect(opened.map(({ status }) => status)).toEqual(Array(100).fill(200));
    const refused = await open();
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
    expect(JSON.parse(String(refused.body))).toEqual({
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: 'This caller has 100 streams open, the most that it may; let one end first',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'TOO_MANY_STREAMS',
            domain: 'a2a-protocol.org',
            metadata: { maxStreams: '100' },
          },
          { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1s' },
        ],
      },
    });
    const overRpc = await open(RPC);
    expect(overRpc.status).toBe(429);
    expect(JSON.parse(String(overRpc.body))).toMatchObject({ id: 7, error: { code: -32093 } });
    expect(calls).toHaveLength(100);
  });

  it('others have their own', async () => {
    const { open, openMany } = agent();
    await openMany(100);
    expect((await open({ ...SUBSCRIBE, owner: BOB })).status).toBe(200);
    expect((await open({ ...SUBSCRIBE, owner: { ...BOB, principal: 'alice', tenant: 'other' } })).status).toBe(200);
  });

  it('one that ends, that its reader leaves, or whose connection is cut makes room', async () => {
    let first = true;
    const short = async () => {
      const events = first ? ending() : endless();
      first = false;
      return events;
    };
    async function* ending(): AsyncGenerator<StreamItem, void, undefined> {
      yield { event: { task: TASK } };
    }
    const { open, openMany } = agent({ subscribeToTask: short });
    const [ends, left] = await openMany(99);
    // Nobody reads this one: that its caller has gone is all that is heard of it.
    const cut = new AbortController();
    expect((await open({ ...SUBSCRIBE, signal: cut.signal })).status).toBe(200);
    expect((await open()).status).toBe(429);
    expect(await all(ends!.body)).toContain('task1');
    expect((await open()).status).toBe(200);
    expect((await open()).status).toBe(429);
    await leave(left!.body);
    expect((await open()).status).toBe(200);
    expect((await open()).status).toBe(429);
    cut.abort();
    expect((await open()).status).toBe(200);
    expect((await open()).status).toBe(429);
  });

  it('one that is refused, or breaks before its first event, does not count', async () => {
    let failures = 0;
    // biome-ignore lint/correctness/useYield: it breaks before it could.
    async function* breaking(): AsyncGenerator<StreamItem, void, undefined> {
      failures += 1;
      throw new Error('broken');
    }
    const { open, openMany } = agent({
      streamMessage: async (_deps, owner) => {
        if (owner.principal === 'alice') return breaking();
        failures += 1;
        throw taskNotFound('t');
      },
    });
    for (let n = 0; n < 101; n += 1) await Promise.all([open(RPC), open({ ...RPC, owner: BOB })]);
    expect(failures).toBe(202);
    expect((await openMany(100)).map(({ status }) => status)).toEqual(Array(100).fill(200));
    expect((await open({ ...SUBSCRIBE, owner: BOB })).status).toBe(200);
  });
});
