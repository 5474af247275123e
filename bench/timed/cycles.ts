/**
 * Whole cycles of two contenders, in turn about: who begins alternates, so that what the machine does beside it falls on
 * both. A ratio is that of one round; what is told is the median of the rounds.
 */
import { type Line, median, number, spreadOf } from '../line.ts';
import type { Told } from '../contender-process.ts';
import type { Running } from './contender-client.ts';

export const MANY = 32;

export interface Match {
  readonly what: string;
  readonly ours: Running;
  readonly theirs: Running;
  /** Of one round. */
  readonly cycles: number;
  readonly callers: number;
  readonly rounds: number;
  /**
   * Rounds before these that count for nothing, with many callers, whose cycles take less time. In turn about as well:
   * after some seconds without work V8 collects garbage, and drops code with it.
   */
  readonly warm: number;
  /** Garbage is collected before each round: V8 forgets code that was made for objects of which there are none just then. */
  readonly collect?: true;
  /** Names of the budgets of cycles per second, and of processor time. */
  readonly budgets?: { readonly wall?: string; readonly cpu?: string };
}

export async function match({
  what,
  ours,
  theirs,
  cycles,
  callers,
  rounds,
  warm,
  collect,
  budgets = {},
}: Match): Promise<readonly Line[]> {
  const asked = { cycles, callers, ...(collect ? { collect } : {}) };
  const told = new Map<Running, Told[]>([
    [ours, []],
    [theirs, []],
  ]);
  for (let round = -warm; round < rounds; round++) {
    for (const one of round % 2 === 0 ? [ours, theirs] : [theirs, ours]) {
      if (round < 0) await one.run({ cycles, callers: MANY });
      else told.get(one)?.push(await one.run(asked));
    }
  }
  const of = (one: Running, count: (told: Told) => number) => (told.get(one) ?? []).map(count);
  const line = (
    name: string,
    count: (told: Told) => number,
    unit: string,
    isBetter: 'more' | 'less',
    budget?: string,
  ) => {
    const [mine, other] = [of(ours, count), of(theirs, count)];
    const ratios = mine.map((value, at) => (isBetter === 'more' ? value / (other[at] ?? 0) : (other[at] ?? 0) / value));
    return {
      section: 'timed',
      what: `${what}: ${name}`,
      ours: `${number(median(mine))} ${unit}`,
      theirs: `${number(median(other))} ${unit}`,
      value: median(ratios),
      ratio: `${number(median(ratios))} x`,
      spread: spreadOf(ratios),
      ...(budget === undefined ? {} : { budget }),
    } satisfies Line;
  };
  const callersText = callers === 1 ? '1 caller' : `${callers} callers`;
  return [
    line(`cycles/s, ${callersText}`, ({ wallMs }) => (cycles * 1_000) / wallMs, '/s', 'more', budgets.wall),
    line(`CPU a cycle, ${callersText}`, ({ cpuMs }) => (cpuMs * 1_000) / cycles, 'us', 'less', budgets.cpu),
  ];
}
