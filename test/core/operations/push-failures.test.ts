/** Receivers that fail, pokes that are lost, senders that meet: at least once, in order, and visible when given up. */
import { describe, expect, it } from 'vitest';
import { RetryableError } from '../../../core/errors.ts';
import { cancelTask } from '../../../core/operations/cancel-task.ts';
import { deliverPush } from '../../../core/operations/deliver-push.ts';
import { getTask } from '../../../core/operations/get-task.ts';
import type { WebhookResult } from '../../../core/push/ports.ts';
import { HOOK, pushWorld, short } from './push-world.ts';
import { alice, AMPLE, answerTo, request } from './world.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const FAILS: WebhookResult = { ok: false, why: 'answered 500' };
const poke = (taskId: string, configId = 'w') => ({ taskId, configId });

describe('R17, R41: a receiver that fails', () => {
  it('is sent the same event again, later and later, and the ones after it only then', async () => {
    const { send, pokes, settle, push, deps, config, told } = pushWorld();
    let failures = 3;
    push.webhooks.answer = () => (failures-- > 0 ? FAILS : { ok: true });
    await send(request, { id: 'w', url: HOOK });
    await settle();
    expect(told()).toEqual(['1 SUBMITTED']);
    const delays: number[] = [];
    while (push.queue.nextReadyAtMs !== undefined) {
      const delayMs = push.queue.nextReadyAtMs - deps.clock.now();
      delays.push(delayMs);
      await deps.clock.advance(delayMs - 1);
      await pokes();
      expect(push.webhooks.posts).toHaveLength(delays.length);
      await deps.clock.advance(1);
      await pokes();
    }
    expect(delays).toHaveLength(3);
    for (const [n, atLeast] of [5_000, 10_000, 20_000].entries()) {
      expect(delays[n]).toBeGreaterThanOrEqual(atLeast);
      expect(delays[n]).toBeLessThanOrEqual(atLeast * 1.2);
    }
    expect(told()).toEqual([
      '1 SUBMITTED',
      '1 SUBMITTED',
      '1 SUBMITTED',
      '1 SUBMITTED',
      '2 WORKING',
      '3 INPUT_REQUIRED',
    ]);
    expect(config('w')).toEqual({ id: 'w', version: expect.any(Number), url: HOOK, cursor: 3 });
  });

  it('delays neither the task nor another receiver', async () => {
    const { send, settle, register, push, deps, told } = pushWorld();
    push.webhooks.answer = ({ url }) => (url === HOOK ? FAILS : { ok: true });
    const { id } = await send(request, { url: HOOK });
    await register(id, { url: `${HOOK}/2` });
    await settle();
    await send(answerTo(await getTask(deps, alice, { id }), { costCentre: 'CC-4410' }));
    await settle();
    expect(deps.store.peek(id)?.status.state).toBe('TASK_STATE_COMPLETED');
    const second = push.webhooks.posts.filter(({ url }) => url !== HOOK);
    expect(second.map(short)).toEqual([
      '2 WORKING',
      '3 INPUT_REQUIRED',
      '4 WORKING',
      '5 artifact expense',
      '6 COMPLETED',
    ]);
    expect(told().filter((what) => what === '1 SUBMITTED')).toHaveLength(1);
  });

  it('R41: a question that was answered meanwhile is still announced before what came after it, never later', async () => {
    const { send, settle, push, deps } = pushWorld();
    let failures = 1;
    push.webhooks.answer = (post) => (short(post) === '3 INPUT_REQUIRED' && failures-- > 0 ? FAILS : { ok: true });
    const { id } = await send(request, { url: HOOK });
    await settle();
    await deps.clock.advance(100);
    await send(answerTo(await getTask(deps, alice, { id }), { costCentre: 'CC-4410' }));
    await settle();
    await deps.clock.advance(10_000);
    await settle();
    expect(push.webhooks.posts.map(short).slice(2)).toEqual([
      '3 INPUT_REQUIRED',
      '3 INPUT_REQUIRED',
      '4 WORKING',
      '5 artifact expense',
      '6 COMPLETED',
    ]);
  });

  it('for a day is given up: in the log, in a metric, among the dead letters, and in the task itself', async () => {
    const { send, settle, push, deps, config } = pushWorld();
    push.webhooks.answer = () => FAILS;
    const { id } = await send(request, { id: 'w', url: HOOK, token: 'tok-1' });
    await settle();
    for (let n = 0; n < 200 && push.queue.nextReadyAtMs !== undefined; n += 1) {
      await deps.clock.advance(push.queue.nextReadyAtMs - deps.clock.now());
      await settle();
    }
    const { gaveUpAtMs = 0, failing } = config('w')!;
    expect(gaveUpAtMs - (failing?.sinceMs ?? 0)).toBeGreaterThanOrEqual(24 * HOUR_MS);
    expect(gaveUpAtMs - (failing?.sinceMs ?? 0)).toBeLessThan(24 * HOUR_MS + 15 * MINUTE_MS);
    expect(push.webhooks.posts.length).toBeGreaterThan(90);
    expect(push.webhooks.posts.length).toBeLessThan(130);
    expect(push.queue.buried).toEqual([{ taskId: id, configId: 'w', again: true }]);
    expect(deps.log.counted('PushesGivenUp')).toBe(1);
    expect(deps.log.lines.filter(({ level }) => level === 'error')).toEqual([
      {
        level: 'error',
        message: 'a receiver of notifications was given up',
        fields: { taskId: id, configId: 'w', why: 'answered 500', attempts: push.webhooks.posts.length },
      },
    ]);
    const { metadata } = await getTask(deps, alice, { id });
    expect(metadata).toMatchObject({ 'https://askback.dev/a2a/extensions/question/v1': { pushGivenUp: ['w'] } });
  });

  it('that says it is gone (410) is given up at once', async () => {
    const { send, settle, push, config } = pushWorld();
    push.webhooks.answer = () => ({ ok: false, why: 'answered 410', gone: true });
    await send(request, { id: 'w', url: HOOK });
    await settle();
    expect(push.webhooks.posts).toHaveLength(1);
    expect(config('w')?.gaveUpAtMs).toBeDefined();
    expect(push.queue.buried).toHaveLength(1);
  });

  it.each(['registered again', 'dead letter sent back'])('and was given up goes on where it was: %s', async (how) => {
    const { send, settle, register, push, deps, told } = pushWorld();
    push.webhooks.answer = () => ({ ok: false, why: 'answered 410', gone: true });
    const { id } = await send(request, { id: 'w', url: HOOK });
    await settle();
    await cancelTask(deps, alice, { id });
    await settle();
    expect(told()).toEqual(['1 SUBMITTED']);
    push.webhooks.answer = () => ({ ok: true });
    if (how === 'registered again') await register(id, { id: 'w' });
    else await push.queue.send(push.queue.buried);
    await settle();
    expect(told().slice(1)).toEqual(['1 SUBMITTED', '2 WORKING', '3 INPUT_REQUIRED', '4 CANCELED']);
  });
});

describe('what is lost is found (invariant 3)', () => {
  it('a poke that never reached the queue: the next sweep after two minutes', async () => {
    const { send, settle, sweep, turns, push, deps, told } = pushWorld();
    push.queue.failures = 3;
    const { id } = await send(request, { url: HOOK });
    await turns();
    await settle();
    expect(told()).toEqual([]);
    expect(deps.log.counted('PokesLost')).toBe(3);
    await deps.clock.advance(2 * MINUTE_MS - 1);
    await sweep();
    await settle();
    expect(told()).toEqual([]);
    await deps.clock.advance(1);
    await sweep();
    await settle();
    expect(told()).toEqual(['1 SUBMITTED', '2 WORKING', '3 INPUT_REQUIRED']);
    // Once all has been told, one more look, and then nothing is due but the question's expiry.
    await deps.clock.advance(4 * MINUTE_MS);
    await sweep();
    expect(deps.store.peek(id)?.push).toEqual({ ids: [expect.any(String)] });
    expect(deps.store.peek(id)?.dueMs).toBe(1_800_000_000_000 + 24 * HOUR_MS);
  });

  it('the poke of a retry, and a sender that died in the middle', async () => {
    const { send, settle, sweep, push, deps, told } = pushWorld();
    push.webhooks.answer = () => FAILS;
    await send(request, { url: HOOK });
    await settle();
    push.queue.lose();
    push.webhooks.answer = () => Promise.reject(new Error('killed'));
    await deps.clock.advance(2 * MINUTE_MS);
    await sweep();
    await expect(settle()).rejects.toThrow('killed');
    push.webhooks.answer = () => ({ ok: true });
    await deps.clock.advance(4 * MINUTE_MS);
    await sweep();
    await settle();
    expect(told()).toEqual(['1 SUBMITTED', '1 SUBMITTED', '1 SUBMITTED', '2 WORKING', '3 INPUT_REQUIRED']);
  });

  it('looks twice as late each time while a receiver fails, once an hour at most, and ends when it is given up', async () => {
    const { send, settle, sweep, push, deps } = pushWorld();
    push.webhooks.answer = () => FAILS;
    const { id } = await send(request, { id: 'w', url: HOOK });
    await settle();
    const looks: number[] = [];
    for (let minute = 0; minute < 30 * 60; minute += 1) {
      await deps.clock.advance(MINUTE_MS);
      const before = deps.store.peek(id)?.push?.check?.atMs;
      await sweep();
      await settle();
      if (deps.store.peek(id)?.push?.check?.atMs !== before) looks.push(minute + 1);
    }
    expect(looks.slice(0, 6)).toEqual([2, 6, 14, 30, 62, 122]);
    expect(deps.store.peek(id)?.push).toEqual({ ids: ['w'], gaveUp: ['w'] });
  });

  it('an ended task is kept, and looked after, until all has been told', async () => {
    const { send, settle, sweep, turns, push, deps, told } = pushWorld();
    const { id } = await send(request, { url: HOOK });
    await settle();
    push.queue.failures = 1;
    await cancelTask(deps, alice, { id });
    await turns();
    await deps.clock.advance(2 * MINUTE_MS);
    await sweep();
    await settle();
    expect(told().at(-1)).toBe('4 CANCELED');
    await deps.clock.advance(4 * MINUTE_MS);
    await sweep();
    expect(deps.store.peek(id)?.dueMs).toBe(1_800_000_000_000 + 30 * 24 * HOUR_MS);
  });

  it('a deployment that sends no notifications any more stops looking', async () => {
    const { send, sweep, turns, push, deps } = pushWorld();
    push.queue.failures = 9;
    const { id } = await send(request, { url: HOOK });
    await turns();
    await deps.clock.advance(2 * MINUTE_MS);
    const { push: _none, ...without } = deps;
    Object.assign(deps, { push: undefined });
    await sweep();
    Object.assign(deps, { push });
    expect(without).toBeDefined();
    expect(deps.store.peek(id)?.push?.check).toBeUndefined();
  });
});

describe('senders that meet', () => {
  it('only one posts at a time; an event that comes meanwhile is told by whoever holds the lease', async () => {
    const { send, settle, deps, push, told } = pushWorld();
    const { id } = await send(request, { id: 'w', url: HOOK });
    let first = true;
    push.webhooks.answer = async () => {
      if (!first) return { ok: true };
      first = false;
      await cancelTask(deps, alice, { id });
      await deliverPush(deps, poke(id), AMPLE);
      push.queue.lose();
      return { ok: true };
    };
    await settle();
    expect(told()).toEqual(['1 SUBMITTED', '2 WORKING', '3 INPUT_REQUIRED', '4 CANCELED']);
  });

  it('one whose lease ran out moves nothing, and whoever took over tells the rest', async () => {
    const { send, settle, deps, push, config, told } = pushWorld();
    const { id } = await send(request, { id: 'w', url: HOOK });
    let first = true;
    push.webhooks.answer = async () => {
      if (!first) return { ok: true };
      first = false;
      await deps.clock.advance(30_000);
      await deliverPush(deps, poke(id), AMPLE);
      return FAILS;
    };
    await settle();
    expect(told()).toEqual(['1 SUBMITTED', '1 SUBMITTED', '2 WORKING', '3 INPUT_REQUIRED']);
    expect(config('w')).toMatchObject({ cursor: 3 });
    expect(config('w')?.failing).toBeUndefined();
  });

  it('a poke that comes early, late, twice, or for nobody does nothing', async () => {
    const { send, settle, deps, push, told } = pushWorld();
    const { id } = await send(request, { id: 'w', url: HOOK });
    await settle();
    for (const stale of [poke(id), poke(id), poke(id, 'nobody'), poke('nobody')]) await deliverPush(deps, stale, AMPLE);
    expect(told()).toHaveLength(3);
    push.webhooks.answer = () => FAILS;
    await cancelTask(deps, alice, { id });
    await settle();
    await deliverPush(deps, poke(id), AMPLE);
    expect(told()).toHaveLength(4);
  });

  it('one that has no time left for a post hands over', async () => {
    const { send, turns, deps, push, told } = pushWorld();
    const { id } = await send(request, { id: 'w', url: HOOK });
    await turns();
    push.queue.lose();
    const left = [60_000, 60_000, 14_999];
    await deliverPush(deps, poke(id), { remainingMs: () => left.shift() ?? 0 });
    expect(told()).toEqual(['1 SUBMITTED', '2 WORKING']);
    expect(push.queue.waiting).toEqual([poke(id)]);
    await deliverPush(deps, poke(id), AMPLE);
    expect(told()).toEqual(['1 SUBMITTED', '2 WORKING', '3 INPUT_REQUIRED']);
  });

  it('one whose store does not answer throws, so that the queue delivers again', async () => {
    const { send, deps, push } = pushWorld();
    const { id } = await send(request, { id: 'w', url: HOOK });
    push.store.before = () => {
      throw new RetryableError('STORE_UNAVAILABLE', 'down');
    };
    await expect(deliverPush(deps, poke(id), AMPLE)).rejects.toThrow('down');
  });
});
