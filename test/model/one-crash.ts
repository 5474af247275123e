/** A world that runs by itself until nothing is left to run, with one crash at one gate on the way. */
import { disturbance } from './scheduler.ts';
import type { World } from './world.ts';

/** dies: at once and for ever. freezes: comes back when all is over. fails: is throttled, or loses the answer. */
export type Crash = 'dies' | 'freezes' | 'fails';

export interface Ran {
  /** How many gates were passed: places where the crash could have been. */
  readonly gates: number;
  /** Where it was, for messages; empty: nowhere. */
  readonly where: string;
}

/** @param at the number of the gate, from 1; 0: no crash */
export async function runWithCrash(world: World, at: number, how: Crash): Promise<Ran> {
  let gates = 0;
  let where = '';
  for (;;) {
    for (let [gate] = world.scheduler.ready(); gate; [gate] = world.scheduler.ready()) {
      if (++gates !== at) {
        await world.scheduler.open(gate);
        continue;
      }
      where = `${gate.actor.name}: ${gate.place} ${gate.label} (${how})`;
      if (how === 'fails' && gate.place !== 'sleep') await world.scheduler.open(gate, disturbance(gate));
      else if (how === 'dies') world.scheduler.kill(gate.actor);
      else gate.actor.status = 'frozen';
      if (gate.actor.kind === 'worker' && how !== 'fails') world.unacknowledged.clear();
    }
    const [index] = world.deliverable();
    if (index === undefined) return { gates, where };
    const worker = await world.deliver(index);
    if (worker.status === 'live') world.unacknowledged.delete(index);
  }
}
