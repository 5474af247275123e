/** What is compared does the whole work: a cycle ends with an artifact, or the contender throws. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { a2aJsInMemory } from '../../bench/a2a-js.ts';
import { askbackInMemory } from '../../bench/askback.ts';
import type { Contender } from '../../bench/contender.ts';
import { contender } from '../../bench/contenders.ts';
import { MemoryTaskStore } from '../../bench/memory-task-store.ts';
import { raceLines } from '../../bench/races.ts';
import { reconnectLines } from '../../bench/timed/reconnects.ts';
import { deepFrozen } from '../support/deep-frozen.ts';
import { type LocalDynamo, startDynalite } from '../support/dynalite.ts';

let dynamo: LocalDynamo;
beforeAll(async () => {
  dynamo = await startDynalite({ tableName: 'bench' });
});
afterAll(() => dynamo.stop());

/** The table is shared, so message ids are not. */
async function threeCycles(one: Contender, name: string): Promise<void> {
  await one.cycle(`${name}-a`);
  await Promise.all([one.cycle(`${name}-b`), one.cycle(`${name}-c`)]);
  await one.ask(`${name}-d`);
  await one.stop?.();
}

describe('contenders', () => {
  it.each([
    'askback-memory',
    'askback-memory-looking',
    'askback-memory-cloning',
    'a2a-js-memory',
    'askback-dynamo',
    'askback-dynamo-looking',
    'a2a-js-dynamo',
    'a2a-js-dynamo-unlisted',
    'a2a-js-dynamo-our-client',
  ] as const)('%s', async (name) => {
    await threeCycles(await contender(name, dynamo), name);
  });

  it.each([
    ['askback-dynamo', 7, true],
    ['askback-dynamo-looking', 9, true],
    ['a2a-js-dynamo', 14, false],
    ['a2a-js-dynamo-unlisted', 14, false],
    ['a2a-js-dynamo-our-client', 14, true],
  ] as const)('%s asks %i times in a cycle, as bench/README.md says', async (name, calls, isOurClient) => {
    const one = await contender(name, dynamo);
    // The plain client and the document client inherit it from here.
    const clients = Object.getPrototypeOf(DynamoDBClient.prototype) as { send(): unknown };
    const sent = vi.spyOn(clients, 'send');
    await one.cycle(`${name}-counted`);
    const asked = [...sent.mock.contexts] as readonly { readonly config: { readonly cacheMiddleware?: boolean } }[];
    sent.mockRestore();
    expect(asked.map(({ config }) => config.cacheMiddleware ?? false)).toEqual(Array(calls).fill(isOurClient));
    await one.stop?.();
  });

  it.each([
    ['ours', () => askbackInMemory({ looks: true, rounds: 20 })],
    ['theirs', () => a2aJsInMemory(20)],
  ])('%s asks as often as it should', async (_name, make) => {
    const one = make();
    await one.cycle('a');
    await one.stop?.();
  });

  it('a head is a value: nothing of one that is kept or handed out is ever changed in place', async () => {
    const frozen = new MemoryTaskStore(deepFrozen);
    await askbackInMemory({ looks: true, rounds: 20, store: frozen }).cycle('frozen');
    const [taskId = ''] = frozen.taskIds;
    expect(Object.isFrozen((await frozen.load(taskId))?.log[0])).toBe(true);
  });
});

describe('races and reconnects (design 5, 13)', () => {
  it('one turn, and no wrong reply', async () => {
    const lines = await raceLines(5);
    expect(lines.map(({ what, value }) => `${what} = ${value}`)).toEqual([
      '5 races of 8 answers: turns too many or too few = 0',
      '5 races of 8 answers: wrong replies = 0',
    ]);
  });

  it('no gap and no repeat', async () => {
    const [line] = await reconnectLines(30);
    expect(line).toMatchObject({ value: 0, budget: 'stream.gaps' });
  });
});
