/** Numbers, order and the ways out of a turn (design 7). */
import { describe, expect, it } from 'vitest';
import type { Turn } from '../../agent/turn.ts';
import { AgentFault } from '../../core/errors.ts';
import { FakeTask, settled } from './fake-host.ts';

const ASK = { text: 'Go on?' };

/** A task that the old code left at its question, answered. */
async function parked(code: (turn: Turn) => Promise<void>): Promise<FakeTask> {
  const task = new FakeTask();
  expect(await task.turn(code)).toMatchObject({ left: 'asked' });
  task.answer({ text: 'yes' });
  return task;
}

describe('changed code (R19)', () => {
  const old = async (turn: Turn) => {
    await turn.step('read', () => 1);
    await turn.step('look-up', () => 2);
    await turn.ask('centre', ASK);
  };
  const changes: [what: string, code: (turn: Turn, ran: () => void) => Promise<void>, message: string][] = [
    [
      'another name',
      async (turn, ran) => void (await turn.step('reed', ran)),
      'expected step "read" at call 1, found step "reed"',
    ],
    [
      'another kind',
      async (turn) => void (await turn.ask('read', ASK)),
      'expected step "read" at call 1, found ask "read"',
    ],
    [
      'another order',
      async (turn, ran) => {
        await turn.step('look-up', ran);
        await turn.step('read', ran);
      },
      'expected step "read" at call 1, found step "look-up"',
    ],
    [
      'a call more',
      async (turn, ran) => {
        await turn.step('read', ran);
        await turn.now();
        await turn.step('look-up', ran);
      },
      'expected step "look-up" at call 2, found now',
    ],
    [
      'a step where the question was',
      async (turn, ran) => {
        await turn.step('read', ran);
        await turn.step('look-up', ran);
        await turn.step('file', ran);
      },
      'expected ask "centre" at call 3, found step "file"',
    ],
    [
      'an early return',
      async (turn, ran) => void (await turn.step('read', ran)),
      'expected step "look-up" at call 2, found the end of the code',
    ],
  ];

  it.each(changes)('%s stops with an explicit error before anything runs', async (_what, code, message) => {
    const task = await parked(old);
    let ran = false;
    let after = false;
    const left = await task.turn(async (turn) => {
      try {
        await code(turn, () => {
          ran = true;
        });
      } finally {
        after = !message.endsWith('the end of the code');
      }
    });
    expect(left).toEqual({
      left: 'threw',
      error: new AgentFault('CODE_CHANGED', `the agent's code changed: ${message}`),
    });
    expect({ ran, after, recorded: task.recorded }).toEqual({
      ran: false,
      after: false,
      recorded: ['step 1 read', 'step 2 look-up'],
    });
  });

  it('is told even when the code catches everything, and no later call of the turn runs', async () => {
    const task = await parked(old);
    let ran = false;
    const left = await task.turn(async (turn) => {
      void turn.step('other', () => undefined);
      await turn.step('look-up', () => {
        ran = true;
      });
    });
    expect(left).toMatchObject({ error: { reason: 'CODE_CHANGED' } });
    expect(ran).toBe(false);
  });

  it('goes on where it was when the old code is back', async () => {
    const task = await parked(old);
    await task.turn(async (turn) => void (await turn.step('reed', () => 1)));
    expect(await task.turn(old)).toEqual({ left: 'returned' });
  });

  it('of another worker, which recorded first, is told as well', async () => {
    const task = new FakeTask();
    task.beforeRecord = () => task.records.set(1, { kind: 'step', name: 'theirs', result: { ok: 1 } });
    expect(await task.turn(async (turn) => void (await turn.step('ours', () => 1)))).toMatchObject({
      error: { message: 'the agent\'s code changed: expected step "theirs" at call 1, found step "ours"' },
    });
  });
});

describe('what ends a turn never settles', () => {
  it.each([
    ['ask', (turn: Turn) => turn.ask('q', ASK), { left: 'asked' }],
    ['tryAsk', (turn: Turn) => turn.tryAsk('q', ASK), { left: 'asked' }],
    ['fail', (turn: Turn) => turn.fail('no'), { left: 'ended', state: 'TASK_STATE_FAILED', reason: 'no' }],
    ['reject', (turn: Turn) => turn.reject('no'), { left: 'ended', state: 'TASK_STATE_REJECTED', reason: 'no' }],
  ])('%s: no catch, no finally and nothing after it runs', async (_what, end, expected) => {
    const task = new FakeTask();
    const ran: string[] = [];
    const left = await task.turn(async (turn) => {
      try {
        await end(turn);
        ran.push('after');
      } catch {
        ran.push('catch');
      } finally {
        ran.push('finally');
      }
    });
    await settled();
    expect(left).toMatchObject(expected);
    expect(ran).toEqual([]);
  });

  it('a call that is made while the turn pauses neither runs nor settles', async () => {
    const task = new FakeTask();
    let ran = false;
    let late: () => void = () => undefined;
    await task.turn(async (turn) => {
      late = () =>
        void turn.step('late', () => {
          ran = true;
        });
      await turn.ask('q', ASK);
    });
    late();
    await settled();
    expect(ran).toBe(false);
  });

  it('a step in flight when the lease is lost never settles, and no new call begins', async () => {
    const task = new FakeTask();
    let finish: () => void = () => undefined;
    const ran: string[] = [];
    void task.turn(async (turn) => {
      await turn.step(
        'slow',
        () =>
          new Promise<void>((resolve) => {
            finish = resolve;
          }),
      );
      ran.push('after');
    });
    await settled();
    task.abort.abort();
    finish();
    await settled();
    expect(ran).toEqual([]);
    expect(task.recorded).toEqual(['step 1 slow']);
  });

  it('a host that fails ends the turn with its error, past any catch', async () => {
    const task = new FakeTask();
    const broken = new Error('store down');
    task.beforeRecord = () => {
      throw broken;
    };
    const ran: string[] = [];
    const left = await task.turn(async (turn) => {
      await turn.step('s', () => 1).catch(() => ran.push('catch'));
    });
    expect(left).toEqual({ left: 'threw', error: broken });
    expect(ran).toEqual([]);
  });
});

describe('what the code throws itself', () => {
  it('is passed on as it is, after the steps in flight are recorded', async () => {
    const task = new FakeTask();
    const mine = new Error('mine');
    const left = await task.turn(async (turn) => {
      void turn.step('slow', () => settled());
      throw mine;
    });
    expect(left).toEqual({ left: 'threw', error: mine });
    expect(task.recorded).toEqual(['step 1 slow']);
  });
});
