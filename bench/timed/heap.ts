/** Growth of the heap for each task that waits (design, section 5, invariant 4): the store lies in another process. */
import { type Line, number } from '../line.ts';
import type { Running } from './contender-client.ts';

const CALLERS = 16;

export interface HeapOptions {
  readonly ours: Running;
  readonly theirs: Running;
  readonly waiting: number;
}

/** Some come first, so that what grows is not the code. The peer has a fifth of them: it makes more calls for each. */
export async function heapLines({ ours, theirs, waiting }: HeapOptions): Promise<readonly Line[]> {
  const growth = async (one: Running, many: number) => {
    const before = await one.run({ waiting: Math.ceil(waiting / 10), callers: CALLERS });
    const after = await one.run({ waiting: many, callers: CALLERS });
    return (after.heapBytes - before.heapBytes) / many;
  };
  // Nothing is timed here, so they may run beside each other.
  const [mine, other] = await Promise.all([growth(ours, waiting), growth(theirs, Math.ceil(waiting / 5))]);
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
