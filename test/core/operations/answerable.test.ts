/** Invariant 5: the moment a question can be seen, an answer is accepted. */
import { describe, expect, it } from 'vitest';
import { getTask } from '../../../core/operations/get-task.ts';
import { alice, answerTo, request, world } from './world.ts';

describe('answerable at once (R08, R10)', () => {
  it('an answer that comes while the worker is still busy with the write that asks is accepted', async () => {
    const { deps, send, deliver, agent } = world();
    const { id } = await send(request);
    let answered = false;
    // The question is committed before anybody can hear of it; its timer is not made yet.
    deps.store.after = async (op) => {
      if (op !== 'save' || answered || deps.store.peek(id)?.ask === undefined) return;
      answered = true;
      const task = await send(answerTo(await getTask(deps, alice, { id }), { costCentre: 'CC-4420' }));
      expect(task.status.state).toBe('TASK_STATE_WORKING');
    };
    await deliver();
    expect(answered).toBe(true);
    expect(deps.store.peek(id)?.status.state).toBe('TASK_STATE_COMPLETED');
    expect(agent.filed).toEqual([{ costCentre: 'CC-4420' }]);
  });
});
