/** A small map that forgets what was used longest ago. */
export interface Lru<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
}

export function lru<V>(size: number): Lru<V> {
  const entries = new Map<string, V>();
  let newest: { readonly key: string; readonly value: V } | undefined;
  return {
    get(key) {
      // The same again is found without hashing a long key, and is where it belongs.
      if (newest?.key === key) return newest.value;
      const value = entries.get(key);
      if (value === undefined) return undefined;
      newest = { key, value };
      // A Map keeps insertion order: what is used moves to the end.
      entries.delete(key);
      entries.set(key, value);
      return value;
    },
    set(key, value) {
      newest = { key, value };
      entries.delete(key);
      entries.set(key, value);
      for (const oldest of entries.keys()) {
        if (entries.size <= size) break;
        entries.delete(oldest);
      }
    },
  };
}
