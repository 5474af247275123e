/** Answers that come twice, at once, early, late: one resume, whatever happens (design section 5). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Task } from '../../core/message.ts';
import { BINDINGS, type Reply, type Wire, wire } from './support/bindings.ts';
import { answer, expense, history, question, REQUEST, say, taskOf } from './support/expense.ts';
import { isLocal, openTarget, type Target, until } from './support/target.ts';

let target: Target;
let a2a: Wire;
beforeAll(async () => {
  target = await openTarget();
  a2a = wire('JSONRPC', target.url, target.as('alice'));
});
afterAll(() => target?.stop());

async function ended(id: string): Promise<Task> {
  return until(`the end of ${id}`, async () => {
    const task = taskOf(await a2a.get(id));
    return task.status.state === 'TASK_STATE_COMPLETED' && task;
  });
}

/** How many expenses were filed by `act`; what a deployed ledger holds cannot be counted from here. */
async function filedBy(act: () => Promise<void>): Promise<number | undefined> {
  const before = isLocal ? (await target.local.ledger()).length : 0;
  await act();
  return isLocal ? (await target.local.ledger()).length - before : undefined;
}

test('R01: two messages with the same valid answer at the same instant, 50 rounds: one resume each', {
  timeout: 120_000,
}, async () => {
  const rounds = 50;
  const filed = await filedBy(async () => {
    for (let round = 0; round < rounds; round += 1) {
      const asked = taskOf(await a2a.send(say(REQUEST)));
      const replies = await Promise.all(
        [1, 2].map((n) =>
          wire(BINDINGS[n % 2] ?? 'JSONRPC', target.url, target.as('alice')).send(
            answer(asked, { costCentre: 'CC-4410' }),
          ),
        ),
      );
      expect(replies.filter(({ status }) => status >= 500)).toEqual([]);
      expect(replies.filter(({ task }) => task !== undefined).length).toBeGreaterThanOrEqual(1);
      for (const { task, error } of replies) {
        // The loser gets the task as it is, or is told that it has ended meanwhile.
        if (task) expect(task.id).toBe(asked.id);
        else expect(error?.reason).toBe('UNSUPPORTED_OPERATION');
      }
      const done = await ended(asked.id);
      expect(done.artifacts).toHaveLength(1);
      expect(history(done).filter(([role]) => role === 'ROLE_USER')).toHaveLength(2);
    }
  });
  if (isLocal) expect(filed).toBe(rounds);
});

test('two different valid answers at the same instant file one expense, and both callers see the same', async () => {
  const filed = await filedBy(async () => {
    for (let round = 0; round < 10; round += 1) {
      const asked = taskOf(await a2a.send(say(REQUEST)));
      const choices = ['CC-4410', 'CC-4420'];
      await Promise.all(choices.map((costCentre) => a2a.send(answer(asked, { costCentre }))));
      const done = await ended(asked.id);
      const winner = history(done).at(-1)?.[1] as { costCentre: string };
      expect(expense(done)?.costCentre).toBe(winner.costCentre);
      expect(history(done)).toHaveLength(3);
    }
  });
  if (isLocal) expect(filed).toBe(10);
});

test('R08: an answer is accepted the moment that input-required can be seen, 40 rounds', {
  timeout: 120_000,
}, async () => {
  for (let round = 0; round < 40; round += 1) {
    const { id } = taskOf(await a2a.send(say(REQUEST), { returnImmediately: true }));
    let seen: Task | undefined;
    while (seen?.status.state !== 'TASK_STATE_INPUT_REQUIRED') seen = taskOf(await a2a.get(id));
    const reply = await a2a.send(answer(seen, { costCentre: 'CC-4410' }), { returnImmediately: true });
    expect(taskOf(reply).status.state).not.toBe('TASK_STATE_INPUT_REQUIRED');
    expect((await ended(id)).artifacts).toHaveLength(1);
  }
});

describe('R82: the first message sent twice', () => {
  test('one after the other: the same task, as it is now', async () => {
    const message = say(REQUEST);
    const first = taskOf(await a2a.send(message));
    expect(taskOf(await a2a.send(message))).toEqual(first);
    const again = taskOf(await a2a.send(say('engineering', { taskId: first.id })));
    expect(taskOf(await a2a.send(message))).toEqual(again);
  });

  test('at the same instant: one task, one question, one run', async () => {
    const message = say(REQUEST);
    const filed = await filedBy(async () => {
      const replies = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          wire(BINDINGS[n % 2] ?? 'JSONRPC', target.url, target.as('alice')).send(message),
        ),
      );
      const tasks = replies.map(taskOf);
      expect(new Set(tasks.map(({ id }) => id)).size).toBe(1);
      const [task] = tasks as [Task];
      expect(history(taskOf(await a2a.get(task.id)))).toEqual([
        ['ROLE_USER', REQUEST],
        ['ROLE_AGENT', question(task).questionId],
      ]);
      await a2a.send(say('CC-4410', { taskId: task.id }));
    });
    if (isLocal) expect(filed).toBe(1);
  });
});

describe('R83: what a repeat is', () => {
  test('the same message id on two tasks, and as first message and later as answer, are different messages', async () => {
    const request = say(REQUEST);
    const one = taskOf(await a2a.send(request));
    const two = taskOf(await a2a.send(say(REQUEST)));
    const reply = answer(one, { costCentre: 'CC-4410' });
    expect(taskOf(await a2a.send(reply)).status.state).toBe('TASK_STATE_COMPLETED');
    const elsewhere = answer(two, { costCentre: 'CC-4420' }, { messageId: reply.messageId });
    expect(expense(taskOf(await a2a.send(elsewhere)))?.costCentre).toBe('CC-4420');
    const three = taskOf(await a2a.send({ ...say(REQUEST), messageId: reply.messageId }));
    expect(three.id).not.toBe(one.id);
    expect(three.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  });

  test('the same first message by two tenants makes two tasks', async () => {
    const message = say(REQUEST);
    const mine = taskOf(await a2a.send(message));
    const theirs = taskOf(await wire('JSONRPC', target.url, target.as('other-alice')).send(message));
    expect(theirs.id).not.toBe(mine.id);
  });

  test('a late retry of answer 1 returns the task on question 2 and does not answer it', async () => {
    const asked = taskOf(await a2a.send(say('File my receipt')));
    const details = answer(asked, { amount: 5, currency: 'EUR', date: '2026-11-24', vendor: 'bus' });
    const second = taskOf(await a2a.send(details));
    expect(question(second).options).toEqual(['CC-4410', 'CC-4420']);
    expect(taskOf(await a2a.send(details))).toEqual(second);
    // Another message with that answer: the task as it is, with a note of which message won.
    const late = taskOf(await a2a.send({ ...details, messageId: 'late-answer' }));
    expect(late.status).toEqual(second.status);
    expect(JSON.stringify(late.metadata)).toContain(details.messageId);
    expect(taskOf(await a2a.get(asked.id)).history).toEqual(second.history);
  });
});

describe('R85: cancel', () => {
  test('at input-required: canceled, the answer is refused, canceling again is the same', async () => {
    const asked = taskOf(await a2a.send(say(REQUEST)));
    const canceled = taskOf(await a2a.cancel(asked.id));
    expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
    expect((await a2a.send(answer(asked, { costCentre: 'CC-4410' }))).error?.reason).toBe('UNSUPPORTED_OPERATION');
    expect(taskOf(await a2a.cancel(asked.id)).status).toEqual(canceled.status);
  });

  test('while the turn is still queued or running: nothing is filed after the cancel', async () => {
    const filed = await filedBy(async () => {
      for (let round = 0; round < 20; round += 1) {
        const { id } = taskOf(await a2a.send(say(REQUEST), { returnImmediately: true }));
        expect(taskOf(await a2a.cancel(id)).status.state).toBe('TASK_STATE_CANCELED');
        expect(taskOf(await a2a.get(id)).status.state).toBe('TASK_STATE_CANCELED');
      }
    });
    if (isLocal) expect(filed).toBe(0);
  });

  test('cancel and answer at once: one wins, and the task ends once', async () => {
    for (let round = 0; round < 20; round += 1) {
      const asked = taskOf(await a2a.send(say(REQUEST)));
      const replies: Reply[] = await Promise.all([
        a2a.send(answer(asked, { costCentre: 'CC-4410' }), { returnImmediately: true }),
        a2a.cancel(asked.id),
      ]);
      expect(replies.filter(({ status }) => status >= 500)).toEqual([]);
      const end = await until('the end', async () => {
        const task = taskOf(await a2a.get(asked.id));
        return /COMPLETED|CANCELED/.test(task.status.state) && task;
      });
      expect(end.artifacts?.length ?? 0).toBe(end.status.state === 'TASK_STATE_COMPLETED' ? 1 : 0);
      expect(taskOf(await a2a.get(asked.id)).status).toEqual(end.status);
    }
  });
});
