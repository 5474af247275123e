/**
 * The model of design section 5 (invariants 1 to 10): any schedule of callers, workers, timers, sweeps, crashes, lost
 * answers and strangers, against the real core and the real agent layer. ASKBACK_MODEL_RUNS sets the runs per agent.
 */
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { AGENTS, type AgentUnderTest, inbox, listening } from './agents.ts';
import { checkCalls } from './call-properties.ts';
import { checkEnd } from './end-properties.ts';
import { answerAll, expireAll, heal } from './heal.ts';
import { type Happening, schedules } from './schedule.ts';
import type { Actor } from './scheduler.ts';
import { afterStorm, thawAll } from './storm.ts';
import { checkTrace, must } from './trace-properties.ts';
import type { World } from './world.ts';

const RUNS = Number(process.env.ASKBACK_MODEL_RUNS ?? 100);
const LEAST = 25;
/** For one run, on average. */
const MOST_MS = 50;

async function play(
  agent: AgentUnderTest,
  storm: readonly Happening[],
  then: 'answer' | 'expire',
  zombies: 'early' | 'late',
): Promise<World> {
  const world = await afterStorm(agent.make, storm, zombies);
  await check(world, agent);
  if (then === 'answer') await answerAll(world, (actor) => accepted(world, actor));
  else await expireAll(world, (actor) => must('value' in (actor.outcome ?? {}), 'who looks is shown the task'));
  thawAll(world);
  await heal(world);
  await check(world, agent);
  return world;
}

function accepted(world: World, actor: Actor): void {
  const answers = world.commits.filter((commit) => commit.actor === actor && commit.head.turn.phase === 'requested');
  must(answers.length === 1, '5: an answer to a visible question is accepted at once', actor.outcome);
}

async function check(world: World, agent: AgentUnderTest): Promise<void> {
  checkTrace(world.commits);
  checkCalls(world);
  await checkEnd(world, agent);
}

describe('invariants 1 to 10 hold under every interleaving of callers, crashes, time and delivery (design, section 5)', () => {
  it.each(AGENTS)('$title', { timeout: 600_000 }, async (agent) => {
    const startMs = performance.now();
    let played = 0;
    // A busy machine plays fewer schedules rather than longer.
    const isTime = (): boolean => ++played <= LEAST || performance.now() - startMs < RUNS * MOST_MS;
    const property = fc.asyncProperty(
      schedules(160, agent === inbox || agent === listening),
      fc.constantFrom('answer', 'answer', 'expire'),
      fc.constantFrom('early', 'late'),
      async (storm, then, zombies) => void (isTime() && (await play(agent, storm, then, zombies))),
    );
    await fc.assert(property, { numRuns: RUNS });
  });
});
