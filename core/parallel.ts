/** The same work on many things, a few at a time: what a store or a worker can carry at once is bounded. */
const AT_A_TIME = 8;

/** The results in the order of `items`. Rejects with the first failure; what is left of the work goes on meanwhile. */
export async function inParallel<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  if (items.length < 2) return items.length === 0 ? [] : [await run(items[0] as T)];
  const results: R[] = new Array(items.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) results[at] = await run(items[at] as T);
  };
  await Promise.all(Array.from({ length: Math.min(AT_A_TIME, items.length) }, worker));
  return results;
}
