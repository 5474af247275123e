/** Asks the resolvers in order and believes none: what goes out has been checked against the question. */
import { isJsonObject, type JsonObject } from '../core/json.ts';
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
    const reply = typeof said === 'string' ? undefined : replyTo(question, said);
    if (reply?.ok) return reply.reply;
  }
  return 'pass';
}

export type Fitting =
  | { readonly ok: true; readonly reply: Reply }
  | { readonly ok: false; readonly errors: readonly AnswerError[]; readonly prefill?: JsonObject };

/** What a resolution becomes on the wire, or why it cannot. */
export function replyTo(question: OpenQuestion, said: Exclude<Resolution, string>): Fitting {
  if (!isJsonObject(said)) return wrong('expected an answer, words or a decline');
  if ('decline' in said) return decline(said.decline);
  if (question.kind === 'question') return inData(question, said);
  return 'text' in said ? inWords(said.text) : wrong('expected words: the agent reads no data');
}

/** Resolvers are not always written in TypeScript. */
function decline(given: unknown): Fitting {
  if (!isJsonObject(given)) return wrong('expected a decline as an object with an optional reason');
  const { reason } = given;
  if (reason !== undefined && typeof reason !== 'string') return wrong('expected a text as the reason of the decline');
  return { ok: true, reply: { decline: reason === undefined ? {} : { reason } } };
}

function inWords(text: unknown): Fitting {
  return typeof text !== 'string' || text.trim() === '' ? wrong('expected words') : { ok: true, reply: { text } };
}

function inData(question: Question, said: { answer?: unknown } | { text: string; asIs?: boolean }): Fitting {
  if ('text' in said) {
    const words = inWords(said.text);
    if (said.asIs || !words.ok) return words;
    return fitting(checkText(question, said.text));
  }
  if (!isJsonObject(said.answer)) return wrong('expected an answer as an object');
  return fitting(checkAnswer(question, said.answer));
}

function fitting(checked: CheckedAnswer): Fitting {
  return checked.ok ? { ok: true, reply: { answer: checked.answer } } : checked;
}

function wrong(message: string): Fitting {
  return { ok: false, errors: [{ pointer: '', message }] };
}
