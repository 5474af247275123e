/**
 * A model of replay (design 7, invariants 2 and 3): whatever the program, however fast each step, wherever a worker
 * dies, the code comes to the same results, each step has its effect at least once and is recorded once, and nothing
 * is asked or sent twice.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StepError } from '../../agent/errors.ts';
import type { Turn } from '../../agent/turn.ts';
import { type Crash, FakeTask, settled } from './fake-host.ts';

type Simple =
  | { readonly op: 'step' | 'failing-step'; readonly speed: number }
  | { readonly op: 'ask' | 'artifact' | 'now' | 'random' }
  /** Code between calls that takes a few ticks. */
  | { readonly op: 'think'; readonly ticks: number };
type Op = Simple | { readonly op: 'parallel'; readonly branches: readonly (readonly Simple[])[] };

const simple: fc.Arbitrary<Simple> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ op: fc.constant('step' as const), speed: fc.nat(7) }) },
  fc.record({ op: fc.constant('failing-step' as const), speed: fc.nat(7) }),
  fc.record({ op: fc.constantFrom('ask' as const, 'artifact' as const, 'now' as const, 'random' as const) }),
  fc.record({ op: fc.constant('think' as const), ticks: fc.nat(9) }),
);
const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 3, arbitrary: simple },
  fc.record({
    op: fc.constant('parallel' as const),
    branches: fc.array(fc.array(simple, { maxLength: 3 }), { minLength: 2, maxLength: 3 }),
  }),
);
const program = fc.array(op, { minLength: 1, maxLength: 6 });
const crashes: fc.Arbitrary<Crash[]> = fc.array(
  fc.record({ write: fc.integer({ min: 1, max: 5 }), reached: fc.boolean() }),
  { maxLength: 8 },
);

/** Runs a program; `see` is told the place and the result of every call that was handed over. */
class Player {
  readonly effects = new Map<string, number>();
  readonly #task: FakeTask;
  readonly #see: (place: string, result: unknown) => void;

  constructor(task: FakeTask, see: (place: string, result: unknown) => void) {
    this.#task = task;
    this.#see = see;
  }

  async play(turn: Turn, ops: readonly Op[]): Promise<void> {
    for (const [index, one] of ops.entries()) {
      if (one.op !== 'parallel') await this.#simple(turn, one, `${index}`);
      else {
        await Promise.all(
          one.branches.map(async (branch, b) => {
            for (const [i, inner] of branch.entries()) await this.#simple(turn, inner, `${index}.${b}.${i}`);
          }),
        );
      }
    }
  }

  async #simple(turn: Turn, one: Simple, place: string): Promise<void> {
    switch (one.op) {
      case 'think':
        for (let i = 0; i < one.ticks; i++) await Promise.resolve();
        return;
      case 'step':
      case 'failing-step':
        return this.#see(
          place,
          await turn
            .step(place, () => this.#work(place, one), { tries: 1 })
            .catch((error: unknown) => (error instanceof StepError ? `failed: ${error.message}` : error)),
        );
      case 'ask':
        return this.#see(place, await turn.ask(place, { text: place }));
      case 'artifact':
        return this.#see(place, (await turn.artifact({ name: place, text: place })).artifactId);
      default:
        return this.#see(place, await turn[one.op]());
    }
  }

  /** Takes another time in every turn. */
  async #work(place: string, { op: kind, speed }: { op: string; speed: number }): Promise<string> {
    this.effects.set(place, (this.effects.get(place) ?? 0) + 1);
    for (let i = (speed * this.#task.turns) % 5; i > 0; i--) await settled();
    if (kind === 'failing-step') throw new Error(place);
    return `did ${place}`;
  }
}

function calls(ops: readonly Op[]): { place: string; op: Simple['op'] }[] {
  return ops.flatMap((one, index) =>
    one.op !== 'parallel'
      ? [{ place: `${index}`, op: one.op }]
      : one.branches.flatMap((branch, b) =>
          branch.map(({ op: kind }, i) => ({ place: `${index}.${b}.${i}`, op: kind })),
        ),
  );
}

async function run(ops: readonly Op[], deaths: readonly Crash[]): Promise<void> {
  const task = new FakeTask();
  /** Everything that any turn, dead or not, ever handed to the code. */
  const seen = new Map<string, unknown>();
  const last = new Map<string, unknown>();
  const player = new Player(task, (place, result) => {
    if (seen.has(place)) expect(result, place).toEqual(seen.get(place));
    seen.set(place, result);
    last.set(place, result);
  });
  const asks = calls(ops).filter(({ op: kind }) => kind === 'ask').length;
  for (let turn = 0; ; turn++) {
    expect(turn).toBeLessThanOrEqual(deaths.length + asks);
    last.clear();
    task.nowMs += 1_000;
    task.random = 1 / (turn + 2);
    const { left, ...more } = await task.turn((one) => player.play(one, ops), deaths[turn]);
    if (left === 'returned') break;
    expect(['asked', 'crashed'], JSON.stringify(more)).toContain(left);
    if (task.open) task.answer({ text: `answer to ${task.open.spec.name}` });
  }
  const made = calls(ops).filter(({ op: kind }) => kind !== 'think');
  expect([...last.keys()].sort()).toEqual(made.map(({ place }) => place).sort());
  for (const { place, op: kind } of made) {
    if (kind === 'step') expect(last.get(place)).toBe(`did ${place}`);
    if (kind === 'failing-step') expect(last.get(place)).toBe(`failed: ${place}`);
    if (kind === 'ask') expect(last.get(place)).toBe(`answer to ${place}`);
    if (kind.endsWith('step')) expect(player.effects.get(place)).toBeGreaterThanOrEqual(1);
  }
  const recordedOnce = made.filter(({ op: kind }) => kind !== 'ask').length;
  expect(new Set(task.recorded).size).toBe(task.recorded.length);
  expect(task.recorded.length).toBe(recordedOnce);
  expect(new Set(task.asked.map(({ name }) => name)).size).toBe(task.asked.length);
  expect(new Set(task.chunks.map(({ artifact }) => artifact.artifactId)).size).toBe(task.chunks.length);
}

describe('replay', () => {
  it('comes to the same results whatever dies', async () => {
    await fc.assert(fc.asyncProperty(program, crashes, run), { numRuns: 300 });
  }, 60_000);

  it('without a crash runs the effect of every step exactly once', async () => {
    await fc.assert(
      fc.asyncProperty(program, async (ops) => {
        const task = new FakeTask();
        const player = new Player(task, () => undefined);
        for (;;) {
          const { left } = await task.turn((turn) => player.play(turn, ops));
          if (left === 'returned') break;
          task.answer({ text: 'x' });
        }
        expect([...player.effects.values()].every((count) => count === 1)).toBe(true);
      }),
      { numRuns: 100 },
    );
  }, 60_000);
});
