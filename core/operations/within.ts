/** A limit on how long somebody else's code may take. */
import type { Clock } from '../ports.ts';

/**
 * What `work` comes to, unless `ms` are over first: then it goes on unheard, and what `late` makes is thrown.
 * @param ms milliseconds
 */
export function within<T>(clock: Pick<Clock, 'after'>, ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => reject(late()));
    work.finally(cancel).then(resolve, reject);
  });
}
