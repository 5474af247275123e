/** A sub-agent of the author's own making that gives any JSON at all: no turn fails by it (design 12). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent/define-agent.ts';
import type { SubAgent } from '../../agent/sub-agent.ts';
import { isJsonObject, type Json } from '../../core/json.ts';
import { judgeForeignAnswer, onlyProperty, readForeignQuestion } from '../../core/question/read-question.ts';
import { FakeTask } from '../agent/fake-host.ts';
import { PLAIN_CARD } from '../support/plain-card.ts';

const json = fc.jsonValue({ maxDepth: 4 });
const field = fc.constantFrom(
  ...['questionId', 'answerSchema', 'options', 'expires', 'attempt', 'maxAttempts', 'errors', 'allowOther'],
  ...['authId', 'callbackUrl', 'request'],
);
const good = fc.constantFrom<Json>(
  { type: 'object', properties: { a: { type: 'string', writeOnly: true } }, required: ['a'] },
  'q-1',
  '2099-01-01T00:00:00Z',
  ['x'],
);
const data = fc.dictionary(field, fc.oneof(json, good));
const part = fc.oneof(json, fc.record({ data }), fc.record({ text: json }), fc.record({ data, text: json }));
const message = fc.oneof(json, fc.record({ messageId: json, parts: fc.oneof(json, fc.array(part, { maxLength: 3 })) }));
const states = ['INPUT_REQUIRED', 'AUTH_REQUIRED', 'COMPLETED', 'REJECTED', 'WORKING', 'PARTY'];
const state = fc.oneof(fc.constantFrom(...states.map((one) => `TASK_STATE_${one}`)), json);
const status = fc.oneof(json, fc.record({ state, message, timestamp: json }, { requiredKeys: ['state'] }));
const task = fc.oneof(
  json,
  fc.record({ id: fc.constant('s-1'), status, artifacts: json }, { requiredKeys: ['id', 'status'] }),
);

describe('any JSON', () => {
  it('is read as a question without an error, and answers to it are judged', () => {
    fc.assert(
      fc.property(message, json, (given, answer) => {
        const question = readForeignQuestion(given as never);
        onlyProperty(question);
        if (isJsonObject(answer)) judgeForeignAnswer(question, answer);
        // It is recorded.
        expect(JSON.parse(JSON.stringify(question))).toEqual(question);
      }),
      { numRuns: 1_000 },
    );
  });

  it('as a task, begun and looked at, ends the turn in a way that is known', async () => {
    await fc.assert(
      fc.asyncProperty(task, task, async (begun, looked) => void expect(KNOWN).toContain(await leftBy(begun, looked))),
      { numRuns: 1_000 },
    );
  });

  it.each<[string, (deep: Json) => unknown]>([
    ['the data of a question', (deep) => ({ state: ASKS, message: { parts: [{ data: deep }] } })],
    ['a question of the convention', (deep) => ({ state: ASKS, message: { parts: [{ data: asking(deep) }] } })],
    ['a part of no kind', (deep) => ({ state: ASKS, message: { parts: [{ strange: deep }] } })],
    ['the time of a question', (deep) => ({ state: ASKS, timestamp: deep, message: { parts: [] } })],
    ['the request for a credential', (deep) => ({ state: SIGNS, message: { parts: [{ data: { request: deep } }] } })],
    ['the data of one', (deep) => ({ state: SIGNS, message: { parts: [{ data: deep }] } })],
    ['the last word', (deep) => ({ state: 'TASK_STATE_COMPLETED', message: { parts: [{ data: deep }] } })],
  ])('nested deeper than a stack is no more than another one: %s', async (_where, statusWith) => {
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as Json;
    const looked = { id: 's-1', status: statusWith(deep), artifacts: [{ parts: [{ data: deep }] }] };
    expect(KNOWN).toContain(await leftBy(looked, looked));
  });
});

const ASKS = 'TASK_STATE_INPUT_REQUIRED';
const SIGNS = 'TASK_STATE_AUTH_REQUIRED';
const KNOWN = ['returned', 'asked', 'required', 'parked', 'ended'];

function asking(schema: Json): Json {
  return { questionId: 'q-1', answerSchema: schema, options: schema, errors: schema };
}

/** How a turn that delegates is left. */
async function leftBy(begun: unknown, looked: unknown): Promise<string> {
  const sub: SubAgent = {
    send: async () => ({ task: begun }) as never,
    get: async () => looked as never,
    cancel: async () => undefined,
  };
  const agent = defineAgent({
    card: PLAIN_CARD,
    agents: { other: sub },
    async run(turn) {
      await turn.delegate('it', {
        agent: 'other',
        message: 'x',
        restate: () => ({ text: 'Which?' }),
        restateAuth: ({ request }) => ({ text: 'Sign in.', request }),
      });
    },
  });
  return (await new FakeTask().turn(agent)).left;
}
