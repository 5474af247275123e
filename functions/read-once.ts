/** What is read at its first use in a container and then kept: keys that lie in Secrets Manager. */

/** All who come while it is being read wait for the same answer; one that failed is not kept. */
export function readOnce<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return async () => {
    reading ??= read();
    const mine = reading;
    return mine.catch((error: unknown) => {
      if (reading === mine) reading = undefined;
      throw error;
    });
  };
}
