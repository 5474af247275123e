/** `collect` asks once for all that is missing (design 7). */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Turn } from '../../agent/turn.ts';
import { FakeTask } from './fake-host.ts';

const receipt = {
  type: 'object',
  properties: {
    amount: { type: 'number', description: 'How much was paid' },
    currency: { type: 'string', title: 'Currency' },
    vendor: { type: ['string', 'null'] },
    note: { type: 'string' },
  },
  required: ['amount', 'currency', 'vendor'],
} as const;

async function collected(code: (turn: Turn) => Promise<void>, settle?: (task: FakeTask) => void) {
  const task = new FakeTask();
  let left = await task.turn(code);
  if (left.left === 'asked' && settle) {
    settle(task);
    left = await task.turn(code);
  }
  return { task, left };
}

describe('collect', () => {
  it('asks nothing when nothing is missing', async () => {
    let seen: unknown;
    const { task, left } = await collected(async (turn) => {
      seen = await turn.collect('receipt', receipt, { amount: 0, currency: '', vendor: null });
    });
    expect(left).toEqual({ left: 'returned' });
    expect(seen).toEqual({ amount: 0, currency: '', vendor: null });
    expect(task.asked).toEqual([]);
  });

  it('asks ONE question for all that is missing, and gives both together', async () => {
    let seen: unknown;
    const { task, left } = await collected(
      async (turn) => {
        seen = await turn.collect('receipt', receipt, { vendor: 'Taxi', currency: null, note: undefined });
      },
      (one) => one.answer({ amount: 42, currency: 'EUR' }),
    );
    expect(task.asked).toEqual([
      {
        name: 'receipt',
        text: 'Please give: amount (How much was paid); currency (Currency).',
        schema: {
          type: 'object',
          properties: {
            amount: { type: 'number', description: 'How much was paid' },
            currency: { type: 'string', title: 'Currency' },
          },
          required: ['amount', 'currency'],
          additionalProperties: false,
        },
      },
    ]);
    expect(left).toEqual({ left: 'returned' });
    expect(seen).toEqual({ vendor: 'Taxi', amount: 42, currency: 'EUR' });
  });

  it('takes the options of what is missing, as a list when that is one property', async () => {
    const options = { currency: ['EUR', 'CHF'], vendor: ['Taxi'] };
    const one = await collected(
      async (turn) => void (await turn.collect('r', receipt, { amount: 1, vendor: 'x' }, { text: 'T', options })),
    );
    expect(one.task.asked[0]).toMatchObject({ text: 'T', options: ['EUR', 'CHF'] });
    const two = await collected(
      async (turn) => void (await turn.collect('r', receipt, { vendor: 'x' }, { options, expiresIn: { hours: 1 } })),
    );
    expect(two.task.asked[0]).toMatchObject({ options: { currency: ['EUR', 'CHF'] }, expiresInMs: 3_600_000 });
  });

  it('lets `check` see the whole, and asks again for what was asked', async () => {
    const wholes: unknown[] = [];
    const { left } = await collected(
      async (turn) => {
        await turn.collect(
          'receipt',
          receipt,
          { amount: 7, vendor: 'x' },
          {
            check: (whole) => {
              wholes.push(whole);
              return { pointer: '/currency', message: 'unknown' };
            },
          },
        );
      },
      (task) => task.answer({ currency: 'XXX' }),
    );
    expect(wholes).toEqual([{ amount: 7, vendor: 'x', currency: 'XXX' }]);
    expect(left).toEqual({ left: 'reasked', call: 1, errors: [{ pointer: '/currency', message: 'unknown' }] });
  });

  it('throws as ask does', async () => {
    const { left } = await collected(
      async (turn) => void (await turn.collect('receipt', receipt, {})),
      (task) => task.decline('lost it'),
    );
    expect(left).toEqual({
      left: 'ended',
      state: 'TASK_STATE_REJECTED',
      reason: 'the question "receipt" was declined: lost it',
    });
  });

  describe("with a library's schema", () => {
    const stay = z
      .object({ from: z.iso.date(), to: z.iso.date(), nights: z.string().transform(Number) })
      .refine(({ from, to }) => from < to, { path: ['to'], message: 'must be after from' });

    it('refines and transforms the whole', async () => {
      let seen: unknown;
      const { task } = await collected(
        async (turn) => {
          seen = await turn.collect('stay', stay, { from: '2026-12-01', nights: '3' });
        },
        (one) => one.answer({ to: '2026-12-04' }),
      );
      expect(task.asked[0]?.schema).toMatchObject({ required: ['to'], properties: { to: { format: 'date' } } });
      expect(seen).toEqual({ from: '2026-12-01', to: '2026-12-04', nights: 3 });
    });

    it('asks again when it refuses what was asked', async () => {
      const { left } = await collected(
        async (turn) => void (await turn.collect('stay', stay, { from: '2026-12-01', nights: '3' })),
        (one) => one.answer({ to: '2026-11-04' }),
      );
      expect(left).toMatchObject({ left: 'reasked', errors: [{ pointer: '/to', message: 'must be after from' }] });
    });

    it('fails when it refuses what was known: the caller cannot put that right', async () => {
      const { left } = await collected(
        async (turn) => void (await turn.collect('stay', stay, { from: '2026-12-05', to: '2026-12-01', nights: '3' })),
      );
      expect(left).toMatchObject({
        error: {
          reason: 'BAD_CALL',
          message: 'collect "stay": the schema refuses what is known: /to must be after from',
        },
      });
    });
  });

  it.each([
    [{ expireIn: { hours: 1 } }, 'collect "stay": "expireIn" is not an option'],
    [{ parseText: () => ({}) }, 'collect "stay": "parseText" is not an option'],
    [{ schema: {} }, 'collect "stay": "schema" is not an option'],
  ])('refuses what is not an option of it, also where nothing is missing: %j', async (options, message) => {
    const schema = { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] } as const;
    for (const known of [{}, { to: '2026-12-01' }]) {
      const { left } = await collected(
        async (turn) => void (await turn.collect('stay', schema, known, options as object)),
      );
      expect(left).toMatchObject({ left: 'threw', error: { reason: 'BAD_CALL', message } });
    }
  });

  it('needs an object with properties', async () => {
    const { left } = await collected(
      async (turn) => void (await turn.collect('n', { type: 'number' } as never, {} as never)),
    );
    expect(left).toMatchObject({
      error: { reason: 'BAD_QUESTION', message: 'collect "n": the schema is an object with properties' },
    });
  });
});
