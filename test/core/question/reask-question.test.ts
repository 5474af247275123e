import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../core/json.ts';
import { reaskQuestion } from '../../../core/question/open-question.ts';
import { questionData } from '../../../core/question/question-data.ts';
import type { AnswerError, OpenedQuestion } from '../../../core/question/types.ts';
import { asking, costCentre, place } from './asking.ts';

const refused: AnswerError = { pointer: '/costCentre', message: 'expected one of CC-4410, CC-4420' };

function again(
  asked: OpenedQuestion,
  question: number,
  errors: readonly AnswerError[],
  prefill?: JsonObject,
): OpenedQuestion {
  const spec = { open: asked.ask, message: asked.message, errors, question, ...(prefill ? { prefill } : {}) };
  return reaskQuestion(spec, { ...place, question, nowMs: place.nowMs + 60_000 });
}

describe('reaskQuestion (section 6)', () => {
  it('takes a new id and the next attempt, and keeps schema, options and expiry', () => {
    const first = asking({ ...costCentre, remindBeforeMs: [3_600_000] });
    const second = again(first, 2, [refused]);
    expect(second.message).toEqual({
      messageId: 'q-abcdefghijklmnop-2',
      taskId: 'abcdefghijklmnopqrstuvwxyz',
      contextId: 'ctx-1',
      role: 'ROLE_AGENT',
      parts: [
        {
          text: 'That answer could not be accepted: costCentre: expected one of CC-4410, CC-4420.\n\nWhich cost centre should this expense be charged to?',
        },
        {
          mediaType: 'application/json',
          data: {
            questionId: 'q-abcdefghijklmnop-2',
            name: 'cost-centre',
            expires: '2026-12-01T09:00:00.000Z',
            answerSchema: costCentre.schema,
            options: ['CC-4410', 'CC-4420'],
            attempt: 2,
            maxAttempts: 3,
            remindAt: ['2026-12-01T08:00:00.000Z'],
            previousQuestionId: 'q-abcdefghijklmnop-1',
            errors: [{ pointer: '/costCentre', message: 'expected one of CC-4410, CC-4420' }],
          },
        },
      ],
      extensions: ['https://askback.dev/a2a/extensions/question/v1'],
    });
    expect(second.ask).toEqual({ ...first.ask, questionId: 'q-abcdefghijklmnop-2', attempt: 2 });
  });

  it('explains only what was wrong last, and repeats a text of several paragraphs', () => {
    const first = asking({ ...costCentre, text: 'First.\n\nSecond.' });
    const second = again(first, 2, [refused], { note: 'kept' });
    const third = again(second, 5, [{ pointer: '', message: 'expected\n\nan  object.' }]);
    expect(second.message.parts[0]?.text).toBe(
      'That answer could not be accepted: costCentre: expected one of CC-4410, CC-4420.\n\nFirst.\n\nSecond.',
    );
    expect(third.message.parts[0]?.text).toBe(
      'That answer could not be accepted: expected an object.\n\nFirst.\n\nSecond.',
    );
    expect(questionData(second.message).prefill).toEqual({ note: 'kept' });
    expect(questionData(third.message)).toMatchObject({
      questionId: 'q-abcdefghijklmnop-5',
      attempt: 3,
      previousQuestionId: 'q-abcdefghijklmnop-2',
    });
    expect(questionData(third.message)).not.toHaveProperty('prefill');
  });

  it('does not name the wrapping property to a person', () => {
    const second = again(asking({ schema: { type: 'integer' } }), 2, [
      { pointer: '/value', message: 'expected an integer' },
    ]);
    expect(second.message.parts[0]?.text).toBe(
      'That answer could not be accepted: expected an integer.\n\nWhat is it?',
    );
  });

  it('tells a person five errors, a program twenty', () => {
    const errors = Array.from({ length: 25 }, (_, n) => ({ pointer: `/a/${n}`, message: 'required' }));
    const second = again(asking({}), 2, errors);
    expect(second.message.parts[0]?.text).toBe(
      'That answer could not be accepted: a / 0: required; a / 1: required; a / 2: required; a / 3: required; a / 4: required; and 15 more.\n\nWhat is it?',
    );
    expect(questionData(second.message).errors).toHaveLength(20);
  });

  it('never prefills a writeOnly property', () => {
    const schema: JsonObject = { type: 'object', properties: { a: {}, b: { writeOnly: true } } };
    const second = again(asking({ schema }), 2, [], { a: 1, b: 2 });
    expect(questionData(second.message).prefill).toEqual({ a: 1 });
  });

  it('refuses to pass the cap', () => {
    const only = asking({ maxAttempts: 1 });
    expect(() => again(only, 2, [])).toThrow('question q-abcdefghijklmnop-1 has no attempts left');
  });
});
