/** JSON as text: of whatever an agent may have sent, and for whatever terminal. */
import { AgentMisbehavedError } from './errors.ts';

/** What JSON leaves as it is and a terminal does not: C1 controls, line separators, marks of direction, the invisible. */
const UNSEEN_IN_JSON = /[\u007f-\u009f\u2028\u2029]|\p{Cf}/gu;

/**
 * JSON in one line with the same value, and nothing in it that a terminal takes for more than text.
 * @throws AgentMisbehavedError for what is nested so deeply that it cannot be written
 */
export function plainJson(value: unknown): string {
  return jsonText(value).replace(UNSEEN_IN_JSON, (found) =>
    Array.from({ length: found.length }, (_, n) => `\\u${found.charCodeAt(n).toString(16).padStart(4, '0')}`).join(''),
  );
}

/** As `JSON.stringify`, which runs out of stack on what `JSON.parse` takes. */
export function jsonText(value: unknown, space?: number): string {
  try {
    return JSON.stringify(value, null, space);
  } catch (cause) {
    throw new AgentMisbehavedError('the agent sent data that is nested too deeply', { cause });
  }
}
