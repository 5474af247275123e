/** Whose message counts where, and what a cancel does: at the level of the core (R83, R85). */
import { describe, expect, it } from 'vitest';
import { expense, twoAsks } from './agents.ts';
import { FIRST, request } from './callers.ts';
import { workOff } from './heal.ts';
import { asked, claims, errorText, question, recordedIds, said, told, toOpen } from './story.ts';
import { MALLORY } from './world.ts';

describe('a message id counts within its owner and task (R83)', () => {
  it('two owners with the same first message have a task each', async () => {
    const world = await asked(expense.make);
    await world.send(request(FIRST), MALLORY);
    await workOff(world);
    expect(world.store.heads().map(({ owner }) => owner)).toEqual(['4:acme:alice', '4:acme:mallory']);
  });

  it('the same id as an answer on two tasks answers both', async () => {
    const world = await asked(expense.make);
    await world.send(request({ ...FIRST, messageId: 'm-other' }));
    await workOff(world);
    for (const head of world.store.heads()) {
      const data = { questionId: head.ask?.questionId as string, choice: 'CC-4410' };
      await world.send(request({ ...FIRST, messageId: 'm-same', taskId: head.taskId, parts: [{ data }] }));
    }
    await workOff(world);
    expect(world.store.heads().map(({ status }) => status.state)).toEqual([
      'TASK_STATE_COMPLETED',
      'TASK_STATE_COMPLETED',
    ]);
  });

  it('the id of the first message cannot be an answer', async () => {
    const world = await asked(expense.make);
    const before = world.head;
    const answer = await said(world, 'CC-4410', 'm-first');
    expect([told(answer), errorText(answer)]).toEqual(['INVALID_PARAMS', 'messageId already used for another message']);
    expect(world.head).toEqual(before);
  });

  it('a late repeat of the first answer is told the task as it is, and is no answer to the second question', async () => {
    const world = await asked(twoAsks.make);
    const first = toOpen(world, 'text', 'm-1');
    await world.send(request(first));
    await workOff(world);
    const before = world.head;
    const late = await world.send(request(first));
    await workOff(world);
    expect(told(late)).toBe('INPUT_REQUIRED');
    expect(world.head).toEqual(before);
    expect(question(world)).toBe('q-2');
  });
});

describe('cancel (R85)', () => {
  it('at a question: timers go, a later answer is refused', async () => {
    const world = await asked(expense.make);
    expect(world.deadlines.timers.length).toBe(1);
    const answer = toOpen(world, 'CC-4410', 'm-late');
    await world.cancel(world.taskId as string);
    await workOff(world);
    expect([world.head?.status.state, world.deadlines.timers]).toEqual(['TASK_STATE_CANCELED', []]);
    const late = await world.send(request(answer));
    await workOff(world);
    expect(told(late)).toBe('UNSUPPORTED_OPERATION');
    expect(recordedIds(world)).toEqual(['m-first']);
  });

  it('while a resume is on the queue: the late message finds nothing to run', async () => {
    const world = await asked(expense.make);
    await said(world, 'CC-4410', 'm-answer');
    expect(world.deliverable()).toEqual([1]);
    await world.cancel(world.taskId as string);
    await workOff(world);
    expect([claims(world, 2), world.filings]).toEqual([0, []]);
    expect([world.head?.status.state, world.deadlines.timers]).toEqual(['TASK_STATE_CANCELED', []]);
    const again = await world.cancel(world.taskId as string);
    await workOff(world);
    expect(told(again)).toBe('CANCELED');
  });
});
