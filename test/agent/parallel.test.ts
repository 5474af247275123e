/** Calls side by side, and what an author may get wrong about them (design 7). */
import { describe, expect, it } from 'vitest';
import type { Turn } from '../../agent/turn.ts';
import { AgentFault } from '../../core/errors.ts';
import { FakeTask, settled } from './fake-host.ts';

const ASK = { text: 'Go on?' };

describe('parallel calls', () => {
  it('run at the same time and give their results in order', async () => {
    const task = new FakeTask();
    const ran: string[] = [];
    let results: unknown;
    await task.turn(async (turn) => {
      results = await Promise.all([
        turn.step('a', async () => {
          ran.push('a begins');
          await settled();
          await settled();
          ran.push('a ends');
          return 'a';
        }),
        turn.step('b', async () => {
          ran.push('b');
          return 'b';
        }),
      ]);
    });
    expect(ran).toEqual(['a begins', 'b', 'a ends']);
    expect(results).toEqual(['a', 'b']);
    expect(task.recorded).toEqual(['step 2 b', 'step 1 a']);
  });

  it('in branches make the same calls on replay, whichever branch was faster', async () => {
    const slow = new Set(['a1', 'b2']);
    const runs: string[] = [];
    const code = async (turn: Turn) => {
      const step = (name: string) =>
        turn.step(name, async () => {
          runs.push(name);
          if (slow.has(name)) for (let i = 0; i < 5; i++) await settled();
        });
      const think = async (ticks: number) => {
        for (let i = 0; i < ticks; i++) await Promise.resolve();
      };
      await Promise.all([
        (async () => {
          await step('a1');
          await think(7);
          await step('a2');
          await step('a3');
        })(),
        (async () => {
          await think(12);
          await step('b1');
          await step('b2');
          await step('b3');
        })(),
      ]);
      await turn.ask('q', ASK);
    };
    const task = new FakeTask();
    expect(await task.turn(code)).toMatchObject({ left: 'asked' });
    task.answer({ text: 'yes' });
    expect(await task.turn(code)).toEqual({ left: 'returned' });
    expect([...runs].sort()).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'b3']);
  });

  it('that fail do not take the process down when nobody looks at them in time', async () => {
    const task = new FakeTask();
    const left = await task.turn(async (turn) => {
      const first = turn.step('first', () => settled());
      const second = turn.step('second', () => Promise.reject(new Error('no')));
      await first;
      await settled();
      await second.catch(() => undefined);
    });
    expect(left).toEqual({ left: 'returned' });
  });

  it('may be given up once one beside them has failed', async () => {
    const task = new FakeTask();
    const code = async (turn: Turn) => {
      await Promise.all([turn.step('a', () => Promise.reject(new Error('no'))), turn.ask('q', ASK)]).catch(
        () => undefined,
      );
    };
    expect(await task.turn(code)).toEqual({ left: 'returned' });
    expect(task.asked).toEqual([]);
  });
});

describe("an author's slip is an error that says so", () => {
  const slips: [what: string, code: (turn: Turn) => Promise<void>, message: string][] = [
    [
      'an ask that is not awaited',
      async (turn) => void turn.ask('q', ASK),
      'the code returned before ask "q" was done: is an await missing?',
    ],
    [
      'an artifact that is not awaited',
      async (turn) => void turn.artifact({ name: 'a', text: 'x' }),
      'the code returned before artifact "a" was done: is an await missing?',
    ],
    [
      'a call inside a step',
      async (turn) => void (await turn.step('outer', () => turn.step('inner', () => 1))),
      'step "inner" was called inside step "outer": call it outside',
    ],
    [
      'a call that a step set going',
      async (turn) =>
        void (await turn.step('outer', async () => {
          await settled();
          await turn.now();
        })),
      'now was called inside step "outer": call it outside',
    ],
    [
      'no name',
      async (turn) => void (await turn.step('', () => 1)),
      'the name of a call is a string of 1 to 128 characters: ',
    ],
    ['no reason', async (turn) => void (await turn.fail('')), 'fail and reject need a reason that the caller can read'],
  ];

  it.each(slips)('%s', async (_what, code, message) => {
    const task = new FakeTask();
    expect(await task.turn(code)).toEqual({ left: 'threw', error: new AgentFault('BAD_CALL', message) });
    expect(task.asked).toEqual([]);
  });
});
