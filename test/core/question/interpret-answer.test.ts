import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../core/json.ts';
import type { Part } from '../../../core/message.ts';
import { interpretAnswer } from '../../../core/question/interpret-answer.ts';
import { openQuestion } from '../../../core/question/open-question.ts';
import { answer, costCentre, interpret, message, outcomeOf, place } from './asking.ts';

describe('the worked example', () => {
  it('refuses the text "engineering" with the options, and nothing else', () => {
    const opened = openQuestion(costCentre, place);
    const sent = message({ text: 'engineering' });
    expect(interpretAnswer(opened.ask, opened.message, sent)).toEqual({
      kind: 'invalid',
      errors: [{ pointer: '/costCentre', message: 'expected one of CC-4410, CC-4420' }],
      redacted: { message: sent },
    });
  });

  it('accepts the data part that names the question', () => {
    const opened = openQuestion(costCentre, place);
    const sent = message({ data: { questionId: 'q-abcdefghijklmnop-1', costCentre: 'CC-4410' } });
    expect(interpretAnswer(opened.ask, opened.message, sent)).toEqual({
      kind: 'answer',
      value: { costCentre: 'CC-4410' },
      redacted: { message: sent },
    });
  });

  it('enforces the options unless others are allowed', () => {
    expect(outcomeOf(interpret(costCentre, answer({ costCentre: 'CC-9999' })))).toEqual({
      invalid: [{ pointer: '/costCentre', message: 'expected one of CC-4410, CC-4420' }],
    });
    expect(outcomeOf(interpret({ ...costCentre, allowOther: true }, answer({ costCentre: 'CC-9999' })))).toEqual({
      costCentre: 'CC-9999',
    });
    expect(outcomeOf(interpret({ ...costCentre, allowOther: true }, answer({ costCentre: 'engineering' })))).toEqual({
      invalid: [{ pointer: '/costCentre', message: 'does not match ^CC-[0-9]{4}$' }],
    });
  });
});

describe('no coercion, no silent default (R56, R60)', () => {
  const falsy: readonly [JsonObject, Json][] = [
    [{ type: 'boolean' }, false],
    [{ type: 'integer' }, 0],
    [{ type: 'string' }, ''],
    [{ type: ['string', 'null'] }, null],
    [{ type: 'array' }, []],
    [{ type: ['object', 'null'] }, {}],
  ];
  it.each(falsy)('%j accepts %j and hands it on unchanged', (schema, value) => {
    const inObject: JsonObject = { type: 'object', properties: { it: schema }, required: ['it'] };
    expect(interpret({ schema }, answer({ value }))).toMatchObject({ kind: 'answer', value });
    expect(interpret({ schema: inObject }, answer({ it: value }))).toMatchObject({
      kind: 'answer',
      value: { it: value },
    });
  });

  const wrong: readonly [string, Json, string][] = [
    ['integer', '5', 'expected an integer'],
    ['integer', 5.5, 'expected an integer'],
    ['integer', null, 'expected an integer'],
    ['integer', [5], 'expected an integer'],
    ['boolean', 'false', 'expected true or false'],
    ['boolean', 0, 'expected true or false'],
    ['string', 5, 'expected a string'],
    ['string', null, 'expected a string'],
    ['array', 'a', 'expected a list'],
  ];
  it.each(wrong)('%s refuses %j: %s', (type, value, text) => {
    expect(outcomeOf(interpret({ schema: { type } }, answer({ value })))).toEqual({
      invalid: [{ pointer: '/value', message: text }],
    });
  });

  it('a missing value is not a default one', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: { ok: { type: 'boolean', default: true } },
      required: ['ok'],
    };
    expect(outcomeOf(interpret({ schema }, answer({})))).toEqual({
      invalid: [{ pointer: '/ok', message: 'required' }],
    });
    expect(outcomeOf(interpret({ schema: { ...schema, required: [] } }, answer({})))).toEqual({});
  });

  it('a bare value in a data part answers a wrapped question, and no other', () => {
    expect(interpret({ schema: { type: 'integer' } }, { data: 5 })).toMatchObject({ kind: 'answer', value: 5 });
    expect(interpret({ schema: { type: ['null', 'string'] } }, { data: null })).toMatchObject({
      kind: 'answer',
      value: null,
    });
    expect(outcomeOf(interpret(costCentre, { data: 'CC-4410' }))).toEqual({
      invalid: [{ pointer: '', message: 'expected an object' }],
    });
  });
});

describe('which question is meant (R57)', () => {
  const others: readonly [Json, string][] = [
    ['q-zzzzzzzzzzzzzzzz-9', 'q-zzzzzzzzzzzzzzzz-9'],
    ['q-abcdefghijklmnop-2', 'q-abcdefghijklmnop-2'],
    ['Q-ABCDEFGHIJKLMNOP-1', 'Q-ABCDEFGHIJKLMNOP-1'],
    [' q-abcdefghijklmnop-1', ' q-abcdefghijklmnop-1'],
    ['', ''],
    [1, '1'],
    [{}, 'not a string'],
  ];
  it.each(others)('%j is another question, whatever the answer', (questionId, named) => {
    for (const costCentreGiven of ['CC-4410', 'nonsense']) {
      expect(interpret(costCentre, { data: { questionId, costCentre: costCentreGiven } })).toEqual({
        kind: 'other-question',
        questionId: named,
      });
    }
  });

  it('a data part that names none is an answer to the open one', () => {
    expect(outcomeOf(interpret(costCentre, { data: { costCentre: 'CC-4420' } }))).toEqual({ costCentre: 'CC-4420' });
    expect(outcomeOf(interpret(costCentre, { data: { questionId: null, costCentre: 'CC-4420' } }))).toEqual({
      costCentre: 'CC-4420',
    });
  });

  it('a very long id is cut before anybody repeats it', () => {
    const meaning = interpret(costCentre, { data: { questionId: 'q'.repeat(5_000) } });
    expect(meaning).toEqual({ kind: 'other-question', questionId: `${'q'.repeat(127)}…` });
  });

  it('a JSON text that names another question is treated alike', () => {
    expect(interpret(costCentre, { text: '{"questionId":"q-old","costCentre":"CC-4410"}' })).toEqual({
      kind: 'other-question',
      questionId: 'q-old',
    });
  });
});

describe('which question words are meant for (R47, R57)', () => {
  const EXTENSION = 'https://askback.dev/a2a/extensions/question/v1';
  const meant = (metadata: JsonObject, ...parts: readonly Part[]) => {
    const opened = openQuestion(costCentre, place);
    return interpretAnswer(opened.ask, opened.message, { ...message(...parts), metadata });
  };
  const text = { text: 'CC-4410' };

  it.each<[string, JsonObject, Json]>([
    ['the open one', { [EXTENSION]: { questionId: 'q-abcdefghijklmnop-1' } }, { costCentre: 'CC-4410' }],
    ['none, with other metadata', { [EXTENSION]: { note: 1 }, questionId: 'q-old' }, { costCentre: 'CC-4410' }],
    ['none, with something else under the extension', { [EXTENSION]: 'q-old' }, { costCentre: 'CC-4410' }],
    ['another one', { [EXTENSION]: { questionId: 'q-old' } }, { kind: 'other-question' }],
    ['no string', { [EXTENSION]: { questionId: 5 } }, { kind: 'other-question' }],
  ])('metadata that names %s', (_what, metadata, outcome) => {
    expect(outcomeOf(meant(metadata, text))).toEqual(outcome);
    expect(outcomeOf(meant(metadata, { data: { costCentre: 'CC-4410' } }))).toEqual(outcome);
  });

  it('a data part that names its question goes before the metadata', () => {
    expect(outcomeOf(meant({ [EXTENSION]: { questionId: 'q-old' } }, answer({ costCentre: 'CC-4410' })))).toEqual({
      costCentre: 'CC-4410',
    });
  });
});

describe('which part is the answer', () => {
  const file: Part = { url: 'https://example.com/a.png', mediaType: 'image/png' };
  const cases: readonly [string, readonly Part[], Json][] = [
    ['data goes before text', [{ text: 'CC-4420' }, answer({ costCentre: 'CC-4410' })], { costCentre: 'CC-4410' }],
    [
      'the data part that names the question',
      [{ data: { a: 1 } }, answer({ costCentre: 'CC-4410' }), { data: 5 }],
      { costCentre: 'CC-4410' },
    ],
    [
      'the one that names the open question among others',
      [{ data: { questionId: 'q-old' } }, answer({ costCentre: 'CC-4410' })],
      { costCentre: 'CC-4410' },
    ],
    ['files are ignored', [file, { text: 'CC-4410' }, { raw: 'AAAA' }], { costCentre: 'CC-4410' }],
    ['several texts are read as one', [{ text: '\n' }, { text: 'CC-4410' }], { costCentre: 'CC-4410' }],
    [
      'two unnamed data parts',
      [{ data: { costCentre: 'CC-4410' } }, { data: {} }],
      { invalid: [{ pointer: '', message: 'expected one data part with the answer, found 2' }] },
    ],
    [
      'two that name the question',
      [answer({ costCentre: 'CC-4410' }), answer({ costCentre: 'CC-4420' })],
      { invalid: [{ pointer: '', message: 'expected one data part with the answer, found 2' }] },
    ],
    [
      'files alone',
      [file],
      { invalid: [{ pointer: '', message: 'expected an answer as data or text; a file alone is not an answer' }] },
    ],
    [
      'nothing',
      [],
      { invalid: [{ pointer: '', message: 'expected an answer as data or text; a file alone is not an answer' }] },
    ],
  ];
  it.each(cases)('%s', (_name, parts, value) => {
    expect(outcomeOf(interpret(costCentre, ...parts))).toEqual(value);
  });
});

describe('a decline is never an answer (R06, R50)', () => {
  it('with and without a reason, as data or as JSON text', () => {
    expect(interpret(costCentre, answer({ decline: {} }))).toMatchObject({ kind: 'decline' });
    expect(interpret(costCentre, answer({ decline: {} }))).not.toHaveProperty('reason');
    expect(interpret(costCentre, answer({ decline: { reason: 'not mine' } }))).toMatchObject({
      kind: 'decline',
      reason: 'not mine',
    });
    expect(interpret(costCentre, { text: '{"decline":{"reason":""}}' })).toMatchObject({ kind: 'decline', reason: '' });
    expect(interpret({ schema: { type: 'boolean' } }, { data: { decline: {} } })).toMatchObject({ kind: 'decline' });
  });

  it('keeps a long reason within what the head can hold; the message keeps all of it', () => {
    const meaning = interpret(costCentre, answer({ decline: { reason: 'é'.repeat(600) } }));
    expect(meaning).toMatchObject({ kind: 'decline', reason: 'é'.repeat(512) });
    // As JSON, a control character takes six bytes.
    const control = interpret(costCentre, answer({ decline: { reason: '\u0001'.repeat(600) } }));
    expect(control).toMatchObject({ kind: 'decline', reason: '\u0001'.repeat(170) });
    expect(JSON.stringify(meaning)).toContain('é'.repeat(600));
  });

  const wrong: readonly [Json, string, string][] = [
    [true, '/decline', 'expected an object with an optional reason'],
    [false, '/decline', 'expected an object with an optional reason'],
    ['no', '/decline', 'expected an object with an optional reason'],
    [{ reason: 5 }, '/decline/reason', 'expected a string'],
    [{ reason: '\ud800' }, '/decline', 'holds half of a Unicode character'],
  ];
  it.each(wrong)('%j is no decline', (decline, pointer, text) => {
    expect(outcomeOf(interpret(costCentre, answer({ decline })))).toEqual({ invalid: [{ pointer, message: text }] });
  });

  it('beside an answer is neither', () => {
    expect(outcomeOf(interpret(costCentre, answer({ decline: {}, costCentre: 'CC-4410' })))).toEqual({
      invalid: [{ pointer: '/decline', message: 'a declined answer has no other properties' }],
    });
    expect(outcomeOf(interpret(costCentre, answer({ decline: null, costCentre: 'CC-4410' })))).toEqual({
      costCentre: 'CC-4410',
    });
  });
});
