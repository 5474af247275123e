/** Asks the resolvers in order and believes none: what goes out has been checked against the question. */
import { isJsonObject } from '../core/json.ts';
import type { Reply } from './answer-message.ts';
import { type CheckedAnswer, checkAnswer, checkText } from './check-answer.ts';
import type { AnswerError, OpenQuestion, Question, Resolution, Resolver, ResolverContext } from './types.ts';

export type Resolved = Reply | 'pass' | 'detach';

/** `pass` when nobody had an answer that fits. @throws what a resolver throws */
export async function resolve(
  question: OpenQuestion,
  resolvers: readonly Resolver[],
  context: ResolverContext,
): Promise<Resolved> {
  for (const resolver of resolvers) {
    const said = await resolver(question, context);
    if (context.signal.aborted) return 'pass';
    if (said === 'detach') return said;
    const reply = said === 'pass' ? undefined : replyTo(question, said);
    if (reply?.ok) return reply.reply;
  }
  return 'pass';
}

export type Fitting =
  | { readonly ok: true; readonly reply: Reply }
  | { readonly ok: false; readonly errors: readonly AnswerError[] };

/** What a resolution becomes on the wire, or why it cannot. */
export function replyTo(question: OpenQuestion, said: Exclude<Resolution, string>): Fitting {
  if (!isJsonObject(said)) return wrong('expected an answer, words or a decline');
  if ('decline' in said) return decline(said.decline);
  if (question.kind === 'question') return inData(question, said);
  if (!('text' in said)) return wrong('expected words: the agent reads no data');
  return said.text.trim() === '' ? wrong('expected words') : { ok: true, reply: { text: said.text } };
}

function decline({ reason }: { readonly reason?: string }): Fitting {
  return { ok: true, reply: { decline: reason === undefined ? {} : { reason } } };
}

function inData(question: Question, said: { answer: Question['schema'] } | { text: string }): Fitting {
  const checked: CheckedAnswer = 'text' in said ? checkText(question, said.text) : checkAnswer(question, said.answer);
  return checked.ok ? { ok: true, reply: { answer: checked.answer } } : { ok: false, errors: checked.errors };
}

function wrong(message: string): Fitting {
  return { ok: false, errors: [{ pointer: '', message }] };
}
