/** Everybody's steps in a random order that a seed repeats. */
import type { World } from './world.ts';

/** A small repeatable source of numbers below `n`. */
export function dice(seed: number): (n: number) => number {
  let state = (seed * 2_654_435_761) >>> 0;
  return (n) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return (state >>> 8) % n;
  };
}

/** Opens gates in a random order until nobody stands at one; `between` happens before some of them. */
export async function mingle(world: World, seed: number, between: () => void = () => undefined): Promise<void> {
  const roll = dice(seed);
  for (let ready = world.scheduler.ready(); ready.length > 0; ready = world.scheduler.ready()) {
    if (roll(6) === 0) between();
    await world.scheduler.open(ready[roll(ready.length)] as (typeof ready)[number]);
  }
  between();
}
