/** Growth of the heap for each task that waits (design, section 5, invariant 4): the store lies in another process. */
import { type Line, number } from '../line.ts';
import type { Running } from './contender-client.ts';

const CALLERS = 16;

export interface HeapOptions {
  readonly ours: Running;
  readonly theirs: Running;
  readonly waiting: number;
}

/** A tenth of them come first, so that what grows is not the code. */
export async function heapLines({ ours, theirs, waiting }: HeapOptions): Promise<readonly Line[]> {
  const growth = async (one: Running) => {
    const before = await one.run({ waiting: Math.ceil(waiting / 10), callers: CALLERS });
    const after = await one.run({ waiting, callers: CALLERS });
    return (after.heapBytes - before.heapBytes) / waiting;
  };
  // Nothing is timed here, so they may run beside each other.
  const [mine, other] = await Promise.all([growth(ours), growth(theirs)]);
  return [
    {
      section: 'timed',
      what: `heap for each of ${number(waiting)} tasks that wait`,
      ours: `${number(Math.round(mine))} bytes`,
      theirs: `${number(Math.round(other))} bytes`,
      value: mine,
      budget: 'heap.waiting',
    },
  ];
}
