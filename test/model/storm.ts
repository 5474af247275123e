/** A world in which things have happened, until nothing is left to be done in it. */
import { FIRST, request } from './callers.ts';
import { heal } from './heal.ts';
import { Callers, type Happening, happen, thaw } from './schedule.ts';
import { World } from './world.ts';

/** @param zombies when the workers that seemed to be gone come back: before the world has healed, or not yet */
export async function afterStorm(
  make: ConstructorParameters<typeof World>[0],
  storm: readonly Happening[],
  zombies: 'early' | 'late',
): Promise<World> {
  const world = new World(make);
  const callers = new Callers();
  await world.send(request(FIRST));
  for (const what of storm) await happen(world, callers, what);
  if (world.taskId === undefined) await world.send(request(FIRST));
  if (zombies === 'early') thawAll(world);
  await heal(world);
  return world;
}

export function thawAll(world: World): void {
  while (world.scheduler.actors.some(({ status }) => status === 'frozen')) thaw(world, 0);
}
