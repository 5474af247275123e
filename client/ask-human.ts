/** The last source: a person, by whatever means the caller has. An answer that does not fit is asked for again here. */
import type { JsonObject } from '../core/json.ts';
import { replyTo } from './resolve.ts';
import type { AnswerError, OpenQuestion, Resolution, Resolver } from './types.ts';

export interface AskHumanContext {
  /** Aborted when the question is settled elsewhere: take the prompt away. */
  readonly signal: AbortSignal;
  /** What was wrong with what the person said last; on a re-ask of the agent's, what the agent found wrong. */
  readonly errors: readonly AnswerError[];
  /** What of it was right. */
  readonly prefill?: JsonObject;
}

/** Shows the question and gives back what the person says; `detach` when nobody is there. */
export type Ask = (question: OpenQuestion, context: AskHumanContext) => Resolution | Promise<Resolution>;

/**
 * @param tries how often a person may be asked again for one question before it counts as `pass`; default 5
 * @example
 * askHuman(async (question) => ({ text: await prompt(`${question.agent.name} asks: ${question.text} `) }))
 */
export function askHuman(ask: Ask, tries = 5): Resolver {
  return async (question, { signal }) => {
    let errors = question.kind === 'question' ? question.errors : [];
    let prefill = question.kind === 'question' ? question.prefill : undefined;
    for (let n = 0; n < tries && !signal.aborted; n += 1) {
      const said = await ask(question, { signal, errors, ...(prefill ? { prefill } : {}) });
      if (typeof said === 'string') return said;
      const fitting = replyTo(question, said);
      if (fitting.ok) return said;
      ({ errors, prefill } = fitting);
    }
    return 'pass';
  };
}
