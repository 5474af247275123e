/** Questions for tests of the page, from the little that each is about. */
import type { Json, JsonObject } from '../../core/json.ts';
import type { Message, Task } from '../../core/message.ts';
import { type OpenQuestion, openQuestion } from '../../inbox/question.ts';

export const URI = 'https://askback.dev/a2a/extensions/question/v1';

export function asks(schema: JsonObject, more: JsonObject = {}): OpenQuestion {
  const question = openQuestion(asking({ answerSchema: schema, ...more }));
  if (!question) throw new Error('the task asks nothing');
  return question;
}

export function asking(data: JsonObject, parts: Message['parts'] = [{ text: 'Which one?' }]): Task {
  const asked: JsonObject = {
    questionId: 'q-1',
    expires: '2026-12-01T09:30:00.000Z',
    attempt: 1,
    maxAttempts: 3,
    ...data,
  };
  const message: Message = { messageId: 'q-1', role: 'ROLE_AGENT', parts: [...parts, { data: asked }] };
  return task('TASK_STATE_INPUT_REQUIRED', [message], message);
}

export function task(state: Task['status']['state'], history: readonly Message[], message?: Message): Task {
  const timestamp = '2026-11-30T09:30:00.000Z';
  return { id: 't-1', contextId: 'c-1', status: { state, timestamp, ...(message ? { message } : {}) }, history };
}

export function object(properties: Record<string, Json>, ...required: readonly string[]): JsonObject {
  return { type: 'object', properties, required };
}
