/** docs/question-extension.schema.json describes what the page shows and what the server makes. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { openAuth } from '../../core/auth-request.ts';
import { QUESTION_EXTENSION_URI } from '../../core/question/extension.ts';
import { openQuestion, reaskQuestion } from '../../core/question/open-question.ts';
import type { AskSpec } from '../../core/question/types.ts';
import { blocks } from './markdown.ts';
import { text } from './tree.ts';

const schema = JSON.parse(text('docs/question-extension.schema.json')) as { $id: string };
const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(schema);

/** What the schema has against the value; `kind` names a definition. */
function faults(kind: 'question' | 'answer' | 'decline' | 'authorisation' | 'authDecline', value: unknown): string[] {
  const validate = ajv.getSchema(`${schema.$id}#/$defs/${kind}`);
  if (!validate) throw new Error(`no definition ${kind}`);
  return validate(value) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}

const shown = blocks('docs/question-extension.md')
  .filter(({ language }) => language === 'json')
  .map(({ content }) => JSON.parse(content) as never);
const [status, answer, reask, authStatus] = shown as unknown as [
  { message: { messageId: string; parts: { data?: unknown }[] } },
  { parts: { data?: unknown }[] },
  Record<string, unknown>,
  { message: { messageId: string; parts: { data?: unknown }[] } },
];
const question = status.message.parts[1]?.data as Record<string, unknown>;

describe('the question extension', () => {
  it('has one address on the page, in the schema and in the code', () => {
    expect(text('docs/question-extension.md')).toContain(QUESTION_EXTENSION_URI);
    expect(schema.$id).toBe(`${QUESTION_EXTENSION_URI}/schema.json`);
  });

  it('accepts the question, the re-ask, the answer and the decline of the page', () => {
    expect(faults('question', question)).toEqual([]);
    expect(faults('question', reask)).toEqual([]);
    expect(faults('answer', answer.parts[0]?.data)).toEqual([]);
    expect(faults('decline', { questionId: 'q-kq3xw5t2mzqhr7ya-1', decline: { reason: 'not my expense' } })).toEqual(
      [],
    );
  });

  it('shows a question whose id is its messageId', () => {
    expect(question.questionId).toBe(status.message.messageId);
  });

  it.each([
    ['no id', { questionId: undefined }],
    ['an id of too few characters', { questionId: 'q-abc-1' }],
    ['number 0', { questionId: 'q-kq3xw5t2mzqhr7ya-0' }],
    ['no expiry', { expires: undefined }],
    ['a time that is not UTC', { expires: '2026-12-01T09:30:00+01:00' }],
    ['an answer that is no object', { answerSchema: { type: 'string' } }],
    ['a reserved name', { answerSchema: { type: 'object', properties: { decline: { type: 'string' } } } }],
    ['empty options', { options: [] }],
    ['attempt 0', { attempt: 0 }],
    ['errors without the question they are about', { errors: [{ pointer: '', message: 'no' }] }],
    ['allowOther: false', { allowOther: false }],
  ])('refuses %s', (_what, change) => {
    const changed = JSON.parse(JSON.stringify({ ...question, ...change })) as unknown;
    expect(faults('question', changed)).not.toEqual([]);
  });

  it.each([
    ['values of any type', [1, null, false, 'x', { a: 1 }]],
    ['values with labels', [{ value: null, label: 'None', description: 'No cost centre' }]],
    ['lists by property', { room: ['Lisbon', 'Porto'], day: [{ value: 1, label: 'Monday' }] }],
  ])('accepts options that are %s', (_what, options) => {
    expect(faults('question', { ...question, options })).toEqual([]);
  });
});

describe('an authorisation', () => {
  const data = authStatus.message.parts[1]?.data as Record<string, unknown>;

  it('is shown as the schema says, under the id of its message', () => {
    expect(faults('authorisation', data)).toEqual([]);
    expect(data.authId).toBe(authStatus.message.messageId);
    expect(faults('authDecline', { authId: data.authId, decline: { reason: 'not my calendar' } })).toEqual([]);
  });

  it.each([
    ['no id', { authId: undefined }],
    ['the id of a question', { authId: 'q-kq3xw5t2mzqhr7ya-1' }],
    ['no expiry', { expires: undefined }],
    ['no address', { callbackUrl: undefined }],
    ['an address of another kind', { callbackUrl: 'mailto:alice@example.com' }],
  ])('is refused with %s', (_what, change) => {
    expect(faults('authorisation', JSON.parse(JSON.stringify({ ...data, ...change })))).not.toEqual([]);
  });

  it.each([
    ['', {}],
    [' with a request', { request: { scopes: ['events.write'] } }],
  ])('follows the schema when the server requires it%s', (_what, over) => {
    const place = {
      taskId: 'kq3xw5t2mzqhr7yaopb4c6d3ef',
      contextId: 'c-1',
      call: 3,
      ask: 2,
      nowMs: Date.UTC(2026, 10, 30),
    };
    const { message } = openAuth(
      { name: 'calendar', text: 'Sign in.', ...over },
      { ...place, callbackUrl: 'https://a.example/x' },
    );
    expect(faults('authorisation', message.parts[1]?.data)).toEqual([]);
    expect(message.messageId).toBe('a-kq3xw5t2mzqhr7ya-2');
  });
});

describe('what the server asks follows the schema (S10)', () => {
  const place = {
    taskId: 'kq3xw5t2mzqhr7yaopb4c6d3ef',
    contextId: 'c-1',
    call: 3,
    ask: 1,
    question: 1,
    nowMs: Date.UTC(2026, 10, 30, 9, 30),
  };
  const room = { type: 'object', properties: { room: { type: 'string' }, day: { type: 'integer' } } };
  const specs: [string, AskSpec][] = [
    ['free text', { name: 'a', text: 'What is it?' }],
    ['a wrapped value', { name: 'a', text: 'How many?', schema: { type: 'integer' } }],
    ['one property with options', { name: 'a', text: 'Which?', schema: { type: 'string' }, options: ['a', 'b'] }],
    [
      'options by property, other values, reminders',
      {
        name: 'a',
        text: 'Which room?',
        schema: { ...room, required: ['room', 'day'] },
        options: { room: ['Lisbon'], day: [{ value: 1, label: 'Monday' }] },
        allowOther: true,
        remindBeforeMs: [3_600_000],
      },
    ],
  ];

  it.each(specs)('%s, and its re-ask', (_title, spec) => {
    const first = openQuestion(spec, place);
    expect(faults('question', dataOf(first.message))).toEqual([]);
    const errors = [{ pointer: '', message: 'expected something else' }];
    const again = reaskQuestion(
      { open: first.ask, message: first.message, errors, prefill: { day: 1 }, question: 2 },
      { ...place, question: 2 },
    );
    expect(faults('question', dataOf(again.message))).toEqual([]);
    expect(again.message.extensions).toEqual([QUESTION_EXTENSION_URI]);
  });

  function dataOf(message: { parts: readonly { data?: unknown }[] }): unknown {
    return message.parts[1]?.data;
  }
});
