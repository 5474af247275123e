/**
 * The answering rule: what a message to an asking task means. It decides and changes nothing; the operation turns the
 * result into a command. See docs/question-extension.md for the rule as callers read it.
 */
import { isJsonObject, type Json, jsonBytes, type JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import type { Message } from '../message.ts';
import type { OpenAsk } from '../task.ts';
import { unreachable } from '../unreachable.ts';
import { type Asked, askedBy } from './asked.ts';
import { ANSWER_BOUNDS, boundErrors } from './json-bounds.ts';
import { type Judgement, judgeAnswer } from './judge-answer.ts';
import { type Reading, readAnswer, readData } from './read-answer.ts';
import { readText } from './read-text.ts';
import { redactAccepted, redactAnswer, redactDecline } from './redact.ts';
import type { AnswerError, Interpretation } from './types.ts';

/**
 * @param open the open question as the head has it
 * @param question its status message
 * @param answer the caller's message; any JSON in its parts is possible
 */
export function interpretAnswer(open: OpenAsk, question: Message, answer: Message): Interpretation {
  const asked = askedBy(open, question);
  return interpret(asked, answer, readAnswer(open, answer));
}

function interpret(asked: Asked, message: Message, reading: Reading): Interpretation {
  switch (reading.kind) {
    case 'other-question':
      return reading;
    case 'unreadable':
      return invalid(asked, message, undefined, { errors: [reading.error] });
    case 'decline':
      return decline(asked, message, reading.decline, reading.rest);
    case 'answer':
      return decide(asked, message, reading.answer, judgeAnswer(asked, reading.answer));
    case 'text':
      return text(asked, message, reading.text);
    default:
      return unreachable('reading', reading);
  }
}

function text(asked: Asked, message: Message, given: string): Interpretation {
  const reading = readText(asked, given);
  switch (reading.kind) {
    case 'data':
      return interpret(asked, message, readData(asked.open, reading.data));
    case 'judged':
      return decide(asked, message, reading.answer, reading.judgement);
    case 'text':
      return reading;
    case 'unreadable':
      return invalid(asked, message, undefined, { errors: [reading.error] });
    default:
      return unreachable('reading', reading);
  }
}

function decide(asked: Asked, message: Message, answer: JsonObject, judgement: Judgement): Interpretation {
  if (judgement.errors.length > 0) return invalid(asked, message, answer, judgement);
  const value = asked.open.wrapped ? (answer.value as Json) : answer;
  return { kind: 'answer', value, redacted: redactAccepted(asked, message, answer) };
}

/** A declined answer never looks like one: whoever sends both is asked again. */
function decline(asked: Asked, message: Message, given: Json, rest: JsonObject): Interpretation {
  const error = declineError(given, rest);
  if (error) return invalid(asked, message, undefined, { errors: [error] });
  const reason = isJsonObject(given) && typeof given.reason === 'string' ? given.reason : undefined;
  const redacted = redactDecline(asked, message, reason);
  return reason === undefined
    ? { kind: 'decline', redacted }
    : { kind: 'decline', reason: cutToBytes(reason, limits.declineReasonBytes), redacted };
}

function declineError(given: Json, rest: JsonObject): AnswerError | undefined {
  if (!isJsonObject(given)) return { pointer: '/decline', message: 'expected an object with an optional reason' };
  const [outOfBounds] = boundErrors(given, ANSWER_BOUNDS);
  if (outOfBounds) return { pointer: '/decline', message: outOfBounds.message };
  if (given.reason !== undefined && given.reason !== null && typeof given.reason !== 'string') {
    return { pointer: '/decline/reason', message: 'expected a string' };
  }
  return Object.keys(rest).length === 0
    ? undefined
    : { pointer: '/decline', message: 'a declined answer has no other properties' };
}

/** As much of a text as has at most so many bytes in JSON, in whole characters. */
export function cutToBytes(given: string, bytes: number): string {
  let kept = '';
  let size = 0;
  for (const char of given) {
    size += jsonBytes(char) - 2;
    if (size > bytes) return kept;
    kept += char;
  }
  return kept;
}

function invalid(
  asked: Asked,
  message: Message,
  answer: JsonObject | undefined,
  { errors, prefill }: Judgement,
): Interpretation {
  const redacted = redactAnswer(asked, message, answer);
  return prefill ? { kind: 'invalid', errors, prefill, redacted } : { kind: 'invalid', errors, redacted };
}
