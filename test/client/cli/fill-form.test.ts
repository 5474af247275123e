/** The form by itself: which fields are asked for again, and what is said where. */
import { describe, expect, it } from 'vitest';
import { type Check, fillForm } from '../../../client/cli/form.ts';
import { howToAnswer } from '../../../client/cli/outcome.ts';
import type { Output } from '../../../client/cli/output.ts';
import type { LinePrompt } from '../../../client/cli/prompter.ts';
import type { Question } from '../../../client/types.ts';
import type { JsonObject } from '../../../core/json.ts';

function question(more: Partial<Question>): Question {
  const field = (name: string) => ({
    name,
    label: name,
    schema: { type: 'string' },
    required: true,
    secret: name === 'pin',
    options: [],
  });
  return {
    kind: 'question',
    agent: { name: 'Agent', url: 'http://localhost:3000' },
    taskId: 't-1',
    contextId: 'c-1',
    key: 'q-1',
    questionId: 'q-1',
    text: 'What?',
    schema: {},
    fields: [field('a'), field('b'), field('pin')],
    allowOther: true,
    attempt: 1,
    maxAttempts: 3,
    errors: [],
    ...more,
  };
}

async function fill(asked: Question, check: Check, typed: string[]) {
  const told: string[] = [];
  const line = async ({ label, initial, check: problem }: LinePrompt): Promise<string> => {
    told.push(initial === undefined ? label : `${label} [${initial}]`);
    for (;;) {
      const text = typed.shift() ?? '';
      const wrong = problem(text);
      if (wrong === undefined) return text;
      told.push(`✗ ${wrong}`);
    }
  };
  const out = { progress: (text: string) => void told.push(text), paint: (_: string, text: string) => text };
  const signal = new AbortController().signal;
  const answer = await fillForm(asked, check, { prompter: { line }, out: out as unknown as Output, signal });
  return { answer, told };
}

describe('fillForm', () => {
  it('asks only for what is wrong with the whole, with what was typed in the line; a secret is typed anew', async () => {
    let whole = 0;
    const check: Check = (answer: JsonObject) => {
      if (!('a' in answer && 'b' in answer && 'pin' in answer)) return [];
      whole += 1;
      // The first look is that of the last prompt, at its own field.
      return whole === 2
        ? [
            { pointer: '/b', message: 'not with a' },
            { pointer: '/pin', message: 'used before' },
          ]
        : [];
    };
    const { answer, told } = await fill(question({}), check, ['1', '2', '3', '4', '5']);
    expect(told).toEqual(['a:', 'b:', 'pin:', 'b ✗ not with a: [2]', 'pin ✗ used before:']);
    expect(answer).toEqual({ a: '1', b: '4', pin: '5' });
  });

  it('says above the fields what is wrong with none of them', async () => {
    const errors = [
      { pointer: '', message: 'too much at once' },
      { pointer: '/other', message: 'not known' },
    ];
    const { told } = await fill(question({ errors, prefill: { a: 'x', pin: 'never' } }), () => [], ['1', '2', '3']);
    expect(told).toEqual(['✗ too much at once', '✗ not known', 'a: [x]', 'b:', 'pin:']);
  });

  it('asks for the whole where the schema names no properties', async () => {
    const check: Check = (answer) => ('x' in answer ? [] : [{ pointer: '', message: 'x is missing' }]);
    const { answer, told } = await fill(question({ fields: [] }), check, ['[]', '{}', '{"x": [1]}']);
    expect(told).toEqual([
      'Your answer (a JSON object):',
      '✗ expected a JSON object, as in {"name": "value"}',
      '✗ x is missing',
    ]);
    expect(answer).toEqual({ x: [1] });
  });
});

describe('a task id in advice that is pasted into a shell', () => {
  it.each([
    ['y62czepf4u2wmvkrrrmxwt5idg', 'y62czepf4u2wmvkrrrmxwt5idg'],
    ['8f14e45f-ceea-467f', '8f14e45f-ceea-467f'],
    ['x; rm -rf ~', "-- 'x; rm -rf ~'"],
    ["a'$(b)", "-- 'a'\\''$(b)'"],
    ['--json', "-- '--json'"],
    ['a\u001b[2Jb\nc', "-- 'ab c'"],
  ])('%j is %j', (id, word) => {
    expect(howToAnswer(id)).toBe(`To answer: askback answer ${word}`);
  });
});
