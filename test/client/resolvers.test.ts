/** What each resolver answers, and what it leaves to the next one (issue 6, item 1). */
import { describe, expect, test } from 'vitest';
import {
  askHuman,
  fromContext,
  fromPolicy,
  type Json,
  type OpenQuestion,
  PolicyError,
  type PolicyRule,
  readPolicy,
  readQuestion,
  type Resolver,
  type Task,
} from '../../client/index.ts';

const URL_ = 'https://agents.example.com/finance/';
const SCHEMA = {
  type: 'object',
  properties: {
    amount: { type: 'number', minimum: 0 },
    currency: { type: 'string' },
    note: { type: 'string', maxLength: 5 },
    pin: { type: 'string', writeOnly: true },
  },
  required: ['amount', 'currency'],
};

function ask(data: Record<string, Json> | undefined, url = URL_): OpenQuestion {
  const status = {
    state: 'TASK_STATE_INPUT_REQUIRED',
    timestamp: '2026-11-30T09:30:00.000Z',
    message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'What exactly?' }, ...(data ? [{ data }] : [])] },
  };
  return readQuestion({ id: 't', contextId: 'c', status } as Task, { name: 'Agent', url });
}

const many = ask({ questionId: 'q-1', answerSchema: SCHEMA });
const one = ask({
  questionId: 'q-1',
  answerSchema: { type: 'object', properties: { centre: { type: 'string' } }, required: ['centre'] },
  options: ['A', 'B'],
});
const words = ask(undefined);

function say(resolver: Resolver, question: OpenQuestion) {
  return resolver(question, { signal: new AbortController().signal, round: 0 });
}

describe('fromContext', () => {
  test.each<[string, Record<string, Json>, unknown]>([
    ['everything required', { amount: 0, currency: '', other: 1 }, { answer: { amount: 0, currency: '' } }],
    [
      'an optional one too',
      { amount: 1, currency: 'EUR', note: 'hi' },
      { answer: { amount: 1, currency: 'EUR', note: 'hi' } },
    ],
    [
      'an optional one that does not fit',
      { amount: 1, currency: 'EUR', note: 'too long' },
      { answer: { amount: 1, currency: 'EUR' } },
    ],
    ['a required one is missing', { amount: 1 }, 'pass'],
    ['a required one does not fit', { amount: -1, currency: 'EUR' }, 'pass'],
    ['a string is no number', { amount: '1', currency: 'EUR' }, 'pass'],
    ['nothing known', {}, 'pass'],
    [
      'a secret that was not asked to be told',
      { amount: 1, currency: 'EUR', pin: '1234' },
      { answer: { amount: 1, currency: 'EUR' } },
    ],
  ])('%s', async (_what, values, said) => {
    expect(await say(fromContext(values), many)).toEqual(said);
  });

  test('tells secrets only when told to, knows no words, and does not repeat what was refused', async () => {
    const all = { amount: 1, currency: 'EUR', pin: '1234' };
    expect(
      await say(
        fromContext(() => all, { secrets: true }),
        many,
      ),
    ).toEqual({ answer: all });
    expect(await say(fromContext(all), words)).toBe('pass');
    const again = ask({
      questionId: 'q-2',
      answerSchema: SCHEMA,
      errors: [{ pointer: '/amount', message: 'too much' }],
    });
    expect(await say(fromContext(all), again)).toBe('pass');
  });
});

describe('fromPolicy', () => {
  test.each<[string, PolicyRule[], unknown]>([
    ['the question by name, the bare value', [{ question: 'centre', answer: 'A' }], { answer: { centre: 'A' } }],
    ['the whole answer', [{ answer: { centre: 'B' } }], { answer: { centre: 'B' } }],
    ['another name', [{ question: 'other', answer: 'A' }], 'pass'],
    ['an option is the answer', [{ option: 'B' }], { answer: { centre: 'B' } }],
    ['an option that is not offered', [{ option: 'C' }], 'pass'],
    ['an option as the condition of another', [{ option: 'B', answer: 'A' }], { answer: { centre: 'A' } }],
    [
      'an answer that the options refuse: the next rule',
      [{ answer: 'C' }, { answer: 'A' }],
      { answer: { centre: 'A' } },
    ],
    ['the agent', [{ agent: 'https://agents.example.com/finance', answer: 'A' }], { answer: { centre: 'A' } }],
    ['the agent’s origin', [{ agent: 'https://agents.example.com', answer: 'A' }], { answer: { centre: 'A' } }],
    ['half a path segment', [{ agent: 'https://agents.example.com/fin', answer: 'A' }], 'pass'],
    ['another origin', [{ agent: 'https://agents.example.com.evil.example', answer: 'A' }], 'pass'],
    ['another scheme', [{ agent: 'http://agents.example.com/finance', answer: 'A' }], 'pass'],
    [
      'part of the schema',
      [{ schema: { properties: { centre: { type: 'string' } } }, answer: 'A' }],
      { answer: { centre: 'A' } },
    ],
    ['another schema', [{ schema: { properties: { centre: { type: 'number' } } }, answer: 'A' }], 'pass'],
    ['the words', [{ text: 'WHAT', answer: 'A' }], { answer: { centre: 'A' } }],
    ['a decline', [{ decline: 'no' }], { decline: { reason: 'no' } }],
    ['pass ends the policy', [{ question: 'centre', pass: true }, { answer: 'A' }], 'pass'],
    ['a rule for words', [{ freeText: true, answer: 'A' }], 'pass'],
  ])('%s', async (_what, rules, said) => {
    expect(await say(fromPolicy(rules), one)).toEqual(said);
  });

  test('which rule spoke is told, by its number, and nothing where none did', async () => {
    const used: unknown[] = [];
    const rules: PolicyRule[] = [{ question: 'other', answer: 'A' }, { answer: 'C' }, { option: 'B' }];
    await say(fromPolicy(rules, { onRule: (rule) => used.push(rule) }), one);
    await say(fromPolicy(rules.slice(0, 2), { onRule: (rule) => used.push(rule) }), one);
    expect(used).toEqual([{ question: one, rule: 3, said: { answer: { centre: 'B' } } }]);
  });

  test.each<[string, Record<string, Json>, string, unknown]>([
    ['what the agent calls it', { name: 'tip' }, 'tip', { answer: { amount: 1, currency: 'EUR' } }],
    [
      'its title',
      { name: 'tip', answerSchema: { ...SCHEMA, title: 'Tip' } },
      'Tip',
      { answer: { amount: 1, currency: 'EUR' } },
    ],
    ['one of several properties', { name: 'tip' }, 'amount', 'pass'],
    ['a name that is no short text', { name: 'x'.repeat(129) }, 'x'.repeat(129), 'pass'],
  ])('a question of many properties is known by its name: %s', async (_what, data, name, said) => {
    const question = ask({ questionId: 'q-1', answerSchema: SCHEMA, ...data });
    expect(await say(fromPolicy([{ question: name, answer: { amount: 1, currency: 'EUR' } }]), question)).toEqual(said);
  });

  test('a rule by the property still fits a question that has a name', async () => {
    const named = ask({
      questionId: 'q-1',
      name: 'cost-centre',
      answerSchema: { type: 'object', properties: { centre: { type: 'string' } }, required: ['centre'] },
    });
    expect(named).toMatchObject({ name: 'cost-centre' });
    expect(await say(fromPolicy([{ question: 'centre', answer: 'A' }]), named)).toEqual({ answer: { centre: 'A' } });
    expect(await say(fromPolicy([{ question: 'cost-centre', answer: 'A' }]), named)).toEqual({
      answer: { centre: 'A' },
    });
  });

  test('words are answered and declined only by a rule for words', async () => {
    expect(await say(fromPolicy([{ answer: 'x' }, { decline: true }]), words)).toBe('pass');
    expect(await say(fromPolicy([{ freeText: true, answer: 'x' }]), words)).toEqual({ text: 'x' });
  });

  test.each<[unknown, RegExp]>([
    [{}, /list of rules/],
    [[1], /rule 1 must be an object/],
    [[{ answer: 1 }, { anser: 1 }], /rule 2 has an unknown property "anser"/],
    [[{ question: 'x' }], /rule 1 says nothing/],
    [[{ answer: 1, decline: true }], /says two things: answer and decline/],
    [[{ agent: 'finance', answer: 1 }], /URL/],
    [[{ freeText: true, answer: 1 }], /string/],
    [[{ freeText: true, question: 'x', answer: 'y' }], /cannot match free text/],
  ])('%j is no policy', (rules, problem) => {
    expect(() => readPolicy(rules)).toThrow(PolicyError);
    expect(() => readPolicy(rules)).toThrow(problem);
  });

  test('a file may hold the list alone or under "rules"', () => {
    expect(readPolicy({ rules: [{ option: 'A' }] })).toEqual([{ option: 'A' }]);
    expect(readPolicy([{ option: 'A' }])).toEqual([{ option: 'A' }]);
  });
});

describe('askHuman', () => {
  test('asks again with what was wrong, and passes after five times', async () => {
    const seen: string[] = [];
    const resolver = askHuman((_question, { errors }) => {
      seen.push(errors.map(({ message }) => message).join());
      return { text: 'C' };
    });
    expect(await say(resolver, one)).toBe('pass');
    expect(seen).toEqual(['', ...Array(4).fill('expected one of A, B')]);
  });

  test('a decline and a detach are taken as they are; empty words are asked for again', async () => {
    expect(
      await say(
        askHuman(() => ({ decline: { reason: 'no' } })),
        one,
      ),
    ).toEqual({ decline: { reason: 'no' } });
    expect(
      await say(
        askHuman(() => 'detach'),
        one,
      ),
    ).toBe('detach');
    const said = [' ', 'blue'];
    expect(
      await say(
        askHuman(() => ({ text: said.shift() ?? '' })),
        words,
      ),
    ).toEqual({ text: 'blue' });
  });
});
