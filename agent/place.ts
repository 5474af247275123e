/**
 * Where in the author's code a call was made. A fault that is found while the call is done, after waiting, has a stack of
 * this library alone, which helps no author.
 */
import { AgentFault } from '../core/errors.ts';

export interface Place {
  readonly stack?: string;
}

/** Without `callee` and what it calls. Some 20 microseconds, so not for every call. */
export function placeOf(callee: (...args: never[]) => unknown): Place {
  const place: Place = {};
  Error.captureStackTrace(place, callee);
  return place;
}

/** The same error; a fault then has the stack of the place. */
export function madeAt(error: unknown, { stack = '' }: Place): unknown {
  const frames = stack.indexOf('\n    at ');
  if (error instanceof AgentFault && frames >= 0) error.stack = `${error.name}: ${error.message}${stack.slice(frames)}`;
  return error;
}
