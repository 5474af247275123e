/** Invariant 9: whatever a caller or an author does, cost and size stay within stated bounds. */
import { describe, expect, it } from 'vitest';
import { runTurn } from '../../core/operations/run-turn.ts';
import { AMPLE, answered, attacked, first, refusal, said } from './world.ts';

const KIB = 1_024;
const forty = attacked.bind(null, async (turn) => {
  for (let n = 0; n < 60; n++) await turn.ask(`ask-${n}`, { text: 'More?' });
});

async function asking(rounds: number) {
  const world = forty();
  const { id } = await world.send(first);
  await world.deliver();
  for (let n = 0; n < rounds; n++) {
    await world.send(answered(await world.get(id), `r-${n}`, { text: 'yes' }));
    await world.deliver();
  }
  return { ...world, id, task: await world.get(id) };
}

describe('what a message costs', () => {
  it('an answer in round 50 costs two calls more than in round 1, for marks that have left the head, and no more', async () => {
    const { deps, send, task } = await asking(50);
    deps.store.calls.length = 0;
    await send(answered(task, 'm-last', { text: 'yes' }));
    expect(deps.store.calls.map(({ op }) => op).filter((op) => op !== 'logBefore')).toEqual(['load', 'mark', 'save']);
  });

  it('a repeat of the first message after 50 rounds is found with one read more', async () => {
    const { deps, send, id } = await asking(50);
    deps.store.calls.length = 0;
    const early = { messageId: 'r-0', taskId: id, parts: [{ text: 'not what r-0 said' }] };
    expect(await refusal(send(early))).toMatchObject({ reason: 'INVALID_PARAMS' });
    expect(deps.store.calls.map(({ op }) => op)).toEqual(['load', 'mark']);
  });

  it('a repeat of a first message of 5 MB writes nothing (section 13)', async () => {
    const { deps, send } = forty();
    const large = { messageId: 'm-1', parts: [{ text: 'x'.repeat(5_000 * KIB) }] };
    await send(large);
    deps.store.calls.length = 0;
    await send(large);
    expect(deps.store.calls.map(({ op }) => op)).toEqual(['load', 'blob']);
    expect(await refusal(send({ ...large, parts: [{ text: 'y'.repeat(5_000 * KIB) }] }))).toMatchObject({
      reason: 'INVALID_PARAMS',
    });
    const { id } = deps.store.heads()[0] ? { id: deps.store.heads()[0]?.taskId ?? '' } : { id: '' };
    expect(deps.store.childKeys(id).filter((key) => key.startsWith('BLOB'))).toHaveLength(1);
  });

  it('an answer that names a question which never was reads no recorded steps', async () => {
    const world = attacked(async (turn) => {
      for (let n = 0; n < 30; n++) await turn.step(`s-${n}`, () => n);
      await turn.ask('a', { text: 'Really?' });
    });
    const { id } = await world.send(first);
    await world.deliver();
    for (const questionId of ['q-random-1', `q-${id.slice(0, 16)}-9`, `q-${id.slice(0, 16)}-01`, 'Q'.repeat(100)]) {
      world.deps.store.calls.length = 0;
      const stale = { messageId: `m-${questionId}`, taskId: id, parts: [{ data: { questionId, text: 'yes' } }] };
      expect(await refusal(world.send(stale))).toMatchObject({ reason: 'INVALID_PARAMS' });
      expect(world.deps.store.calls.map(({ op }) => op)).toEqual(['load']);
    }
  });

  it('an error never repeats megabytes of what was sent', async () => {
    const { send, task, id } = await asking(0);
    const questionId = 'q'.repeat(5_000 * KIB);
    const stale = { messageId: 'm-2', taskId: id, parts: [{ data: { questionId, text: 'yes' } }] };
    const open = (await refusal(send(stale))) as Error;
    expect(JSON.stringify([open.message, open]).length).toBeLessThan(10 * KIB);
    await send(answered(task, 'm-3', { text: 'yes' }));
    const working = (await refusal(send({ ...stale, messageId: 'm-4' }))) as Error;
    expect(JSON.stringify([working.message, working]).length).toBeLessThan(10 * KIB);
  });

  it('a history of large messages is read no further than one response can carry', async () => {
    const { deps, send, get, id } = await (async () => {
      const world = attacked(async (turn) => void (await turn.inbox()), { onMessage: 'queue' });
      const task = await world.send(first);
      return { ...world, id: task.id };
    })();
    for (let n = 0; n < 18; n++) await send(said(await get(id), `m-big-${n}`, 'x'.repeat(900 * KIB)));
    deps.store.calls.length = 0;
    const task = await get(id);
    expect(task.history?.at(-1)?.messageId).toBe('m-big-17');
    expect(task.history?.length).toBe(6);
    expect(deps.store.calls.filter(({ op }) => op === 'blob').length).toBe(6);
  });
});

describe('what an author does', () => {
  it('many asks with large defaults do not fill the head', async () => {
    const world = attacked(async (turn) => {
      for (let n = 0; n < 12; n++) {
        const schema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;
        await turn.ask(`a-${n}`, { text: 'Text?', schema, onExpire: { default: { text: 'd'.repeat(2_000) } } });
      }
    });
    const { id } = await world.send(first);
    await world.deliver();
    for (let n = 0; n < 12; n++) {
      await world.send(answered(await world.get(id), `r-${n}`, { text: 'y'.repeat(900) }));
      await world.deliver();
      expect(JSON.stringify(world.deps.store.peek(id)).length).toBeLessThan(24 * KIB);
    }
    expect((await world.get(id)).status).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
  });

  it('events beyond the limit fail the task with a reason', async () => {
    const world = attacked(async (turn) => {
      await turn.step('begin', () => 1);
      turn.progress('one more');
      await turn.step('end', () => 1);
      await turn.artifact({ name: 'a', text: 'a' });
    });
    const { id } = await world.send(first);
    const head = world.deps.store.peek(id);
    if (!head) throw new Error('no head');
    await world.deps.store.save(head, { ...head, version: head.version + 1, generation: 10_000 });
    await world.deliver();
    const task = await world.get(id);
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(task.history).toHaveLength(2);
    expect(world.deps.log.lines.map(({ fields }) => String(fields.error)).join()).toContain('10000 events');
  });

  it('a worker that runs out of time over a full head fails its attempt and takes nothing down with it', async () => {
    let arrived: () => void = () => undefined;
    const there = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', note);
    const world = attacked(async (turn) => {
      await turn.step('begin', () => 1);
      turn.progress('p'.repeat(100));
      arrived();
      await new Promise(() => undefined);
    });
    const { id } = await world.send(first);
    const head = world.deps.store.peek(id);
    if (!head) throw new Error('no head');
    // Nothing that a head may hold could fill it so: this stands for whatever else might. Only a head that has holds,
    // sub-tasks, calls or much of a log is measured at all.
    const full = { contextId: 'c'.repeat(22 * KIB), holds: [] };
    await world.deps.store.save(head, { ...head, version: head.version + 1, ...full });
    const message = world.deps.queue.take() ?? { taskId: '', turn: 0 };
    const endMs = world.deps.clock.now() + 60_000;
    const turn = runTurn(world.deps, message, { remainingMs: () => endMs - world.deps.clock.now() });
    await there;
    await world.deps.clock.advance(31_000);
    await turn;
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
    expect(world.deps.store.peek(id)?.status.state).toBe('TASK_STATE_FAILED');
    expect(AMPLE.remainingMs()).toBe(900_000);
  });
});
