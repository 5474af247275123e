/** Ids of random bits, drawn many at a time: to draw is what takes time. */
import { randomFillSync } from 'node:crypto';

const DRAWN_AT_ONCE = 64;

/** Gives another id of so many bytes with each call, in base64url. */
export function randomIds(bytes: number): () => string {
  const drawn = Buffer.alloc(DRAWN_AT_ONCE * bytes);
  let at = drawn.length;
  return () => {
    if (at === drawn.length) {
      randomFillSync(drawn);
      at = 0;
    }
    at += bytes;
    return drawn.toString('base64url', at - bytes, at);
  };
}
