/** Tasks at the end of their retention: they are gone when the clock says so, and what follows inherits nothing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DynamoTaskStore } from '../../aws/dynamodb-task-store.ts';
import { cancelTask } from '../../core/operations/cancel-task.ts';
import { sweep } from '../../core/operations/sweep.ts';
import type { TaskHead } from '../../core/task.ts';
import { type LocalDynamo, startDynalite } from '../support/dynalite.ts';
import { submittedHead, T0 } from '../support/heads.ts';
import { alice, AMPLE, attacked, refusal } from './world.ts';

const DAY_MS = 86_400_000;
const big = { messageId: 'm-1', parts: [{ text: 'x'.repeat(5_000) }] };

async function ended() {
  const world = attacked(async (turn) => {
    await turn.artifact({ name: 'a', text: turn.text });
  });
  const { id } = await world.send(big);
  await world.deliver();
  return { ...world, id };
}

describe('a task whose retention has passed', () => {
  it('is not found, though nobody has removed it yet (R52)', async () => {
    const { deps, get, send, id } = await ended();
    await deps.clock.advance(30 * DAY_MS);
    expect(deps.store.peek(id)).toBeDefined();
    expect(await refusal(get(id))).toMatchObject({ reason: 'TASK_NOT_FOUND' });
    expect(await refusal(cancelTask(deps, alice, { id }))).toMatchObject({ reason: 'TASK_NOT_FOUND' });
    const late = { messageId: 'm-2', taskId: id, parts: [{ text: 'late' }] };
    expect(await refusal(send(late))).toMatchObject({ reason: 'TASK_NOT_FOUND' });
  });

  it('is never a 500 while its items are being deleted', async () => {
    const { deps, get, id } = await ended();
    await deps.clock.advance(30 * DAY_MS);
    // The process died between the children and the head.
    deps.store.blob = async () => undefined;
    deps.store.logBefore = async () => [];
    expect(await refusal(get(id))).toMatchObject({ reason: 'TASK_NOT_FOUND' });
  });

  it('makes room for a new task of the same first message', async () => {
    const { deps, send, deliver, get, id } = await ended();
    const before = deps.store.peek(id)?.bornMs;
    await deps.clock.advance(30 * DAY_MS);
    const again = await send(big);
    expect(again.id).toBe(id);
    expect(again.status.state).toBe('TASK_STATE_SUBMITTED');
    expect((deps.store.peek(id)?.bornMs ?? 0) - (before ?? 0)).toBe(30 * DAY_MS);
    await deliver();
    expect((await get(id)).artifacts?.[0]?.parts[0]?.text).toHaveLength(5_000);
    await deps.clock.advance(30 * DAY_MS);
    await sweep(deps, AMPLE);
    expect(deps.store.childKeys(id)).toEqual([]);
  });

  it('one millisecond before its end is still shown', async () => {
    const { deps, get, id } = await ended();
    await deps.clock.advance(30 * DAY_MS - 1);
    expect((await get(id)).status.state).toBe('TASK_STATE_COMPLETED');
  });
});

describe('removal against the task that comes next', () => {
  let dynamo: LocalDynamo;
  beforeAll(async () => {
    dynamo = await startDynalite();
  });
  afterAll(() => dynamo.stop());

  it('a slow remover deletes nothing of a task that has begun under the same id meanwhile', async () => {
    const store = new DynamoTaskStore(dynamo);
    const end = { state: 'TASK_STATE_COMPLETED', atMs: T0, seq: 1 } as const;
    const old = submittedHead('slow', { status: end, dueMs: T0 + 30 * DAY_MS });
    const blob = { kind: 'blob', hash: 'first-message', json: '"the same content"' } as const;
    const step = (ok: string) => ({ call: 1, kind: 'step' as const, name: 's', result: { ok: { value: ok } } });
    await store.create(old, [blob]);
    await store.putStep(old, step('old'));
    let again: TaskHead | undefined;
    dynamo.client.middlewareStack.add(
      (next, context) => async (args) => {
        // Between the slow remover's list of keys and its deletions, another one comes through, and a task begins.
        if (context.commandName === 'DeleteItemCommand' && !again) {
          again = submittedHead('slow', { bornMs: T0 + 30 * DAY_MS + 1 });
          await store.remove(old);
          await store.create(again, [blob]);
          await store.putStep(again, step('new'));
        }
        return next(args);
      },
      { step: 'initialize', name: 'slow' },
    );
    await refusal(store.remove(old));
    dynamo.client.middlewareStack.remove('slow');
    if (!again) throw new Error('nothing happened');
    expect(await store.load('slow')).toEqual(again);
    expect(await store.blob(again, 'first-message')).toBe('"the same content"');
    expect(await store.steps(again)).toEqual([step('new')]);
  });
});
