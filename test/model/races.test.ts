/** Races over one question, in many seeded orders of every step of everybody (invariants 2 and 6; R01, R77, R85). */
import { describe, expect, it } from 'vitest';
import { expense, expiring } from './agents.ts';
import { FIRST, request } from './callers.ts';
import { workOff } from './heal.ts';
import { mingle } from './mingle.ts';
import type { Actor } from './scheduler.ts';
import { asked, checkAll, claims, ending, errorText, recordedIds, says, told, toOpen } from './story.ts';
import type { World } from './world.ts';

/** The question's last millisecond, which becomes its expiry somewhere between two steps. */
function toTheEdge(world: World): () => void {
  const expiresAtMs = world.head?.ask?.expiresAtMs ?? 0;
  world.scheduler.nowMs = expiresAtMs - 1;
  return () => {
    world.scheduler.nowMs = expiresAtMs;
  };
}

describe('answer, expiry and cancel in the same millisecond (R77, R85)', () => {
  it.each([expense, expiring])('have one winner in each of 200 rounds: $title', async (agent) => {
    const winners = new Set<string>();
    for (let round = 1; round <= 200; round++) {
      const world = await asked(agent.make);
      const expire = toTheEdge(world);
      const taskId = world.taskId as string;
      const answer = await says(world, 'CC-4420', 'm-answer');
      const cancel = await world.cancel(taskId);
      const timer = await world.fire(taskId);
      await mingle(world, round, expire);

      const first = world.commits.find(({ head }, at) => world.commits[at - 1]?.head.ask && !head.ask);
      expect(first, `round ${round}`).toBeDefined();
      const outcome = first?.head.calls.find((call) => call.kind === 'ask')?.outcome;
      const canceled = first?.head.status.state === 'TASK_STATE_CANCELED';
      expect(timer.outcome, `round ${round}`).toEqual({ value: undefined });
      // Who answers after the expiry is told so by the task as it is, or by a refusal that says why.
      const answered = told(answer);
      if (outcome === 'answered') expect(['WORKING', 'CANCELED']).toContain(answered);
      else expect(['UNSUPPORTED_OPERATION', 'INVALID_PARAMS'], `${round}: ${errorText(answer)}`).toContain(answered);
      expect(['CANCELED', 'TASK_NOT_CANCELABLE'], `${round}: ${errorText(cancel)}`).toContain(told(cancel));

      await workOff(world);
      winners.add(canceled ? 'cancel' : outcome === 'answered' ? 'answer' : 'expiry');
      await checkAll(world, agent);
    }
    expect([...winners].sort()).toEqual(['answer', 'cancel', 'expiry']);
  });
});

describe('two valid answers to one question at the same instant (R01)', () => {
  it('start one turn and make one set of artifacts in each of 50 rounds; the other is told who won', async () => {
    const winners = new Set<string>();
    for (let round = 1; round <= 50; round++) {
      const world = await asked(expense.make);
      const one = await says(world, 'CC-4410', 'm-one');
      const two = await says(world, 'CC-4410', 'm-two');
      await mingle(world, round);
      await workOff(world);
      // Every message that was ever on the queue comes once more.
      for (const [index] of world.queue.sent.entries()) await world.deliver(index);
      await workOff(world);

      const [, winner] = recordedIds(world);
      winners.add(winner as string);
      const [won, lost] = winner === 'm-one' ? [one, two] : [two, one];
      expect([told(won as Actor), told(lost as Actor)]).toEqual(['WORKING', `WORKING, answered by ${winner}`]);
      expect(claims(world, 2)).toBe(1);
      expect(await ending(world)).toEqual({
        state: 'TASK_STATE_COMPLETED',
        artifacts: [{ amount: 42, choice: 'CC-4410' }],
        ledger: [{ amount: 42, choice: 'CC-4410' }],
        history: ['m-first', 'q-1', winner],
      });
      expect(world.filings).toHaveLength(1);
      await checkAll(world, expense);
    }
    expect([...winners].sort()).toEqual(['m-one', 'm-two']);
  });
});

describe('the same message twice at the same instant (S13)', () => {
  it.each([
    ['the first message', 30],
    ['an answer', 30],
  ])('counts once: %s', async (what, rounds) => {
    for (let round = 1; round <= rounds; round++) {
      const world = await asked(expense.make);
      const message = what === 'an answer' ? toOpen(world, 'CC-4420', 'm-answer') : FIRST;
      const callers = [await world.send(request(message)), await world.send(request(message))];
      await mingle(world, round);
      await workOff(world);
      expect(callers.map(told)).toEqual(
        what === 'an answer' ? ['WORKING', 'WORKING'] : ['INPUT_REQUIRED', 'INPUT_REQUIRED'],
      );
      expect(recordedIds(world)).toEqual(what === 'an answer' ? ['m-first', 'm-answer'] : ['m-first']);
    }
  });
});

describe('who loses a race decides anew, by the clock of that moment (invariant 7)', () => {
  it.each(['cancel', 'answer'])('%s against a refused answer, and the expiry comes in between', async (what) => {
    const world = await asked(expense.make);
    const expire = toTheEdge(world);
    const refused = await says(world, 'babble', 'm-bad');
    // As text it answers whichever question is open.
    const late = what === 'cancel' ? await world.cancel(world.taskId as string) : await says(world, 'text', 'm-late');
    const open = async (actor: Actor, gates: number): Promise<void> => {
      for (let opened = 0; opened < gates; opened++) {
        const gate = world.scheduler.ready().find((ready) => ready.actor === actor);
        if (gate) await world.scheduler.open(gate);
      }
    };
    // Both have read the head and decided; the refusal is written first.
    await open(late, 2);
    await open(refused, 100);
    expect(told(refused)).toBe('INPUT_REQUIRED');
    expire();
    await workOff(world);
    expect(told(late)).toBe(what === 'cancel' ? 'TASK_NOT_CANCELABLE' : 'UNSUPPORTED_OPERATION');
    expect(await ending(world)).toMatchObject({
      state: 'TASK_STATE_FAILED',
      history: ['m-first', 'q-1', 'm-bad', 'q-2', 's-6'],
    });
    await checkAll(world, expense);
  });
});

describe('cancel and answer at the same instant (R85)', () => {
  it('end canceled or go on, never both, and the outside effect happens at most once', async () => {
    const ends = new Set<string>();
    for (let round = 1; round <= 50; round++) {
      const world = await asked(expense.make);
      const answer = await says(world, 'CC-4410', 'm-answer');
      const cancel = await world.cancel(world.taskId as string);
      await mingle(world, round);
      await workOff(world);
      ends.add(`${told(answer)} / ${told(cancel)}`);
      expect(world.filings.length).toBe(0);
      expect((await ending(world)).state).toBe('TASK_STATE_CANCELED');
      expect(world.deadlines.timers).toEqual([]);
      await checkAll(world, expense);
    }
    // The answer first: a turn was owed, and then canceled. The cancel first: the answer came to a task that has ended.
    expect([...ends].sort()).toEqual(['UNSUPPORTED_OPERATION / CANCELED', 'WORKING / CANCELED']);
  });
});
