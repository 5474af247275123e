/** Streams (design section 9; A2A 3.1.2, 3.1.6): what they tell, and where they end. */
import { describe, expect, it } from 'vitest';
import { cancelTask } from '../../../core/operations/cancel-task.ts';
import { subscribeToTask } from '../../../core/operations/stream-task.ts';
import { settle } from '../../fakes/manual-clock.ts';
import { brief, inTime, read, status, twoInstances } from './streaming.ts';
import { tinyAgent } from './tiny-agent.ts';
import { alice, answerTo, request, text } from './world.ts';

const MINUTE_MS = 60_000;
const END = 'this connection ends, the task does not: subscribe with Last-Event-ID';

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
