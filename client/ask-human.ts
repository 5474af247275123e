/** The last source: a person, by whatever means the caller has. An answer that does not fit is asked for again here. */
import type { JsonObject } from '../core/json.ts';
import { checkAnswer, checkText } from './check-answer.ts';
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
      const checked = check(question, said);
      if (checked.ok) return said;
      ({ errors, prefill } = checked);
    }
    return 'pass';
  };
}

type Checked = { ok: true } | { ok: false; errors: readonly AnswerError[]; prefill: JsonObject | undefined };

function check(question: OpenQuestion, said: Resolution): Checked {
  if (typeof said === 'string' || 'decline' in said) return { ok: true };
  if (question.kind === 'free-text') {
    if ('text' in said && said.text.trim() !== '') return { ok: true };
    return { ok: false, errors: [{ pointer: '', message: 'expected words' }], prefill: undefined };
  }
  const checked = 'text' in said ? checkText(question, said.text) : checkAnswer(question, said.answer);
  return checked.ok ? checked : { ok: false, errors: checked.errors, prefill: checked.prefill };
}
