/**
 * An answer that may take longer than a silent connection lives. White space in front of JSON means nothing, so a blank
 * now and then keeps the connection, from the time on when nothing can be refused any more: once a byte has left, so has
 * the status. Needs a response that streams.
 */
import { limits } from '../limits.ts';
import type { Clock } from '../ports.ts';
import type { Call, WireResult } from './operations.ts';

/** Undefined: not yet. The answer comes last, and once. */
export type LateAnswer = AsyncIterable<object | undefined>;

/**
 * @param run calls `accepted` once nothing can be refused any more; until then there is all the time it takes
 */
export async function answerLate(
  { deps, facts }: Call,
  run: (accepted: () => void) => Promise<object>,
): Promise<WireResult> {
  if (!facts.streaming) return { json: await run(() => undefined) };
  let accept = () => {};
  const accepted = new Promise<void>((resolve) => {
    accept = resolve;
  });
  const answer = run(accept);
  const inTime = await soon(deps.clock, answer, accepted);
  return inTime === undefined ? { late: late(deps.clock, answer) } : { json: inTime };
}

async function* late(clock: Clock, answer: Promise<object>): LateAnswer & AsyncGenerator<object | undefined> {
  for (let arrived: object | undefined; ; arrived = await soon(clock, answer)) {
    yield arrived;
    if (arrived !== undefined) return;
  }
}

/** The answer, if it comes before the time to send a blank. */
async function soon(
  clock: Clock,
  answer: Promise<object>,
  accepted: Promise<void> = Promise.resolve(),
): Promise<object | undefined> {
  const over = new AbortController();
  const time = Promise.all([accepted, clock.sleep(limits.keepAliveMs, over.signal)]).then(() => undefined);
  try {
    return await Promise.race([answer, time]);
  } finally {
    over.abort();
  }
}

/** @param failure what to send of an error that came late; may throw, which cuts the connection */
export async function* encodeLate(
  answer: LateAnswer,
  encode: (json: object) => string,
  failure: (error: unknown) => string,
): AsyncGenerator<string> {
  try {
    for await (const part of answer) yield part === undefined ? ' ' : encode(part);
  } catch (error) {
    yield failure(error);
  }
}
