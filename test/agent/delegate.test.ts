/** `turn.delegate`: a task of another agent as one call of the author's code (design 12). */
import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent/define-agent.ts';
import { costCentre, HOUR_MS, play } from './delegation.ts';
import { PLAIN_CARD } from '../support/plain-card.ts';

describe('a sub-task that completes', () => {
  it('is begun once, waited for without a worker, and gives its artifacts', async () => {
    const { task, sub, results, turn } = play();
    expect(await turn()).toMatchObject({ left: 'parked', look: { delegate: 1, silent: false, pushes: false } });
    expect(sub.taken).toEqual([{ messageId: 'task-1-1', role: 'ROLE_USER', parts: [{ text: 'File it' }] }]);
    expect(await turn()).toMatchObject({ left: 'parked' });
    sub.completes({ expenseId: 'EXP-1' });
    expect(await turn()).toEqual({ left: 'returned' });
    expect(results).toEqual([
      {
        taskId: 'sub-of-task-1-1',
        artifacts: [{ artifactId: 'a-1', name: 'expense', parts: [{ data: { expenseId: 'EXP-1' } }] }],
      },
    ]);
    expect(sub.sent).toHaveLength(1);
    expect(task.closed).toEqual(['ended 1']);
  });

  it('is written into the head before anything is sent, and known by its messageId after a crash', async () => {
    for (const write of [1, 2]) {
      for (const reached of [false, true]) {
        const { task, sub } = play();
        const agent = defineAgent({
          card: PLAIN_CARD,
          agents: { expenses: sub },
          run: async (turn) => void (await turn.delegate('filing', { agent: 'expenses', message: 'File it' })),
        });
        expect(await task.turn(agent, { write, reached })).toEqual({ left: 'crashed' });
        if (write === 1) expect(sub.sent).toHaveLength(0);
        await task.turn(agent);
        expect(sub.tasks.size).toBe(1);
      }
    }
  });

  it('whose agent answers at once needs no task', async () => {
    const { task, sub, results, turn } = play();
    sub.reply = { messageId: 'r-1', role: 'ROLE_AGENT', parts: [{ text: 'Done already.' }] };
    expect(await turn()).toEqual({ left: 'returned' });
    expect(results).toEqual([
      { artifacts: [], message: { messageId: 'r-1', role: 'ROLE_AGENT', parts: [{ text: 'Done already.' }] } },
    ]);
    expect(task.closed).toEqual(['ended 1']);
  });

  it('with a result that is too large is an error, not a fault of this agent', async () => {
    const { sub, errors, turn } = play();
    await turn();
    sub.completes('x'.repeat(600_000));
    await turn();
    expect(errors).toMatchObject([{ name: 'DelegateError', reason: 'its result is too large' }]);
  });
});

describe('a sub-agent that answers with nonsense', () => {
  it.each([
    ['a task without an id', { task: { id: '', contextId: '', status: { state: 'TASK_STATE_WORKING' } } }],
    ['an id that fills the head', { task: { id: 'x'.repeat(257), contextId: '', status: {} } }],
    [
      'a message that is too large',
      { message: { messageId: 'r', role: 'ROLE_AGENT', parts: [{ text: 'x'.repeat(600_000) }] } },
    ],
  ])('%s is given up', async (_what, reply) => {
    const { task, sub, errors, turn } = play();
    sub.send = async () => reply as never;
    expect(await turn()).toEqual({ left: 'returned' });
    expect(errors).toMatchObject([{ name: 'DelegateError' }]);
    expect(task.closed).toEqual(['cancel 1']);
  });

  it('a task without a status is looked at again', async () => {
    const { sub, turn } = play();
    await turn();
    sub.get = async () => ({ id: 'x' }) as never;
    expect(await turn()).toMatchObject({ left: 'parked', look: { silent: true } });
  });
});

describe('a sub-task that ends otherwise', () => {
  it.each([
    ['TASK_STATE_FAILED', 'the sub-task "filing" failed'],
    ['TASK_STATE_REJECTED', 'the sub-task "filing" was rejected'],
    ['TASK_STATE_CANCELED', 'the sub-task "filing" was canceled'],
  ] as const)('in %s is a DelegateError that tells the author why and the caller only that', async (state, message) => {
    const { task, sub, errors, turn } = play();
    await turn();
    sub.says(state, 'Ledger db-7 is gone.');
    await turn();
    expect(errors).toMatchObject([{ state, message, reason: 'Ledger db-7 is gone.' }]);
    expect(task.closed).toEqual(['ended 1']);
  });

  it.each([
    ['TASK_STATE_REJECTED', 'TASK_STATE_REJECTED'],
    ['TASK_STATE_FAILED', 'TASK_STATE_FAILED'],
    ['TASK_STATE_CANCELED', 'TASK_STATE_FAILED'],
  ] as const)('in %s ends the task as %s where the author catches nothing', async (state, own) => {
    const { sub, turn } = play({}, async (turn) => {
      await turn.delegate('filing', { agent: 'expenses', message: 'File it' });
    });
    await turn();
    sub.says(state, 'Ledger db-7 is gone.');
    const left = await turn();
    expect(left).toMatchObject({ left: 'ended', state: own });
    expect(JSON.stringify(left)).not.toContain('db-7');
  });
});

describe('an agent that cannot be reached', () => {
  it('is tried three times, then again by later turns for a quarter of an hour, with the same message', async () => {
    const { task, sub, errors, turn } = play();
    sub.faults = Array.from({ length: 6 }, () => ({ retryable: true, lost: true }));
    const silent = { left: 'parked', look: { delegate: 1, pushes: false, silent: true } };
    expect(await turn()).toEqual(silent);
    expect(sub.sent).toHaveLength(3);
    task.nowMs += 899_999;
    expect(await turn()).toEqual(silent);
    expect(await turn()).toMatchObject({ left: 'parked', look: { silent: false } });
    expect(new Set(sub.sent.map(({ message }) => message.messageId))).toEqual(new Set(['task-1-1']));
    expect(sub.tasks.size).toBe(1);
    expect(errors).toEqual([]);
  });

  it('for a quarter of an hour has failed; what may have arrived all the same is canceled', async () => {
    const { task, sub, errors, turn } = play();
    sub.faults = Array.from({ length: 6 }, () => ({ retryable: true, lost: true }));
    await turn();
    task.nowMs += 900_000;
    expect(await turn()).toEqual({ left: 'returned' });
    expect(errors).toMatchObject([{ state: undefined, reason: 'down' }]);
    expect(task.closed).toEqual(['cancel 1']);
    // Decided once: it is not sent again at a replay.
    await turn();
    expect(errors).toHaveLength(2);
    expect(sub.sent).toHaveLength(6);
  });

  it('is sent what the head has, although the code says something else now', async () => {
    let text = 'first';
    const { sub, turn } = play({}, async (turn) => {
      await turn.delegate('filing', { agent: 'expenses', message: text });
    });
    sub.faults = [{ retryable: true }, { retryable: true }, { retryable: true }];
    await turn();
    text = 'second';
    await turn();
    expect(sub.sent.map(({ message }) => message.parts[0]?.text)).toEqual(['first', 'first', 'first', 'first']);
  });

  it('is not tried again where it has refused', async () => {
    const { sub, errors, turn } = play();
    sub.faults = [{ retryable: false, message: 'no such skill' }];
    await turn();
    expect(sub.sent).toHaveLength(1);
    expect(errors).toMatchObject([{ reason: 'no such skill' }]);
  });

  it('while it is waited for is looked at again, for a day', async () => {
    const { task, sub, errors, turn } = play();
    await turn();
    sub.faults = [{ retryable: true }];
    expect(await turn()).toMatchObject({ left: 'parked', look: { silent: true } });
    task.nowMs += 23 * HOUR_MS;
    sub.faults = [{ retryable: true }];
    expect(await turn()).toMatchObject({ left: 'parked' });
    task.nowMs += 2 * HOUR_MS;
    sub.faults = [{ retryable: true }];
    expect(await turn()).toEqual({ left: 'returned' });
    expect(errors).toMatchObject([{ reason: 'it does not answer' }]);
    expect(task.closed).toEqual(['cancel 1']);
  });

  it('whose answer takes longer than giveUpAfter is given up', async () => {
    const { task, errors, turn } = play({ giveUpAfter: { hours: 1 } });
    await turn();
    task.nowMs += HOUR_MS;
    await turn();
    expect(errors).toMatchObject([{ reason: 'it took too long' }]);
    expect(task.closed).toEqual(['cancel 1']);
  });
});

describe('a push webhook', () => {
  it('is registered where both sides can, and makes looking rare', async () => {
    const { task, sub, turn } = play();
    task.callback = 'https://o.example/callbacks/delegate/task-1';
    sub.pushing = true;
    expect(await turn()).toMatchObject({ left: 'parked', look: { pushes: true } });
    expect(sub.sent.map(({ pushUrl }) => pushUrl)).toEqual(['https://o.example/callbacks/delegate/task-1/1']);
  });

  it('that the other agent refuses is done without', async () => {
    const { task, sub, turn } = play();
    task.callback = 'http://localhost:1/callbacks';
    sub.pushing = true;
    sub.faults = [{ retryable: false, message: 'not a public address' }];
    expect(await turn()).toMatchObject({ left: 'parked', look: { pushes: false } });
    expect(sub.sent.map(({ pushUrl }) => pushUrl)).toEqual(['http://localhost:1/callbacks/1', undefined]);
    expect(sub.tasks.size).toBe(1);
  });
});

describe('a delegate in the author’s code', () => {
  it('runs beside others; what they ask is relayed in the order of the calls, one at a time (R66)', async () => {
    const { task, sub, turn } = play({}, async (turn) => {
      await Promise.all(
        ['first', 'second'].map((name) =>
          turn.delegate(name, { agent: 'expenses', message: name, restate: () => ({ text: `About ${name}` }) }),
        ),
      );
    });
    expect(await turn()).toMatchObject({ left: 'parked', look: { delegate: 1 } });
    expect(sub.taken.map(({ messageId }) => messageId)).toEqual(['task-1-1', 'task-1-2']);
    sub.asks({ questionId: 'q-b', schema: costCentre }, 'sub-of-task-1-2');
    expect(await turn()).toMatchObject({ left: 'parked', look: { delegate: 1 } });
    sub.completes({}, 'sub-of-task-1-1');
    expect(await turn()).toMatchObject({ left: 'asked' });
    expect(task.asked.map(({ text }) => text)).toEqual(['About second']);
  });

  it.each([
    [{ agent: 'payroll', message: 'x' }, 'has no agent "payroll"'],
    [{ agent: 'expenses', message: '' }, 'message is a text, or has parts'],
    [{ agent: 'expenses', message: 'x', timeout: 1 }, '"timeout" is not an option'],
    [undefined, 'delegate "filing": its options are an object: { agent, message, '],
    [{ agent: 'expenses', message: 'x', giveUpAfter: { days: 31 } }, 'giveUpAfter is at most 30 days'],
    [{ agent: 'expenses', message: 'x', giveUpAfter: { years: 1 } }, 'giveUpAfter: years is not a number of days'],
  ])('that cannot be is a fault of the author: %j', async (options, text) => {
    const { turn } = play({}, async (turn) => void (await turn.delegate('filing', options as never)));
    expect(String(((await turn()) as { error: Error }).error)).toContain(text);
  });

  it.each([
    [[], 'agents must be an object of other agents by name'],
    [{ expenses: 'https://expenses.example' }, 'agents.expenses must have send, get and cancel, as remoteAgent gives'],
  ])('needs agents that are some: %j', (agents, text) => {
    const card = {
      name: 'O',
      description: 'O.',
      version: '1',
      skills: [{ id: 's', name: 'S', description: 'S.', tags: [] }],
    };
    expect(() => defineAgent({ card, agents: agents as never, run: () => undefined })).toThrow(text);
  });

  it('that was parked by other code is found out before anything is sent', async () => {
    const { task, sub, turn } = play();
    await turn();
    const left = await task.turn(
      defineAgent({
        card: PLAIN_CARD,
        agents: { expenses: sub },
        run: async (turn) => void (await turn.delegate('other', { agent: 'expenses', message: 'x' })),
      }),
    );
    expect(left).toMatchObject({ left: 'threw', error: { reason: 'CODE_CHANGED' } });
    expect(sub.sent).toHaveLength(1);
  });

  it('whose own code throws cancels the sub-task', async () => {
    const { task, sub, errors, turn } = play({
      restate: () => {
        throw new RangeError('mine');
      },
    });
    await turn();
    sub.asks({ questionId: 'q-1', schema: costCentre });
    await turn();
    expect(errors).toMatchObject([{ name: 'RangeError' }]);
    expect(task.closed).toEqual(['cancel 1']);
  });
});
