/**
 * The deployment's secret key as its users take it: bytes at hand, or a way to read them when they are needed first.
 * Where they are read from is for functions/key-settings.ts to say.
 */

/** 32 bytes, or what reads them; a reader keeps what it has read. */
export type SecretKey = Uint8Array | (() => Promise<Uint8Array>);

const KEY_BYTES = 32;

/** @throws Error when the key has not 32 bytes */
export function checkedKey(key: Uint8Array): Uint8Array {
  if (key.length !== KEY_BYTES) throw new Error(`the secret key must have ${KEY_BYTES} bytes, not ${key.length}`);
  return key;
}
