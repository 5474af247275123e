/**
 * The model of holds (design, section 12): any schedule of callers, workers, timers, sweeps and crashes. No hold outlives
 * its question or its own time, confirm and release never both, and what was not confirmed is given back.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AGENTS, type AgentUnderTest } from './agents.ts';
import { checkCalls } from './call-properties.ts';
import { FIRST, request } from './callers.ts';
import { checkEnd } from './end-properties.ts';
import { answerAll, expireAll, heal } from './heal.ts';
import { checkHolds, holding, twoHolds } from './holds.ts';
import { Callers, type Happening, happen, schedules, thaw } from './schedule.ts';
import { asked, claims, said } from './story.ts';
import { checkTrace } from './trace-properties.ts';
import { World } from './world.ts';

const RUNS = Number(process.env.ASKBACK_MODEL_RUNS ?? 100);
const LEAST = 25;
const MOST_MS = 60;

async function play(agent: AgentUnderTest, storm: readonly Happening[], then: string, zombies: string): Promise<World> {
  const world = new World(agent.make);
  const callers = new Callers();
  await world.send(request(FIRST));
  for (const what of storm) await happen(world, callers, what);
  if (world.taskId === undefined) await world.send(request(FIRST));
  if (zombies === 'early') thawAll(world);
  await rest(world, agent);
  if (then === 'answer') await answerAll(world, () => undefined);
  else await expireAll(world, () => undefined);
  thawAll(world);
  await rest(world, agent);
  return world;
}

async function rest(world: World, agent: AgentUnderTest): Promise<void> {
  await heal(world);
  checkTrace(world.commits);
  checkCalls(world);
  await checkEnd(world, agent);
  checkHolds(world);
}

function thawAll(world: World): void {
  while (world.scheduler.actors.some(({ status }) => status === 'frozen')) thaw(world, 0);
}

describe('holds under every interleaving of callers, crashes, time and delivery (section 12)', () => {
  it.each([holding, twoHolds])('$title', { timeout: 600_000 }, async (agent) => {
    const startMs = performance.now();
    let played = 0;
    const isTime = (): boolean => ++played <= LEAST || performance.now() - startMs < RUNS * MOST_MS;
    const property = fc.asyncProperty(
      schedules(160),
      fc.constantFrom('answer', 'expire'),
      fc.constantFrom('early', 'late'),
      async (storm, then, zombies) => void (isTime() && (await play(agent, storm, then, zombies))),
    );
    await fc.assert(property, { numRuns: RUNS });
  });
});

describe('a hold, told step by step', () => {
  it('costs two writes to take and one to confirm, and nobody else is needed', async () => {
    const world = await asked(holding.make);
    expect(world.commits.map(({ head }) => head.holds?.[0]?.state ?? 'none')).toEqual([
      'none',
      'none',
      'reserving',
      'held',
      'held',
    ]);
    await said(world, 'CC-4410', 'm-1');
    await heal(world);
    expect(world.handled.map(({ did }) => did)).toEqual(['acquire']);
    expect(world.head?.confirmed).toEqual([1]);
    expect(claims(world, 2)).toBe(1);
    checkHolds(world);
  });

  it('is given back once for a cancel at the question, and the end is not put off by it', async () => {
    const world = await asked(holding.make);
    await world.cancel(world.taskId as string);
    await world.scheduler.drain();
    expect(world.head?.status.state).toBe('TASK_STATE_CANCELED');
    await heal(world);
    expect(world.handled.map(({ did }) => did)).toEqual(['acquire', 'release']);
    checkHolds(world);
  });

  it.each(['dies', 'freezes'] as const)('is given back when whoever is at it %s, wherever that is', async (how) => {
    for (let at = 1; at <= 80; at++) {
      const world = await asked(holding.make);
      await world.cancel(world.taskId as string);
      let opened = 0;
      for (;;) {
        const [gate] = world.scheduler.ready();
        if (gate && ++opened === at) {
          if (how === 'dies') world.scheduler.kill(gate.actor);
          else gate.actor.status = 'frozen';
          world.unacknowledged.clear();
          break;
        }
        if (gate) {
          await world.scheduler.open(gate);
          continue;
        }
        const [index] = world.deliverable();
        if (index === undefined) break;
        await world.deliver(index);
      }
      // A cancel that was lost before its write is sent again by its caller.
      if (world.head?.status.state !== 'TASK_STATE_CANCELED') await world.cancel(world.taskId as string);
      await heal(world);
      thawAll(world);
      await heal(world);
      expect(world.head?.holds, `gate ${at}`).toBeUndefined();
      expect(world.handled.at(-1)?.did, `gate ${at}`).toBe('release');
      checkHolds(world);
    }
  });
});

it('the other agents hold nothing', () => {
  expect(AGENTS).not.toContain(holding);
});
