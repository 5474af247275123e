/** Any JSON in place of a question or an authorisation: read without an error, in time, and fit to be shown. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readAuthNeeds } from '../../client/auth-needs.ts';
import { cleanText } from '../../core/clean-text.ts';
import { plainJson } from '../../client/json-text.ts';
import { type Json, type JsonObject, readQuestion, type Task } from '../../client/index.ts';
import { readWritten } from '../../client/pending-file-record.ts';
import { json, schema, UNFIT, word } from '../support/strange-json.ts';

const AGENT = { name: 'Agent', url: 'https://agent.example' };
/** One that may be used, with hostile words in it. */
const good = fc.record({
  type: fc.constant('object'),
  properties: fc.dictionary(
    word.filter((name) => !['questionId', 'decline'].includes(name)),
    fc.record(
      {
        type: fc.constantFrom('string', 'integer', 'boolean'),
        title: word,
        description: word,
        writeOnly: fc.boolean(),
      },
      { requiredKeys: ['type'] },
    ),
    { maxKeys: 4 },
  ),
}) as fc.Arbitrary<Json>;
const data = fc.record(
  {
    questionId: fc.oneof(fc.constant('q-1'), json),
    authId: fc.oneof(fc.constant('a-1'), json),
    callbackUrl: json,
    request: json,
    name: json,
    answerSchema: fc.oneof(schema, good),
    options: fc.oneof(
      fc.constant(null),
      fc.array(fc.oneof(json, fc.record({ value: word, label: word })), { maxLength: 3 }),
      json,
    ),
    allowOther: json,
    expires: fc.oneof(fc.constant('2026-12-01T00:00:00Z'), json),
    attempt: json,
    maxAttempts: json,
    errors: fc.oneof(fc.array(fc.record({ pointer: json, message: json }), { maxLength: 3 }), json),
    prefill: json,
  },
  { requiredKeys: ['questionId'] },
) as unknown as fc.Arbitrary<JsonObject>;

function statusOf(parts: unknown): Task['status'] {
  return {
    state: 'TASK_STATE_INPUT_REQUIRED',
    timestamp: 'x',
    message: { messageId: 'm', role: 'ROLE_AGENT', parts },
  } as Task['status'];
}

test('questions and authorisations', () => {
  let structured = 0;
  fc.assert(
    fc.property(fc.oneof(data, json), word, (asked, text) => {
      const status = statusOf([{ text }, { data: asked }, asked]);
      const question = readQuestion({ id: 't', contextId: 'c', status }, AGENT);
      expect(question.text).not.toBe('');
      if (question.kind === 'question') structured += 1;
      const fields = question.kind === 'question' ? question.fields : [];
      const shown = [
        question.text,
        question.kind === 'free-text' ? (question.problem ?? '') : (question.name ?? ''),
        ...(question.kind === 'question' ? question.errors.map(({ message }) => message) : []),
        ...fields.flatMap(({ label, description = '' }) => [label, description]),
        ...fields.flatMap(({ options }) => options.flatMap(({ label, description = '' }) => [label, description])),
        readAuthNeeds(status, AGENT.url).text,
      ];
      for (const one of shown) expect(one).not.toMatch(UNFIT);
    }),
    { numRuns: 600 },
  );
  expect(structured).toBeGreaterThan(15);
});

test('texts, and JSON for a terminal, which stays the same value', () => {
  fc.assert(
    fc.property(
      fc.array(word).map((words) => words.join('')),
      json,
      (text, value) => {
        expect(cleanText(text)).not.toMatch(UNFIT);
        expect(cleanText(cleanText(text))).toBe(cleanText(text));
        expect(plainJson(value)).not.toMatch(UNFIT);
        expect(JSON.parse(plainJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      },
    ),
    { numRuns: 1_000 },
  );
});

test('files of the pending store', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        json.map((value) => JSON.stringify(value)),
      ),
      (text) => {
        expect(readWritten(text, 'x')).toBeUndefined();
      },
    ),
  );
});
