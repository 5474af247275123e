/** Streams (design section 9; A2A 3.1.2, 3.1.6): one reader in front of one task. */
import { describe, expect, it } from 'vitest';
import { RetryableError } from '../../../core/errors.ts';
import type { Message } from '../../../core/message.ts';
import { cancelTask } from '../../../core/operations/cancel-task.ts';
import { streamMessage, type StreamOptions, subscribeToTask } from '../../../core/operations/stream-task.ts';
import { MemoryWake } from '../../fakes/memory-wake.ts';
import { settle } from '../../fakes/manual-clock.ts';
import { artifact, brief, inTime, read, status } from './streaming.ts';
import { tinyAgent } from './tiny-agent.ts';
import { alice, answerTo, request, text, world } from './world.ts';

const MINUTE_MS = 60_000;
const USER = { role: 'ROLE_USER' as const };
const END = 'this connection ends, the task does not: subscribe with Last-Event-ID';

/** An agent's world, and another instance of the api in front of the same store: writes of the first do not wake it. */
function twoInstances(agent = tinyAgent()) {
  const one = world(agent);
  const other = { ...one.deps, wake: new MemoryWake(one.deps.clock) };
  const { store, clock } = one.deps;
  return {
    ...one,
    store,
    clock,
    stream: (message: Omit<Message, 'role'>, options?: StreamOptions) =>
      streamMessage(other, alice, { message: { ...message, ...USER } }, options),
    subscribe: (id: string, options?: StreamOptions) => subscribeToTask(other, alice, { id }, options),
    /** A task that waits for its answer since an hour. */
    async paused() {
      await one.send(request);
      await one.deliver();
      await clock.advance(60 * MINUTE_MS);
      return one.send(request);
    },
    loads: () => store.calls.filter(({ op }) => op === 'load').length,
  };
}

describe('SendStreamingMessage', () => {
  it('the task first, then every event, until the task asks (R30)', async () => {
    const { stream, clock, deliver } = twoInstances();
    const reading = read(await stream(request));
    await settle();
    await deliver();
    expect(brief(await inTime(clock, reading))).toEqual([
      '1 task SUBMITTED',
      '2 status WORKING',
      '3 status INPUT_REQUIRED',
    ]);
  });

  it('the question is machine-readable in its event (R61)', async () => {
    const { stream, clock, deliver } = twoInstances();
    const reading = read(await stream(request));
    await deliver();
    const last = (await inTime(clock, reading)).at(-1);
    expect(last).toMatchObject({
      id: '3',
      event: {
        statusUpdate: {
          status: {
            state: 'TASK_STATE_INPUT_REQUIRED',
            message: {
              role: 'ROLE_AGENT',
              parts: [
                { text: 'Which cost centre should this expense be charged to?' },
                { data: { attempt: 1, options: ['CC-4410', 'CC-4420'], expires: '2027-01-16T08:00:00.000Z' } },
              ],
            },
            timestamp: '2027-01-15T08:00:00.000Z',
          },
          metadata: { 'https://askback.dev/a2a/extensions/question/v1': { generation: 3 } },
        },
      },
    });
  });

  it('an answer streams on to the end, its artifact on the way', async () => {
    const { stream, clock, deliver, paused } = twoInstances();
    const asking = await paused();
    const reading = read(await stream(answerTo(asking, { costCentre: 'CC-4410' })));
    await settle();
    await deliver();
    expect(brief(await inTime(clock, reading))).toEqual(['4 task WORKING', '5 artifact expense', '6 status COMPLETED']);
  });

  it('a refused answer shows the new question and closes, as SendMessage returns it', async () => {
    const { stream, clock, paused } = twoInstances();
    const { id } = await paused();
    const reading = read(await stream({ messageId: 'm-9', taskId: id, parts: [text('engineering')] }));
    expect(brief(await inTime(clock, reading))).toEqual(['4 task INPUT_REQUIRED']);
  });

  it('a repeat shows the task as it is; one that has ended closes at once', async () => {
    const { stream, clock, paused, deps } = twoInstances();
    const { id } = await paused();
    expect(brief(await inTime(clock, read(await stream(request))))).toEqual(['3 task INPUT_REQUIRED']);
    await cancelTask(deps, alice, { id });
    expect(brief(await inTime(clock, read(await stream(request))))).toEqual(['4 task CANCELED']);
  });

  it('a direct reply is the only event', async () => {
    const agent = { ...tinyAgent(), reply: async () => [text('Hello')] };
    const { stream } = twoInstances(agent);
    expect(await read(await stream(request))).toMatchObject([{ event: { message: { parts: [{ text: 'Hello' }] } } }]);
  });

  it('is refused before anything streams, as SendMessage is', async () => {
    const { stream, deps, paused } = twoInstances();
    const { id } = await paused();
    await cancelTask(deps, alice, { id });
    const late = stream({ messageId: 'm-3', taskId: id, parts: [text('CC-4410')] });
    await expect(late).rejects.toMatchObject({ reason: 'UNSUPPORTED_OPERATION' });
  });
});

describe('SubscribeToTask', () => {
  it('R29: a paused task shows its question, stays open, and tells what another connection does', async () => {
    const { subscribe, clock, deliver, paused, send } = twoInstances();
    const asking = await paused();
    const reading = read(await subscribe(asking.id));
    await clock.advance(5 * MINUTE_MS);
    await send(answerTo(asking, { costCentre: 'CC-4410' }));
    await deliver();
    const items = brief(await inTime(clock, reading)).filter((line) => line !== ': heartbeat');
    expect(items).toEqual(['3 task INPUT_REQUIRED', '4 status WORKING', '5 artifact expense', '6 status COMPLETED']);
  });

  it('a task that has ended is refused: UnsupportedOperation', async () => {
    const { subscribe, deps, paused } = twoInstances();
    const { id } = await paused();
    await cancelTask(deps, alice, { id });
    await expect(subscribe(id)).rejects.toMatchObject({ reason: 'UNSUPPORTED_OPERATION' });
  });

  it('somebody else’s task is the same not-found as none (invariant 10)', async () => {
    const { deps, paused } = twoInstances();
    const { id } = await paused();
    const bob = { tenant: 'local', principal: 'bob' };
    await expect(subscribeToTask(deps, bob, { id })).rejects.toThrow(`Task not found: ${id}`);
    await expect(subscribeToTask(deps, bob, { id: 'nothing' })).rejects.toThrow('Task not found: nothing');
  });

  it('expires an overdue question itself: no timer and no sweeper is needed (invariant 7)', async () => {
    const { subscribe, clock, paused } = twoInstances();
    const { id } = await paused();
    await clock.advance(22 * 60 * MINUTE_MS + 55 * MINUTE_MS);
    const items = brief(await inTime(clock, read(await subscribe(id))));
    expect(items.filter((line) => line !== ': heartbeat')).toEqual(['3 task INPUT_REQUIRED', '4 status FAILED']);
  });

  it('a task that is deleted under the reader is not found', async () => {
    const { subscribe, clock, paused, store } = twoInstances();
    const { id } = await paused();
    const reading = read(await subscribe(id));
    await settle();
    const head = store.peek(id);
    if (head) await store.remove(head);
    await expect(inTime(clock, reading)).rejects.toMatchObject({ reason: 'TASK_NOT_FOUND' });
  });
});

describe('where a stream ends', () => {
  it('at input-required the agent may have it stay open (R30)', async () => {
    const agent = tinyAgent({ settings: { streams: { inputRequired: 'stay-open' } } });
    const { stream, clock, deliver, deps } = twoInstances(agent);
    const reading = read(await stream(request));
    await settle();
    await deliver();
    await clock.advance(MINUTE_MS);
    const [head] = deps.store.heads();
    await cancelTask(deps, alice, { id: head?.taskId ?? '' });
    const items = brief(await inTime(clock, reading)).filter((line) => line !== ': heartbeat');
    expect(items.slice(2)).toEqual(['3 status INPUT_REQUIRED', '4 status CANCELED']);
  });

  it('R30: left unanswered it beats every 15 s, ends before the gateway would cut it, and reads no more', async () => {
    const { subscribe, clock, paused, loads } = twoInstances();
    const { id } = await paused();
    const startMs = clock.now();
    const beats: number[] = [];
    const items = await inTime(
      clock,
      read(await subscribe(id), (so) => {
        if ('comment' in (so.at(-1) ?? {})) beats.push(clock.now() - startMs);
        return false;
      }),
    );
    expect(beats.slice(0, 3)).toEqual([15_000, 30_000, 45_000]);
    expect(beats.at(-1)).toBe(14 * MINUTE_MS);
    expect(brief(items).at(-1)).toBe(`: ${END} 3`);
    const before = loads();
    await clock.advance(6 * MINUTE_MS);
    expect(loads()).toBe(before);
  });

  it('ends as soon as its caller’s function must', async () => {
    const { subscribe, clock, paused } = twoInstances();
    const { id } = await paused();
    const startMs = clock.now();
    const items = await inTime(clock, read(await subscribe(id, { waitMs: 10_000 })));
    expect(brief(items)).toEqual(['3 task INPUT_REQUIRED', `: ${END} 3`]);
    expect(clock.now() - startMs).toBe(10_000);
  });

  it.each([
    [undefined, ['5 status AUTH_REQUIRED', '6 status COMPLETED']],
    ['close' as const, ['5 status AUTH_REQUIRED']],
  ])('auth-required, setting %s', async (authRequired, expected) => {
    const agent = tinyAgent({ settings: authRequired ? { streams: { authRequired } } : {} });
    const { subscribe, clock, paused, send, store } = twoInstances(agent);
    const asking = await paused();
    await send(answerTo(asking, { costCentre: 'CC-4410' }));
    const reading = read(await subscribe(asking.id));
    await settle();
    await status(store, asking.id, 'TASK_STATE_AUTH_REQUIRED', clock.now());
    await clock.advance(1_000);
    await status(store, asking.id, 'TASK_STATE_COMPLETED', clock.now());
    expect(brief(await inTime(clock, reading)).slice(1)).toEqual(expected);
  });

  it('a reminder is an event and no new interruption: who waits for the answer keeps waiting', async () => {
    const { subscribe, clock, paused, store } = twoInstances();
    const { id } = await paused();
    const reading = read(await subscribe(id));
    await settle();
    await status(store, id, 'TASK_STATE_INPUT_REQUIRED', clock.now());
    await clock.advance(3_000);
    await status(store, id, 'TASK_STATE_CANCELED', clock.now());
    expect(brief(await inTime(clock, reading))).toEqual([
      '3 task INPUT_REQUIRED',
      '4 status INPUT_REQUIRED',
      '5 status CANCELED',
    ]);
  });
});

describe('Last-Event-ID', () => {
  it('R32: cut before the question, it comes back once: by the id, or with the whole task', async () => {
    const { stream, subscribe, clock, deliver, deps } = twoInstances();
    const started = read(await stream(request), (items) => items.length === 1);
    expect(brief(await inTime(clock, started))).toEqual(['1 task SUBMITTED']);
    await deliver();
    await clock.advance(5_000);
    const id = deps.store.heads()[0]?.taskId ?? '';
    const resumed = await inTime(clock, read(await subscribe(id, { lastEventId: '1' })));
    expect(brief(resumed)).toEqual(['- task INPUT_REQUIRED', '2 status WORKING', '3 status INPUT_REQUIRED']);
    const anew = await inTime(
      clock,
      read(await subscribe(id), (items) => items.length === 1),
    );
    expect(brief(anew)).toEqual(['3 task INPUT_REQUIRED']);
  });

  it('who has had the question and comes back waits for what follows', async () => {
    const { subscribe, clock, paused, store } = twoInstances();
    const { id } = await paused();
    const reading = read(await subscribe(id, { lastEventId: '3' }));
    await clock.advance(10_000);
    await status(store, id, 'TASK_STATE_CANCELED', clock.now());
    expect(brief(await inTime(clock, reading))).toEqual(['- task INPUT_REQUIRED', '4 status CANCELED']);
  });

  it('a task that has ended since is replayed to its end', async () => {
    const { subscribe, clock, paused, send, deliver } = twoInstances();
    const asking = await paused();
    await send(answerTo(asking, { costCentre: 'CC-4410' }));
    await deliver();
    expect(brief(await inTime(clock, read(await subscribe(asking.id, { lastEventId: '2' }))))).toEqual([
      '- task COMPLETED',
      '3 status INPUT_REQUIRED',
      '4 status WORKING',
      '5 artifact expense',
      '6 status COMPLETED',
    ]);
    expect(brief(await inTime(clock, read(await subscribe(asking.id, { lastEventId: '6' }))))).toEqual([
      '- task COMPLETED',
    ]);
  });

  it('one that the task has not reached is of another life of its id: a fresh start', async () => {
    const { subscribe, clock, paused } = twoInstances();
    const { id } = await paused();
    const items = await inTime(clock, read(await subscribe(id, { lastEventId: '99', waitMs: 1_000 })));
    expect(brief(items)).toEqual(['3 task INPUT_REQUIRED', `: ${END} 3`]);
  });

  it.each(['abc', '-1', '1.5', '9'.repeat(16)])('%s is none: invalid params', async (lastEventId) => {
    const { subscribe, paused } = twoInstances();
    const { id } = await paused();
    await expect(subscribe(id, { lastEventId })).rejects.toMatchObject({ reason: 'INVALID_PARAMS' });
  });

  it('a reader that lags is served from LOG items, in order and page by page', async () => {
    const { subscribe, clock, paused, send, store } = twoInstances();
    const asking = await paused();
    await send(answerTo(asking, { costCentre: 'CC-4410' }));
    for (let n = 5; n < 205; n += 1) await artifact(store, asking.id, `a${n}`, clock.now());
    await status(store, asking.id, 'TASK_STATE_COMPLETED', clock.now());
    expect(store.peek(asking.id)?.log[0]?.seq).toBeGreaterThan(150);
    store.calls.length = 0;
    const items = brief(await inTime(clock, read(await subscribe(asking.id, { lastEventId: '4' }))));
    expect(items.slice(0, 3)).toEqual(['- task COMPLETED', '5 artifact a5', '6 artifact a6']);
    expect(items.slice(-2)).toEqual(['204 artifact a204', '205 status COMPLETED']);
    expect(items).toHaveLength(202);
    expect(new Set(items).size).toBe(202);
    // One read for the artifacts of the task itself, one for its history, and one for each page of 64.
    expect(store.calls.filter(({ op }) => op === 'logBefore').length).toBeLessThanOrEqual(6);
  });
});

describe('what a stream costs (design 13)', () => {
  it('at most 30 reads a minute while a task waits, from the first minute on', async () => {
    const { subscribe, clock, paused, loads } = twoInstances();
    const { id } = await paused();
    void read(await subscribe(id));
    const before = loads();
    await clock.advance(MINUTE_MS);
    expect(loads() - before).toBe(30);
    await clock.advance(MINUTE_MS);
    expect(loads() - before).toBe(60);
  });

  it('and so 2 s after the question, not only once it has waited for long', async () => {
    const { subscribe, clock, send, deliver, store, loads } = twoInstances();
    const { id } = await send(request);
    await deliver();
    expect(store.peek(id)?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    await clock.advance(3_000);
    void read(await subscribe(id));
    const before = loads();
    await clock.advance(20_000);
    expect(loads() - before).toBe(10);
  });

  it('at most 30 reads a minute once a task has been silent for a minute, whatever it does', async () => {
    const { subscribe, clock, send, store, loads } = twoInstances();
    const { id } = await send(request);
    await status(store, id, 'TASK_STATE_WORKING', clock.now());
    void read(await subscribe(id));
    await clock.advance(MINUTE_MS);
    const before = loads();
    await clock.advance(MINUTE_MS);
    expect(loads() - before).toBe(30);
  });

  it('looks every 40 ms for 2 s after an event, then every 250 ms while the task works', async () => {
    const { subscribe, clock, send, store, loads } = twoInstances();
    const { id } = await send(request);
    await status(store, id, 'TASK_STATE_WORKING', clock.now());
    void read(await subscribe(id));
    const before = loads();
    await clock.advance(2_000);
    expect(loads() - before).toBe(50);
    await clock.advance(10_000);
    expect(loads() - before).toBe(90);
  });

  it('a write of the same process is told at once', async () => {
    const { clock, paused, deps, loads } = twoInstances();
    const { id } = await paused();
    const reading = read(await subscribeToTask(deps, alice, { id }));
    await clock.advance(20_100);
    const atMs = clock.now();
    const before = loads();
    await cancelTask(deps, alice, { id });
    expect(brief(await inTime(clock, reading)).at(-1)).toBe('4 status CANCELED');
    expect(clock.now()).toBe(atMs);
    expect(loads() - before).toBe(2);
  });
});

describe('a connection that is cut (R34)', () => {
  it('stops the reading at once, and the task goes on', async () => {
    const { subscribe, clock, paused, send, deliver, loads, store } = twoInstances();
    const asking = await paused();
    const gone = new AbortController();
    const reading = read(await subscribe(asking.id, { signal: gone.signal }));
    await clock.advance(10_000);
    const before = loads();
    gone.abort();
    expect(brief(await reading)).toEqual(['3 task INPUT_REQUIRED']);
    expect(clock.sleeping).toBe(0);
    await clock.advance(MINUTE_MS);
    expect(loads()).toBe(before);
    expect(store.peek(asking.id)?.version).toBe(3);
    await send(answerTo(asking, { costCentre: 'CC-4410' }));
    await deliver();
    expect(store.peek(asking.id)?.status.state).toBe('TASK_STATE_COMPLETED');
  });
});

describe('a store that does not answer', () => {
  const failing = (times: number) => {
    const made = twoInstances();
    let left = 0;
    made.store.before = (op) => {
      if (op !== 'load' || left === 0) return;
      left -= 1;
      throw new RetryableError('THROTTLED', 'too many');
    };
    const fail = () => {
      left = times;
    };
    return Object.assign(made, { fail });
  };

  it('for a while only delays', async () => {
    const { subscribe, clock, paused, store, fail } = failing(4);
    const { id } = await paused();
    const reading = read(await subscribe(id));
    fail();
    await status(store, id, 'TASK_STATE_CANCELED', clock.now());
    expect(brief(await inTime(clock, reading))).toEqual(['3 task INPUT_REQUIRED', '4 status CANCELED']);
  });

  it('for five looks ends the stream with its error', async () => {
    const { subscribe, clock, paused, fail } = failing(5);
    const { id } = await paused();
    const reading = read(await subscribe(id));
    fail();
    await expect(inTime(clock, reading)).rejects.toMatchObject({ reason: 'THROTTLED' });
  });
});
