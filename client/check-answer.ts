/**
 * Checks an answer before it is sent, by the agent's own rules (core/question): what passes here is not asked again
 * for its form. Sends nothing.
 */
import type { JsonObject } from '../core/json.ts';
import { type Asked, askedFor } from '../core/question/asked.ts';
import { judgeAnswer } from '../core/question/judge-answer.ts';
import type { Choices } from '../core/question/options.ts';
import { readText } from '../core/question/read-text.ts';
import { prepare } from '../core/question/validate.ts';
import { cleanLine } from '../core/clean-text.ts';
import type { AnswerError, Question } from './types.ts';

export type CheckedAnswer =
  | { readonly ok: true; readonly answer: JsonObject }
  /** Messages are cleaned; `prefill` are the properties that were right, never secret ones. */
  | { readonly ok: false; readonly errors: readonly AnswerError[]; readonly prefill?: JsonObject };

/**
 * Whether the question's schema and options accept the answer. Ends within 250 ms whatever the schema is.
 * @param answer the answer's properties, without `questionId`
 */
export function checkAnswer(question: Question, answer: JsonObject): CheckedAnswer {
  // Reserved by the extension: whatever else stands beside it, the agent would take it for a refusal.
  if (Object.hasOwn(answer, 'decline')) return refused('an answer has no property "decline"; decline by itself');
  return verdict(answer, judgeAnswer(askedBy(question), answer));
}

/** The same for words: an option's value or label, a JSON object, or any text where one string is asked for. */
export function checkText(question: Question, text: string): CheckedAnswer {
  const reading = readText(askedBy(question), text);
  switch (reading.kind) {
    case 'judged':
      return verdict(reading.answer, reading.judgement);
    case 'data': {
      const { questionId, decline: _decline, ...answer } = reading.data;
      return questionId === undefined || questionId === question.questionId
        ? checkAnswer(question, answer)
        : refused('the text names another question');
    }
    case 'text':
      return refused('the text cannot be read as an answer');
    case 'unreadable':
      return { ok: false, errors: [cleaned(reading.error)] };
  }
}

function refused(message: string): CheckedAnswer {
  return { ok: false, errors: [{ pointer: '', message }] };
}

function verdict(answer: JsonObject, judgement: ReturnType<typeof judgeAnswer>): CheckedAnswer {
  if (judgement.errors.length === 0) return { ok: true, answer };
  const errors = judgement.errors.map(cleaned);
  return judgement.prefill ? { ok: false, errors, prefill: judgement.prefill } : { ok: false, errors };
}

/** Errors quote the schema, and with it the stranger who wrote it. */
function cleaned({ pointer, message }: AnswerError): AnswerError {
  return { pointer, message: cleanLine(message) };
}

/** What the rules want to know of an open question; nothing of it is more than the question itself says. */
function askedBy(question: Question): Asked {
  const { schema, fields, questionId, allowOther } = question;
  const choices: Choices = new Map(
    fields.filter(({ options }) => options.length > 0).map(({ name, options }) => [name, options]),
  );
  return askedFor({ questionId, ...(allowOther ? { allowOther } : {}) }, prepare(schema), choices);
}
