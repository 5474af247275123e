/** R35 and design 9: a blocking send that takes longer than a silent connection lives. */
import { describe, expect, it } from 'vitest';
import { RetryableError, taskNotFound } from '../../../core/errors.ts';
import type { SendOptions } from '../../../core/operations/send-message.ts';
import { handleHttp } from '../../../core/wire/dispatch.ts';
import { ManualClock } from '../../fakes/manual-clock.ts';
import { httpRequest, MESSAGE, TASK, wired } from './support.ts';

const HTTP = { path: '/message:send', body: JSON.stringify({ message: MESSAGE }) };
const RPC = { body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'SendMessage', params: { message: MESSAGE } }) };

/** An agent that answers when it is told to. */
function slowAgent() {
  const clock = new ManualClock();
  let accepted = () => {};
  let answerIt = () => {};
  let fail: (error: unknown) => void = () => {};
  const wire = wired(
    {
      sendMessage: (_deps, _owner, _request, options?: SendOptions) => {
        accepted = () => options?.onAccepted?.();
        return new Promise((resolve, reject) => {
          answerIt = () => resolve({ task: TASK });
          fail = reject;
        });
      },
    },
    undefined,
    { streaming: true },
  );
  const context = { ...wire.context, deps: { ...wire.deps, clock } };
  return {
    clock,
    lines: wire.deps.lines,
    send: (over: typeof HTTP | typeof RPC) => handleHttp(httpRequest(over), context),
    accept: () => accepted(),
    answer: () => answerIt(),
    fail: (error: unknown) => fail(error),
  };
}

/** Notes what arrived, and when. */
function arrivals(clock: ManualClock, body: string | AsyncIterable<string>) {
  const startMs = 1_800_000_000_000;
  const seen: [atMs: number, text: string][] = [];
  const reading = (async () => {
    for await (const chunk of typeof body === 'string' ? [body] : body) seen.push([clock.now() - startMs, chunk]);
  })();
  reading.catch(() => undefined);
  return { seen, reading };
}

describe('an answer that comes in time', () => {
  it('is sent in one piece', async () => {
    const { clock, send, accept, answer } = slowAgent();
    const response = send(HTTP);
    await clock.advance(1_000);
    accept();
    await clock.advance(13_999);
    answer();
    expect((await response).body).toBe(JSON.stringify({ task: TASK }));
    expect(clock.sleeping).toBe(0);
  });

  it('a refusal keeps its status, however long it took', async () => {
    const { clock, send, fail } = slowAgent();
    const response = send(HTTP);
    await clock.advance(40_000);
    fail(taskNotFound('t'));
    expect((await response).status).toBe(404);
  });

  it('nothing is sent before the message is accepted', async () => {
    const { clock, send, accept } = slowAgent();
    let sent = false;
    void send(HTTP).then(() => {
      sent = true;
    });
    await clock.advance(40_000);
    expect(sent).toBe(false);
    accept();
    await clock.advance(0);
    expect(sent).toBe(true);
  });
});

describe('R35: an answer after 40 s', () => {
  it.each([
    ['HTTP+JSON', HTTP, 'application/json', JSON.stringify({ task: TASK })],
    ['JSON-RPC', RPC, 'application/json', JSON.stringify({ jsonrpc: '2.0', id: 7, result: { task: TASK } })],
  ])('%s: a blank every 15 s, then the task', async (_binding, request, mediaType, expected) => {
    const { clock, send, accept, answer } = slowAgent();
    const pending = send(request);
    await clock.advance(0);
    accept();
    await clock.advance(15_000);
    const { status, headers, body } = await pending;
    expect([status, headers['content-type']]).toEqual([200, mediaType]);
    const { seen, reading } = arrivals(clock, body);
    await clock.advance(25_000);
    answer();
    await reading;
    expect(seen).toEqual([
      [15_000, ' '],
      [30_000, ' '],
      [40_000, expected],
    ]);
    expect(JSON.parse(seen.map(([, text]) => text).join(''))).toEqual(JSON.parse(expected));
    expect(clock.sleeping).toBe(0);
  });

  it('JSON-RPC: an error that comes late is still an error object', async () => {
    const { clock, send, accept, fail } = slowAgent();
    const pending = send(RPC);
    await clock.advance(0);
    accept();
    await clock.advance(15_000);
    const { seen, reading } = arrivals(clock, (await pending).body);
    await clock.advance(0);
    fail(new RetryableError('THROTTLED', 'too many'));
    await reading;
    expect(JSON.parse(seen.map(([, text]) => text).join(''))).toMatchObject({ id: 7, error: { code: -32092 } });
  });

  it('HTTP+JSON: there is no status left to tell it, so the connection is cut', async () => {
    const { clock, send, accept, fail, lines } = slowAgent();
    const pending = send(HTTP);
    await clock.advance(0);
    accept();
    await clock.advance(15_000);
    const { seen, reading } = arrivals(clock, (await pending).body);
    await clock.advance(0);
    fail(new Error('table name'));
    await expect(reading).rejects.toMatchObject({ reason: 'INTERNAL', message: 'Internal error' });
    expect(seen).toEqual([[15_000, ' ']]);
    expect(lines).toMatchObject([{ level: 'error', message: 'request failed' }]);
  });
});
