/** Any JSON in place of a task: the page's own reading of it never fails, and what it shows hides nothing. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Json, JsonObject } from '../../core/json.ts';
import { entriesFor, flat, placeErrors, readForm } from '../../inbox/answer.ts';
import { fieldsOf } from '../../inbox/fields.ts';
import { outcomeOf } from '../../inbox/outcome.ts';
import { openQuestion } from '../../inbox/question.ts';
import { readTask } from '../../inbox/read-task.ts';
import { json, schema, UNFIT } from '../support/strange-json.ts';

const data = fc.record(
  {
    questionId: fc.oneof(fc.constant('q-1'), json),
    answerSchema: schema,
    options: fc.oneof(fc.array(json, { maxLength: 3 }), json),
    allowOther: json,
    expires: json,
    errors: fc.oneof(fc.array(fc.record({ pointer: json, message: json }), { maxLength: 3 }), json),
    prefill: json,
    decline: json,
  },
  { requiredKeys: ['questionId'] },
) as unknown as fc.Arbitrary<Json>;
const message = fc.oneof(
  json,
  fc.record(
    {
      messageId: json,
      role: json,
      parts: fc.oneof(fc.array(fc.oneof(json, fc.record({ data }), fc.record({ text: json })), { maxLength: 3 }), json),
      metadata: json,
    },
    { requiredKeys: [] },
  ),
) as fc.Arbitrary<Json>;
const task = fc.record(
  {
    id: fc.oneof(fc.constant('t-1'), json),
    status: fc.oneof(
      fc.record({ state: fc.oneof(fc.constant('TASK_STATE_INPUT_REQUIRED'), json), message, timestamp: json }),
      json,
    ),
    history: fc.oneof(fc.array(message, { maxLength: 3 }), json),
    artifacts: json,
    metadata: json,
  },
  { requiredKeys: ['id', 'status'] },
) as unknown as fc.Arbitrary<JsonObject>;

it('a task, its question, its form, and what became of it', () => {
  let asked = 0;
  fc.assert(
    fc.property(fc.oneof({ weight: 9, arbitrary: task }, { weight: 1, arbitrary: json }), (value) => {
      const read = readTask(value);
      if (!read) return;
      outcomeOf(read, 'q-1', () => false);
      const question = openQuestion(read);
      if (!question) return;
      asked += 1;
      expect(question.text).not.toMatch(UNFIT);
      const fields = fieldsOf(question);
      const entries = entriesFor(fields, question.prefill);
      readForm(fields, entries);
      readForm(fields, {});
      placeErrors(fields, question.errors);
      for (const { label, description = '' } of flat(fields)) {
        expect(label).not.toBe('');
        expect(`${label}${description}`).not.toMatch(UNFIT);
      }
    }),
    { numRuns: 1_500 },
  );
  expect(asked).toBeGreaterThan(200);
});
