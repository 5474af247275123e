/** R35: a blocking send returns when the task is interrupted or terminal, and never later than it may (A2A 3.2.2). */
import { describe, expect, it } from 'vitest';
import { RetryableError } from '../../../core/errors.ts';
import { type SendOptions, sendMessage } from '../../../core/operations/send-message.ts';
import { inTime, status } from './streaming.ts';
import { alice, request, world } from './world.ts';

const STREAMED = { waitMs: 840_000 };
const START_MS = 1_800_000_000_000;

function blocking() {
  const made = world();
  const { deps } = made;
  return {
    ...made,
    ...deps,
    send: (options?: SendOptions) =>
      sendMessage(deps, alice, { message: { ...request, role: 'ROLE_USER' } }, options).then((result) => {
        if (!('task' in result)) throw new Error('no task');
        return { state: result.task.status.state, afterMs: deps.clock.now() - START_MS };
      }),
    taskId: () => deps.store.heads()[0]?.taskId ?? '',
  };
}

describe('a blocking send', () => {
  it.each([2_000, 40_000])('an agent that asks after %i ms: the question, as soon as it stands', async (afterMs) => {
    const { send, clock, deliver } = blocking();
    const sent = send(STREAMED);
    await clock.advance(afterMs);
    await deliver();
    expect(await inTime(clock, sent)).toEqual({ state: 'TASK_STATE_INPUT_REQUIRED', afterMs });
  });

  it('returns at auth-required as well', async () => {
    const { send, clock, store, taskId } = blocking();
    const sent = send(STREAMED);
    await clock.advance(1_000);
    await status(store, taskId(), 'TASK_STATE_AUTH_REQUIRED', clock.now());
    expect(await inTime(clock, sent)).toMatchObject({ state: 'TASK_STATE_AUTH_REQUIRED' });
  });

  it.each([
    ['where responses do not stream', undefined, 25_000],
    ['where they do', STREAMED, 840_000],
  ])('%s: the task as it is, before the gateway gives up', async (_where, options, afterMs) => {
    const { send, clock } = blocking();
    expect(await inTime(clock, send(options))).toEqual({ state: 'TASK_STATE_SUBMITTED', afterMs });
  });

  it('says when nothing can be refused any more: once the task is there, and before it waits', async () => {
    const { send, clock, store } = blocking();
    let heads = 0;
    const sent = send({ ...STREAMED, onAccepted: () => (heads = store.heads().length) });
    await clock.advance(0);
    expect(heads).toBe(1);
    await inTime(clock, sent);
  });

  it('a store that does not answer meanwhile only delays: the message is recorded', async () => {
    const { send, clock, store, deliver } = blocking();
    const sent = send(STREAMED);
    await clock.advance(5_000);
    store.before = (op) => {
      if (op === 'load') throw new RetryableError('THROTTLED', 'too many');
    };
    await deliver();
    await clock.advance(60_000);
    store.before = undefined;
    expect(await inTime(clock, sent)).toMatchObject({ state: 'TASK_STATE_INPUT_REQUIRED' });
  });

  it('R34: a caller who has gone is waited for no longer; the task goes on', async () => {
    const { send, clock, deliver, store } = blocking();
    const gone = new AbortController();
    const sent = send({ ...STREAMED, signal: gone.signal });
    await clock.advance(1_000);
    gone.abort();
    expect(await sent).toEqual({ state: 'TASK_STATE_SUBMITTED', afterMs: 1_000 });
    expect(clock.sleeping).toBe(0);
    await deliver();
    expect(store.heads()[0]?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  });
});
