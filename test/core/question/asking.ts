/** Asks a question and answers it, as the tests of this folder need it. */
import type { Json, JsonObject } from '../../../core/json.ts';
import type { Message, Part } from '../../../core/message.ts';
import { interpretAnswer } from '../../../core/question/interpret-answer.ts';
import { openQuestion } from '../../../core/question/open-question.ts';
import type { AskPlace, AskSpec, Interpretation, OpenedQuestion } from '../../../core/question/types.ts';

/** 2026-11-30T09:00:00.000Z */
export const NOW = 1_796_029_200_000;

export const place: AskPlace = {
  taskId: 'abcdefghijklmnopqrstuvwxyz',
  contextId: 'ctx-1',
  call: 3,
  ask: 1,
  question: 1,
  nowMs: NOW,
};

export const QUESTION_ID = 'q-abcdefghijklmnop-1';

export const costCentreSchema: JsonObject = {
  type: 'object',
  properties: { costCentre: { type: 'string', pattern: '^CC-[0-9]{4}$' } },
  required: ['costCentre'],
};

export const costCentre: AskSpec = {
  name: 'cost-centre',
  text: 'Which cost centre should this expense be charged to?',
  schema: costCentreSchema,
  options: ['CC-4410', 'CC-4420'],
};

/** Asks for two things, so that a text alone cannot answer it. */
export const trip: JsonObject = {
  type: 'object',
  properties: {
    city: { type: 'string', minLength: 2 },
    days: { type: 'integer', maximum: 30 },
    note: { type: 'string' },
  },
  required: ['city', 'days'],
};

export function asking(spec: Partial<AskSpec>): OpenedQuestion {
  return openQuestion({ name: 'it', text: 'What is it?', ...spec }, place);
}

export function message(...parts: readonly Part[]): Message {
  return { messageId: 'm-2', taskId: place.taskId, contextId: place.contextId, role: 'ROLE_USER', parts };
}

export function interpret(spec: Partial<AskSpec>, ...parts: readonly Part[]): Interpretation {
  const opened = asking(spec);
  return interpretAnswer(opened.ask, opened.message, message(...parts));
}

/** A data part that names the open question. */
export function answer(properties: JsonObject): Part {
  return { data: { questionId: QUESTION_ID, ...properties }, mediaType: 'application/json' };
}

/** The value of an accepted answer; what else the message was, otherwise. */
export function outcomeOf(meaning: Interpretation): Json {
  if (meaning.kind === 'answer') return meaning.value;
  return meaning.kind === 'invalid' ? { invalid: meaning.errors as unknown as Json } : { kind: meaning.kind };
}
