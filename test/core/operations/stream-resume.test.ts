/** Taking up a stream by Last-Event-ID (design section 9). */
import { describe, expect, it } from 'vitest';
import { artifact, brief, inTime, read, status, twoInstances } from './streaming.ts';
import { answerTo, request } from './world.ts';

const END = 'this connection ends, the task does not: subscribe with Last-Event-ID';

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
