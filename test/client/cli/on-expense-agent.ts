/** The program in a world of its own, beside a running expense agent; both new for every test. */
import { afterEach, beforeEach } from 'vitest';
import { openTarget, type Target } from '../../e2e/support/target.ts';
import { FakeWorld, type Ran } from './fake-world.ts';

export const RECEIPT = 'File my taxi receipt from Tuesday, 42 euros';

/** To be called once at the top of a file; its fields are there while a test runs. */
export function onExpenseAgent(): { target: Target; world: FakeWorld } {
  const place = {} as { target: Target; world: FakeWorld };
  beforeEach(async () => {
    place.target = await openTarget();
    place.world = await FakeWorld.open();
  });
  afterEach(async () => {
    await place.target.stop();
    await place.world.close();
  });
  return place;
}

/** The last object on standard output. */
export function last({ objects }: Ran): Record<string, unknown> {
  return objects.at(-1) as Record<string, unknown>;
}
