/**
 * Asking: opens the question and ends the turn, or takes from the record what became of it. What the core does with
 * question and answer is in core/question and core/transition.
 */
import { AgentFault } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import type { RecordedOutcome } from '../core/turn-host.ts';
import type { AskSpec } from '../core/question/types.ts';
import { unreachable } from '../core/unreachable.ts';
import { accept, acceptDefault, asGiven, type Given, type Verdict } from './accept.ts';
import { DeclinedError, ExpiredError } from './errors.ts';
import { type AskOptions, askSpec } from './question.ts';
import type { Call, Outcome, Replay } from './replay.ts';
import type { AnswerSchema } from './schema.ts';

/** What became of a question. A default at expiry is never shown as a caller's answer. */
export type AskResult<T> =
  | { readonly outcome: 'answered'; readonly value: T }
  | { readonly outcome: 'declined'; readonly reason?: string }
  | { readonly outcome: 'expired' }
  | { readonly outcome: 'defaulted'; readonly value: T };

/** How one ask is opened and its answer taken. */
export interface AskPlan {
  spec(): AskSpec;
  /** What the API accepted is what the code gets: no code of the author's stands between. */
  readonly asGiven?: (given: Given) => Json | undefined;
  accept(given: Given): Promise<Verdict>;
  acceptDefault(value: Json): Promise<Json>;
}

export function planOf(name: string, options: AskOptions<AnswerSchema | undefined>): AskPlan {
  return {
    spec: () => askSpec(name, options),
    asGiven: (given) => asGiven(options, given),
    accept: (given) => accept(name, options, given),
    acceptDefault: (value) => acceptDefault(name, options.schema, value),
  };
}

/** The value, or DeclinedError or ExpiredError. */
export function ask<T>(replay: Replay, name: string, plan: AskPlan): Promise<T> {
  return replay.call<T>('ask', name, 'in order', async (call) =>
    valueOrError(name, await resolveAsk<T>(replay, call, plan)),
  );
}

export function tryAsk<T>(replay: Replay, name: string, plan: AskPlan): Promise<AskResult<T>> {
  return replay.call<AskResult<T>>('ask', name, 'in order', (call) => resolveAsk<T>(replay, call, plan));
}

export async function resolveAsk<T>(replay: Replay, call: Call, plan: AskPlan): Promise<Outcome<AskResult<T>>> {
  const { recorded } = call;
  if (!recorded) {
    const spec = plan.spec();
    if (spec.onExpire?.then === 'default') {
      // What a library's schema would find wrong with the default at its expiry, it finds now.
      const { value } = spec.onExpire;
      const tried = await ofAuthor(() => replay.inside(call, () => plan.acceptDefault(value)));
      if ('thrown' in tried) return tried;
    }
    return replay.pause(() => replay.host.ask(call.n, spec));
  }
  if (recorded.kind !== 'ask') throw new AgentFault('CODE_CHANGED', `call ${call.n} holds no answer`);
  if ('checked' in recorded) return answered<T>(recorded.checked);
  const { outcome } = recorded;
  switch (outcome.outcome) {
    case 'declined':
      return { value: { outcome: 'declined', ...(outcome.reason === undefined ? {} : { reason: outcome.reason }) } };
    case 'expired':
      return { value: { outcome: 'expired' } };
    case 'defaulted': {
      const { value } = outcome;
      const result = await ofAuthor(() => replay.inside(call, () => plan.acceptDefault(value)));
      return 'thrown' in result ? result : { value: { outcome: 'defaulted', value: result.value as T } };
    }
    case 'answered':
      return takeAnswer<T>(replay, call, plan, outcome);
    default:
      return unreachable('outcome', outcome);
  }
}

export function valueOrError<T>(name: string, done: Outcome<AskResult<T>>): Outcome<T> {
  if (done === 'gone' || 'thrown' in done) return done;
  const { value: result } = done;
  switch (result.outcome) {
    case 'answered':
    case 'defaulted':
      return { value: result.value };
    case 'declined':
      return { thrown: new DeclinedError(name, result.reason) };
    case 'expired':
      return { thrown: new ExpiredError(name) };
    default:
      return unreachable('outcome', result);
  }
}

async function takeAnswer<T>(
  replay: Replay,
  call: Call,
  plan: AskPlan,
  given: Extract<RecordedOutcome, { outcome: 'answered' }>,
): Promise<Outcome<AskResult<T>>> {
  const plain = plan.asGiven?.(given);
  if (plain !== undefined) return answered<T>(plain);
  const judged = await ofAuthor(() => replay.inside(call, () => plan.accept(given)));
  if ('thrown' in judged) return judged;
  const verdict = judged.value;
  if ('errors' in verdict) return replay.pause(() => replay.host.reask(call.n, verdict.errors));
  if (!verdict.keep) return answered<T>(verdict.value);
  const stands = await replay.record(call, { ok: verdict.value });
  return answered<T>('checked' in stands ? stands.checked : verdict.value);
}

function answered<T>(value: Json): Outcome<AskResult<T>> {
  return { value: { outcome: 'answered', value: value as T } };
}

/** Runs author's code: what it throws is for the author, except a fault. */
async function ofAuthor<T>(run: () => Promise<T>): Promise<{ readonly value: T } | { readonly thrown: unknown }> {
  try {
    return { value: await run() };
  } catch (error) {
    if (error instanceof AgentFault) throw error;
    return { thrown: error };
  }
}
