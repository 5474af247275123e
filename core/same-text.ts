/** Comparing codes and signatures with what was expected. */
import { timingSafeEqual } from 'node:crypto';

/** Takes the same time wherever the two differ. */
export function sameText(a: string, b: string): boolean {
  const [bytesA, bytesB] = [Buffer.from(a), Buffer.from(b)];
  return bytesA.length === bytesB.length && timingSafeEqual(bytesA, bytesB);
}
