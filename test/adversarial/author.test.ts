/** Careless authors: their mistakes fail early and clearly, and cost callers and stores nothing. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { answered, attacked, first } from './world.ts';

const errors = (world: ReturnType<typeof attacked>) =>
  world.deps.log.lines.map(({ fields }) => String(fields.error)).join();

describe('a careless author', () => {
  it('hears at ask time of a default that the library schema refuses (section 6)', async () => {
    const world = attacked(async (turn) => {
      const schema = z.object({ day: z.string().refine((day) => day !== 'Sunday', 'not on Sundays') });
      await turn.ask('day', { text: 'Which day?', schema, onExpire: { default: { day: 'Sunday' } } });
    });
    const { id } = await world.send(first);
    await world.deliver();
    expect((await world.get(id)).status.state).toBe('TASK_STATE_FAILED');
    expect(errors(world)).toContain('not on Sundays');
  });

  it.each([
    ['a schema that refers to itself', () => circular()],
    ['a schema with a big integer', () => ({ type: 'integer', maximum: 10n })],
    ['a schema whose conversion throws', () => throwing()],
    ['a schema that is no object', () => 'string'],
    ['a library schema that JSON Schema cannot say', () => z.object({ when: z.date() })],
  ])('who gives %s fails the task with a reason, without a question', async (_what, schema) => {
    const world = attacked(async (turn) => void (await turn.ask('a', { text: 'A?', schema: schema() as never })));
    const { id } = await world.send(first);
    await world.deliver();
    const task = await world.get(id);
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(task.history?.filter(({ messageId }) => messageId.startsWith('q-'))).toEqual([]);
    expect(errors(world)).toContain('AgentFault');
  });

  it('who forgets an await on an ask fails the task instead of completing it over an open question', async () => {
    const world = attacked(async (turn) => {
      void turn.ask('a', { text: 'A?' });
    });
    const { id } = await world.send(first);
    await world.deliver();
    expect((await world.get(id)).status.state).toBe('TASK_STATE_FAILED');
    expect(errors(world)).toContain('is an await missing?');
  });

  it('who swallows every error can swallow no pause, and a declined question only where it is caught', async () => {
    const seen: string[] = [];
    const world = attacked(async (turn) => {
      for (const name of ['a', 'b']) {
        try {
          await turn.ask(name, { text: `${name}?` });
          seen.push(`${name} answered`);
        } catch (error) {
          seen.push(`${name} ${(error as Error).name}`);
        } finally {
          seen.push(`${name} finally`);
        }
      }
    });
    const { id } = await world.send(first);
    await world.deliver();
    expect(seen).toEqual([]);
    const questionId = (await world.get(id)).status.message?.messageId ?? '';
    await world.send({ messageId: 'm-2', taskId: id, parts: [{ data: { questionId, decline: {} } }] });
    await world.deliver();
    expect(seen.splice(0)).toEqual(['a DeclinedError', 'a finally']);
    await world.send(answered(await world.get(id), 'm-3', { text: 'yes' }));
    await world.deliver();
    expect(seen).toEqual(['a DeclinedError', 'a finally', 'b answered', 'b finally']);
  });

  it('who makes more than 10,000 calls fails the task; up to there each turn replays in time', async () => {
    const world = attacked(async (turn) => {
      for (let n = 0; n < 10_000; n += 100) {
        await Promise.all(Array.from({ length: 100 }, (_, m) => turn.step(`s-${n + m}`, () => n + m)));
      }
      await turn.step('one more', () => 1);
    });
    const { id } = await world.send(first);
    await world.deliver();
    expect((await world.get(id)).status.state).toBe('TASK_STATE_FAILED');
    expect(errors(world)).toContain('at most 10000 calls');
  });
});

function circular(): unknown {
  const schema: Record<string, unknown> = { type: 'object' };
  schema.properties = { self: schema };
  return schema;
}

function throwing(): unknown {
  const fail = () => {
    throw new Error('no conversion');
  };
  return { '~standard': { version: 1, vendor: 'v', validate: fail, jsonSchema: { input: fail } } };
}
