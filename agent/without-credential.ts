/**
 * Takes a credential out of a text that is about to be recorded or logged: libraries quote what they were given, a
 * header, an address, a body. A net under the author's own care, no more: what was encoded is not found.
 */
import type { Json } from '../core/json.ts';

/** Shorter texts say nothing, and would only blot out words. */
const SHORTEST = 4;
/** Of what is looked through; far more than is recorded of it. */
const LONGEST = 10_000;

export function withoutCredential(text: string, credential: Json): string {
  return textsOf(credential).reduce((told, secret) => told.replaceAll(secret, '[credential]'), text.slice(0, LONGEST));
}

/** Longest first, so that nothing is left of one that holds another. */
function textsOf(credential: Json): readonly string[] {
  const texts: string[] = [];
  JSON.stringify(credential, (_name, value: unknown) => {
    if (typeof value === 'string' || typeof value === 'number') texts.push(String(value));
    return value;
  });
  return texts.filter(({ length }) => length >= SHORTEST).sort((a, b) => b.length - a.length);
}
