/**
 * Takes secrets out of a message before anything records it. To a question with `writeOnly` properties only what is
 * known to be harmless is kept: the question id, and the declared other properties. Texts, files, metadata and unknown
 * properties may hold the secret under a wrong name, so they go.
 */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Message } from '../message.ts';
import type { Asked } from './asked.ts';
import { QUESTION_EXTENSION_URI } from './extension.ts';
import { ANSWER_BOUNDS, boundErrors } from './json-bounds.ts';
import type { Redacted } from './types.ts';

/** @param answer what the message was read as, if anything, without `questionId` */
export function redactAnswer(asked: Asked, message: Message, answer: JsonObject | undefined): Redacted {
  if (asked.secret.length === 0) return { message };
  return { message: withOnly(asked, message, harmless(asked, answer)), hidden: asked.secret };
}

/** The same for an accepted answer; `secret` holds what was taken out. */
export function redactAccepted(asked: Asked, message: Message, answer: JsonObject): Redacted {
  const taken = asked.secret.filter((name) => Object.hasOwn(answer, name));
  const redacted = redactAnswer(asked, message, answer);
  if (taken.length === 0) return redacted;
  return { ...redacted, secret: Object.fromEntries(taken.map((name) => [name, answer[name] as Json])) };
}

/** The reason of a decline is kept: it is meant to be read. */
export function redactDecline(asked: Asked, message: Message, reason: string | undefined): Redacted {
  if (asked.secret.length === 0) return { message };
  const decline = reason === undefined ? {} : { reason };
  return { message: withOnly(asked, message, { decline }), hidden: asked.secret };
}

function harmless({ schema, secret }: Asked, answer: JsonObject | undefined): JsonObject {
  if (!isJsonObject(answer) || boundErrors(answer, ANSWER_BOUNDS).length > 0) return {};
  const kept = Object.entries(answer).filter(([name]) => schema.root.properties.has(name) && !secret.includes(name));
  return Object.fromEntries(kept);
}

function withOnly({ open }: Asked, message: Message, kept: JsonObject): Message {
  const { messageId, contextId, taskId, role, extensions } = message;
  return {
    messageId,
    ...(contextId === undefined ? {} : { contextId }),
    ...(taskId === undefined ? {} : { taskId }),
    role,
    parts: [{ data: { questionId: open.questionId, ...kept }, mediaType: 'application/json' }],
    ...(extensions?.includes(QUESTION_EXTENSION_URI) ? { extensions: [QUESTION_EXTENSION_URI] } : {}),
  };
}
