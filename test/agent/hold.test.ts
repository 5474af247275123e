/** `turn.hold` over a hand-made host: what is written, what is replayed, what the author is told (design, section 12). */
import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent/define-agent.ts';
import { HoldGoneError, StepError } from '../../agent/errors.ts';
import type { HoldHandle } from '../../agent/hold.ts';
import type { StepContext } from '../../agent/step.ts';
import type { Turn } from '../../agent/turn.ts';
import type { Agent } from '../../core/agent.ts';
import { FakeTask, type Left } from './fake-host.ts';

function booking(run: (turn: Turn) => Promise<void>): Agent {
  return defineAgent({
    card: { name: 'B', description: 'B.', version: '1', skills: [{ id: 's', name: 'S', description: 'S.', tags: [] }] },
    holds: { seat: { release: () => undefined } },
    run,
  });
}

interface Seen {
  readonly task: FakeTask;
  readonly keys: string[];
  readonly told: unknown[];
  turn(crash?: Parameters<FakeTask['turn']>[1]): Promise<Left>;
}

/** Holds a seat and hands it to the code; what that throws is told. */
function holding(
  code: (turn: Turn, held: HoldHandle<unknown>, told: unknown[]) => Promise<void>,
  acquire: (context: StepContext) => unknown = ({ idempotencyKey }) => ({ seat: `for ${idempotencyKey}` }),
): Seen {
  const task = new FakeTask();
  const keys: string[] = [];
  const told: unknown[] = [];
  const agent = booking(async (turn) => {
    try {
      const held = await turn.hold('seat', {
        for: { minutes: 10 },
        acquire: (context) => {
          keys.push(`${context.idempotencyKey} #${context.attempt}`);
          return acquire(context);
        },
      });
      await code(turn, held, told);
    } catch (error) {
      told.push(error);
    }
  });
  return { task, keys, told, turn: (crash) => task.turn(agent, crash) };
}

describe('hold', () => {
  it('is written before it is reserved, recorded once it is, and not reserved again on replay', async () => {
    const { task, keys, told, turn } = holding(async (t, held) => {
      told.push(held.value);
      await t.ask('who', { text: 'Who?' });
    });
    expect(await turn()).toMatchObject({ left: 'asked' });
    expect(task.holds).toEqual(['seat for 600000']);
    expect(task.recorded).toEqual(['hold 1 seat']);
    task.answer('Ada');
    await turn();
    expect(keys).toEqual(['task-1-hold-1 #1']);
    expect(told).toEqual([{ seat: 'for task-1-hold-1' }, { seat: 'for task-1-hold-1' }]);
  });

  it('is reserved again under the same key by the worker after one that died over it', async () => {
    const { task, keys, turn } = holding(async () => undefined);
    expect(await turn({ write: 2, reached: false })).toEqual({ left: 'crashed' });
    expect(await turn()).toEqual({ left: 'returned' });
    expect(keys).toEqual(['task-1-hold-1 #1', 'task-1-hold-1 #1']);
    expect(task.reserved).toEqual([1]);
  });

  it('is another one, under another key, where the first was over by then', async () => {
    const { task, keys, turn } = holding(async () => undefined);
    await turn({ write: 2, reached: false });
    task.over.add(1);
    await turn();
    expect(keys).toEqual(['task-1-hold-1 #1', 'task-1-hold-2 #1']);
  });

  it('that was over before it was acquired is told as HoldGoneError, on replay too', async () => {
    const { task, told, turn } = holding(
      async () => undefined,
      () => void task.over.add(1),
    );
    await turn();
    await turn();
    expect(told).toEqual([new HoldGoneError('seat'), new HoldGoneError('seat')]);
  });

  it('that cannot be acquired is tried three times, then told as StepError, on replay too', async () => {
    const { keys, told, turn } = holding(
      async () => undefined,
      () => {
        throw new RangeError('full');
      },
    );
    await turn();
    await turn();
    expect(keys).toEqual(['task-1-hold-1 #1', 'task-1-hold-1 #2', 'task-1-hold-1 #3']);
    expect(told).toMatchObject([
      { name: 'StepError', step: 'seat', errorName: 'RangeError', message: 'full' },
      { name: 'StepError', step: 'seat', errorName: 'RangeError', message: 'full' },
    ]);
    expect(told[0]).toBeInstanceOf(StepError);
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, '{"$askback":"undefined"}'],
    ['null', null, 'null'],
    ['false', false, 'false'],
    ['an object', { seat: '12A' }, '{"seat":"12A"}'],
  ])('that gives %s gives that again, and to its release', async (_what, value, kept) => {
    const { task, told, turn } = holding(
      async (_turn, held) => {
        told.push(held.value);
        await held.confirm();
        await held.release();
      },
      () => value,
    );
    await turn();
    await turn();
    expect(told).toEqual([value, value]);
    expect(task.givenBack).toEqual([`hold 1, confirmed as ${kept}`]);
  });
});

describe('confirm and release', () => {
  it('are each decided once, by the record: the same on every replay, whatever has happened since', async () => {
    const { task, told, turn } = holding(async (_turn, held) => {
      told.push(await held.tryConfirm(), await held.tryConfirm());
    });
    await turn();
    task.over.add(1);
    await turn();
    expect(told).toEqual([true, true, true, true]);
    expect(task.recorded).toEqual(['hold 1 seat', 'confirm 2 seat']);
  });

  it('tryConfirm is false for a hold that is over, and the code can take a new one', async () => {
    const task = new FakeTask();
    const told: unknown[] = [];
    const agent = booking(async (turn) => {
      const take = () => turn.hold('seat', { for: { minutes: 10 }, acquire: ({ idempotencyKey }) => idempotencyKey });
      let held = await take();
      await turn.ask('who', { text: 'Who?' });
      while (!(await held.tryConfirm())) held = await take();
      told.push(held.value);
    });
    await task.turn(agent);
    task.over.add(1);
    task.answer('Ada');
    expect(await task.turn(agent)).toEqual({ left: 'returned' });
    expect(await task.turn(agent)).toEqual({ left: 'returned' });
    expect(told).toEqual(['task-1-hold-2', 'task-1-hold-2']);
    expect(task.recorded).toEqual(['hold 1 seat', 'confirm 3 seat', 'hold 4 seat', 'confirm 5 seat']);
  });

  it('confirm of a hold that is over throws, on replay too, and nothing that relies on it is done', async () => {
    const booked: string[] = [];
    const { task, told, turn } = holding(async (t, held) => {
      task.over.add(1);
      await held.confirm();
      await t.step('book', () => void booked.push('seat'));
    });
    await turn();
    await turn();
    expect(told).toEqual([new HoldGoneError('seat'), new HoldGoneError('seat')]);
    expect(booked).toEqual([]);
    expect(task.recorded).toEqual(['hold 1 seat', 'confirm 2 seat']);
  });

  it('confirm that nobody catches ends the task as failed, with words for the caller', async () => {
    const task = new FakeTask();
    const agent = booking(async (turn) => {
      const held = await turn.hold('seat', { for: { minutes: 10 }, acquire: () => '12A' });
      task.over.add(1);
      await held.confirm();
    });
    expect(await task.turn(agent)).toMatchObject({
      left: 'ended',
      state: 'TASK_STATE_FAILED',
      reason: 'the hold "seat" was over before it could be used',
    });
  });

  it('confirm and tryConfirm are one decision, whichever comes first', async () => {
    const over = holding(async (_turn, held, told) => {
      over.task.over.add(1);
      told.push(
        await held.tryConfirm(),
        await held.confirm().catch((error: unknown) => error),
        await held.tryConfirm(),
      );
    });
    await over.turn();
    expect(over.told).toEqual([false, new HoldGoneError('seat'), false]);
    const kept = holding(async (_turn, held, told) => {
      told.push(await held.confirm(), await held.tryConfirm());
    });
    await kept.turn();
    expect(kept.told).toEqual([undefined, true]);
    expect(kept.task.recorded).toEqual(['hold 1 seat', 'confirm 2 seat']);
  });

  it('confirm that is neither awaited nor caught takes no process down, and what runs beside it may be given up', async () => {
    const { task, turn } = holding(async (t, held) => {
      task.over.add(1);
      await Promise.all([held.confirm(), t.step('beside', () => 1)]).catch(() => undefined);
      void held.confirm();
    });
    expect(await turn()).toEqual({ left: 'returned' });
    expect(task.recorded).toEqual(['hold 1 seat', 'confirm 2 seat', 'step 3 beside']);
  });

  it('release says whether it was confirmed, also when neither was awaited, and is given back once', async () => {
    const { task, turn } = holding(async (_turn, held) => {
      await Promise.all([held.confirm(), held.release(), held.release()]);
    });
    await turn();
    await turn();
    expect(task.givenBack).toEqual(['hold 1, confirmed as {"seat":"for task-1-hold-1"}']);
    expect(task.recorded).toEqual(['hold 1 seat', 'confirm 2 seat', 'release 3 seat']);
  });

  it('release of what was not confirmed, or could not be, says so', async () => {
    const { task, turn } = holding(async (_turn, held) => {
      task.over.add(1);
      await held.tryConfirm();
      await held.release();
    });
    await turn();
    expect(task.givenBack).toEqual(['hold 1']);
  });

  it('a worker that dies in between leaves the decision to the record', async () => {
    const { task, told, turn } = holding(async (t, held) => {
      told.push(await held.tryConfirm());
      await t.step('book', () => 'booked');
    });
    // Reserve, hold, confirm: the third write reaches the head, and its answer is lost.
    expect(await turn({ write: 3, reached: true })).toEqual({ left: 'crashed' });
    task.over.add(1);
    expect(await turn()).toEqual({ left: 'returned' });
    expect(told).toEqual([true]);
    expect(task.recorded).toEqual(['hold 1 seat', 'confirm 2 seat', 'step 3 book']);
  });
});
