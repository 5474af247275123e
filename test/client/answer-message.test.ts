/** Answers carry an id that every process derives alike, so that a second one is a repeat (issue 6, items 1 and 2). */
import { expect, test } from 'vitest';
import { answerMessage } from '../../client/answer-message.ts';
import type { Question } from '../../client/index.ts';

const question: Question = {
  kind: 'question',
  agent: { name: 'A', url: 'http://localhost:3000' },
  taskId: 'task-1',
  contextId: 'ctx-1',
  key: 'q-task-1-1',
  questionId: 'q-task-1-1',
  text: 'Which?',
  schema: { type: 'object' },
  fields: [],
  allowOther: true,
  attempt: 1,
  maxAttempts: 3,
  errors: [],
};

test('task, context and question are always named, whatever the answer says itself', () => {
  const message = answerMessage(question, { answer: { centre: 'A', questionId: 'other' } });
  expect(message).toEqual({
    messageId: 'a-YXlNUAuz9wJapmbXRD_WPYeKWrkCDzMr',
    taskId: 'task-1',
    contextId: 'ctx-1',
    role: 'ROLE_USER',
    parts: [{ data: { centre: 'A', questionId: 'q-task-1-1' }, mediaType: 'application/json' }],
    extensions: ['https://askback.dev/a2a/extensions/question/v1'],
  });
});

test('another task, question or attempt is another id; another answer is not', () => {
  const id = (more: Partial<Question>, answer = {}) => answerMessage({ ...question, ...more }, { answer }).messageId;
  expect(id({}, { a: 1 })).toBe(id({}, { a: 2 }));
  const ids = [id({}), id({ taskId: 'task-2' }), id({ key: 'q-task-1-2' }), id({ attempt: 2 })];
  expect(new Set(ids).size).toBe(4);
});
