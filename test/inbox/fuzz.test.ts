/** Any JSON in place of a task: the page's own reading of it never fails, and what it shows hides nothing. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Json, JsonObject } from '../../core/json.ts';
import { entriesFor, flat, placeErrors, readForm } from '../../inbox/answer.ts';
import { fieldsOf } from '../../inbox/fields.ts';
import { outcomeOf } from '../../inbox/outcome.ts';
import { openQuestion } from '../../inbox/question.ts';
import { readTask } from '../../inbox/read-task.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const UNFIT = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069]/;

const word = fc.oneof(
  fc.constantFrom(
    '\u001b[2J',
    '\u202e',
    '__proto__',
    'constructor',
    '',
    'value',
    '#',
    '#/$defs/a',
    'q-1',
    'TASK_STATE_INPUT_REQUIRED',
  ),
  fc.string({ maxLength: 12, unit: 'grapheme' }),
);
const json = fc.oneof(fc.jsonValue({ maxDepth: 3 }), word) as fc.Arbitrary<Json>;
const { schema } = fc.letrec<{ schema: Json }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    json,
    fc.record(
      {
        type: fc.oneof(fc.constantFrom('object', 'string', 'array', 'number', 'boolean', 'null'), json),
        properties: fc.oneof(fc.dictionary(word, tie('schema'), { maxKeys: 3 }), json),
        required: fc.oneof(fc.array(word, { maxLength: 3 }), json),
        items: tie('schema'),
        enum: fc.oneof(fc.array(json, { maxLength: 3 }), json),
        title: json,
        description: json,
        format: json,
        maxLength: json,
        $ref: fc.oneof(word, json),
        $defs: fc.dictionary(word, tie('schema'), { maxKeys: 2 }),
        allOf: fc.oneof(fc.array(tie('schema'), { maxLength: 2 }), json),
        anyOf: fc.oneof(fc.array(tie('schema'), { maxLength: 2 }), json),
      },
      { requiredKeys: [] },
    ) as fc.Arbitrary<Json>,
  ),
}));
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
