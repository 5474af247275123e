/**
 * Any program of steps, asks, artifacts, inbox reads and parallel branches, under any schedule of crashes, zombies, lost
 * answers and time (invariants 2 and 3): every run is told the same at each place, what was recorded is not done again,
 * and each message is read once.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Turn } from '../../agent/turn.ts';
import type { Task } from '../../core/message.ts';
import { maker, question } from './agents.ts';
import { checkCalls } from './call-properties.ts';
import { checkRecord, reasonOf, unaskedMessages } from './end-properties.ts';
import { answerAll, heal } from './heal.ts';
import { type Happening, schedules } from './schedule.ts';
import { afterStorm, thawAll } from './storm.ts';
import { checkTrace, must } from './trace-properties.ts';
import type { Outside, World } from './world.ts';

const RUNS = Number(process.env.ASKBACK_MODEL_RUNS ?? 100);
const LEAST = 25;
/** For one run, on average. */
const MOST_MS = 50;

/** `fail`: a step that throws; the branches beside it are given up, and go on meanwhile. */
const SIMPLE = ['step', 'ask', 'artifact', 'inbox', 'now', 'think', 'fail'] as const;
type Simple = (typeof SIMPLE)[number];
/** What stands in a list runs beside each other. */
type Program = readonly (Simple | readonly (readonly Simple[])[])[];

const simple = fc.constantFrom(...SIMPLE, 'step' as const);
const branches = fc.array(fc.array(simple, { minLength: 1, maxLength: 2 }), { minLength: 2, maxLength: 3 });
const programs: fc.Arbitrary<Program> = fc.array(fc.oneof({ weight: 2, arbitrary: simple }, branches), {
  minLength: 1,
  maxLength: 4,
});

/** Plays a program on any number of workers, and keeps what each place of it was told. */
class Player {
  /** By place; an inbox that was found empty may be found otherwise by a later worker. */
  readonly told = new Map<string, string>();
  readonly artifacts = new Set<string>();
  readonly #program: Program;

  constructor(program: Program) {
    this.#program = program;
  }

  async play(turn: Turn, outside: Outside): Promise<void> {
    for (const [index, one] of this.#program.entries()) {
      const all = typeof one === 'string' ? [[one]] : one;
      const branches = all.map(async (branch, b) => {
        for (const [i, inner] of branch.entries()) await this.#simple(turn, outside, inner, `${index}.${b}.${i}`);
      });
      await Promise.all(branches).catch((error: Error) => {
        if (!error.message.includes('on purpose')) throw error;
      });
    }
    while (await this.#read(turn));
  }

  async #simple(turn: Turn, outside: Outside, op: Simple, place: string): Promise<void> {
    switch (op) {
      case 'step': {
        const done = await turn
          .step(place, async ({ idempotencyKey }) => [await outside.file(idempotencyKey, place), outside.nonce()])
          .catch((error: Error) => error.message);
        return this.#tell(place, done);
      }
      case 'ask':
        return this.#tell(place, await turn.tryAsk(place, { ...question, maxAttempts: 9, onExpire: 'resume' }));
      case 'artifact':
        this.artifacts.add(place);
        return this.#tell(place, await turn.artifact({ name: place, data: place }));
      case 'inbox':
        return void (await this.#read(turn));
      case 'now':
        return this.#tell(place, await turn.now());
      case 'fail':
        return turn.step(place, () => Promise.reject(new Error('on purpose')), { tries: 1 });
      case 'think':
        for (let tick = 0; tick < 9; tick++) await Promise.resolve();
    }
  }

  async #read(turn: Turn): Promise<boolean> {
    const read = await turn.inbox();
    for (const { messageId } of read) await turn.artifact({ name: messageId, data: messageId });
    return read.length > 0;
  }

  #tell(place: string, what: unknown): void {
    const now = JSON.stringify(what);
    const before = this.told.get(place) ?? now;
    must(before === now, `2: every run is told the same at ${place}`, before, now);
    this.told.set(place, now);
  }
}

function places(program: Program, op: Simple): readonly string[] {
  return program.flatMap((one, index) => {
    const all = typeof one === 'string' ? [[one]] : one;
    return all.flatMap((branch, b) => branch.flatMap((inner, i) => (inner === op ? [`${index}.${b}.${i}`] : [])));
  });
}

async function play(program: Program, storm: readonly Happening[], zombies: 'early' | 'late'): Promise<void> {
  const player = new Player(program);
  const make = maker('program', (turn, outside) => player.play(turn, outside), 'queue');
  const world = await afterStorm(make, storm, zombies);
  await answerAll(world, () => undefined);
  thawAll(world);
  await heal(world);
  checkTrace(world.commits);
  checkCalls(world);
  const task = await checkRecord(world);
  if (task) checkOutcome(world, program, task);
}

function checkOutcome(world: World, program: Program, task: Task): void {
  const told = (task.artifacts ?? []).map(({ parts }) => String(parts[0]?.data));
  must(new Set(told).size === told.length, '2: each artifact once, each message read once', told);
  const { state } = task.status;
  if (state === 'TASK_STATE_COMPLETED') {
    const unasked = unaskedMessages(world.commits);
    const made = [...places(program, 'artifact'), ...unasked];
    const filed = [...world.ledger.values()].map(String);
    must(new Set(filed).size === filed.length, '2: nothing is done under two keys', filed);
    const givenUp = program.filter((one) => typeof one !== 'string').filter((one) => one.flat().includes('fail'));
    if (givenUp.length === 0) {
      expect([...told].sort()).toEqual(made.sort());
      if (world.ledgerFaults < 3) expect([...filed].sort()).toEqual([...places(program, 'step')].sort());
    } else if (!givenUp.some((one) => one.flat().includes('inbox'))) {
      expect(made).toEqual(expect.arrayContaining(told));
      expect(told).toEqual(expect.arrayContaining([...unasked]));
    }
    return;
  }
  const known = state === 'TASK_STATE_CANCELED' || ['AGENT_FAILED', 'NO_VALID_ANSWER'].includes(reasonOf(task));
  must(known, 'a task that did not complete was canceled, or says why', task.status);
}

describe('any program under any schedule (invariants 2 and 3)', () => {
  it('comes to what it would have come to undisturbed', { timeout: 600_000 }, async () => {
    const startMs = performance.now();
    let played = 0;
    // A busy machine plays fewer schedules rather than longer.
    const isTime = (): boolean => ++played <= LEAST || performance.now() - startMs < RUNS * MOST_MS;
    const property = fc.asyncProperty(
      programs,
      schedules(160, true),
      fc.constantFrom('early', 'late'),
      async (program, storm, zombies) => void (isTime() && (await play(program, storm, zombies))),
    );
    await fc.assert(property, { numRuns: RUNS });
  });
});
