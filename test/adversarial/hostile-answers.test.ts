/**
 * What a sub-agent may answer, well-formed and not, read by the official client: nothing of it fails this agent's own code
 * or waits for ever, and each has a clear end (design 12; R73).
 */
import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent/define-agent.ts';
import { remoteAgent } from '../../agent/remote-agent.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { FakeTask } from '../agent/fake-host.ts';
import { PLAIN_CARD } from '../support/plain-card.ts';

const START_MS = 1_800_000_000_000;
const URL_BELOW = 'https://expenses.example.com';

/** What one delegate comes to when its agent answers every request with this. */
async function delegated(result: unknown): Promise<unknown> {
  const answers: typeof fetch = async (input, init) => {
    if (String(input).endsWith('agent-card.json')) return Response.json(CARD);
    const { id, method } = JSON.parse(String(init?.body)) as { readonly id: number; readonly method: string };
    const isTask = typeof result === 'object' && result !== null && 'status' in result;
    return Response.json({
      jsonrpc: '2.0',
      id,
      result: isTask && method === 'SendMessage' ? { task: result } : result,
    });
  };
  const task = new FakeTask();
  task.nowMs = START_MS;
  let end: unknown;
  const agent = defineAgent({
    card: PLAIN_CARD,
    agents: { expenses: remoteAgent(URL_BELOW, { fetch: answers }) },
    async run(turn) {
      try {
        const { artifacts, message } = await turn.delegate('filing', {
          agent: 'expenses',
          message: 'x',
          restate: ({ text, problem }) => ({
            text: `They say ${text.length} characters${problem ? `, ${problem}` : ''}`,
          }),
          restateAuth: ({ request }) => ({ text: 'Sign in.', request }),
        });
        end = { artifacts: artifacts.length, message: message !== undefined };
      } catch (error) {
        end = (error as { readonly reason: string }).reason;
      }
    },
  });
  const left = await task.turn(agent);
  switch (left.left) {
    case 'returned':
      return end;
    case 'asked':
    case 'required':
      return left.spec.text;
    case 'parked':
      return left.look.silent ? 'silent' : 'working';
    default:
      return left;
  }
}

const CARD = {
  name: 'Hostile',
  description: 'Hostile.',
  version: '1',
  supportedInterfaces: [{ url: URL_BELOW, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: {},
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
};

function deep(levels: number): Json {
  return JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) as Json;
}

function at(state: string, more: object = {}, data?: unknown, text: unknown = 'Which?'): object {
  const parts = [{ text }, ...(data === undefined ? [] : [{ data }])];
  const message = { messageId: 'm-1', role: 'ROLE_AGENT', parts };
  return { id: 's-1', contextId: 'c-1', status: { state, timestamp: '2026-11-30T08:00:00Z', message }, ...more };
}

const ended = (more: object) => at('TASK_STATE_COMPLETED', more);
const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
const asks = (data: JsonObject, text?: unknown) => at('TASK_STATE_INPUT_REQUIRED', {}, data, text);
const wants = (data: JsonObject) => at('TASK_STATE_AUTH_REQUIRED', {}, { authId: 'a-1', ...data });
const THEIR_ID = 'it answered with a task that has no usable id';

describe('a sub-agent that answers', () => {
  it.each<[string, unknown, unknown]>([
    // What begins nothing is tried again, for a quarter of an hour.
    ['nothing', null, 'silent'],
    ['a list', [], 'silent'],
    ['a text', 'done', 'silent'],
    ['an empty object', {}, 'silent'],
    ['no task', { task: null }, 'silent'],
    ['a task without an id', { task: {} }, THEIR_ID],
    ['a task with a long id', { task: { id: 'x'.repeat(300), status: { state: 'TASK_STATE_WORKING' } } }, THEIR_ID],
    ['a task without a state', { task: { id: 's-1' } }, 'silent'],
    ['a state of its own', at('TASK_STATE_PARTY'), 'working'],
    ['a message without parts', { message: { messageId: 'm', role: 'ROLE_AGENT' } }, { artifacts: 0, message: true }],

    ['artifacts that are none', ended({ artifacts: 'all' }), { artifacts: 0, message: true }],
    [
      'an artifact 3,000 levels deep',
      ended({ artifacts: [{ artifactId: 'a', parts: [{ data: deep(3_000) }] }] }),
      'its result is too large',
    ],
    [
      'artifacts of 600 KB',
      ended({ artifacts: [{ artifactId: 'a', parts: [{ text: 'x'.repeat(600_000) }] }] }),
      'its result is too large',
    ],
    [
      '20,000 artifacts',
      ended({ artifacts: new Array(20_000).fill({ artifactId: 'a', parts: [{ text: '' }] }) }),
      'its result is too large',
    ],

    ['a question of the convention', asks({ questionId: 'q', answerSchema: schema }), 'They say 6 characters'],
    [
      'a question of 1 MB',
      asks({ questionId: 'q', answerSchema: schema }, 'y'.repeat(1_000_000)),
      'They say 8192 characters',
    ],
    ['a question that says nothing', asks({}, ''), 'They say 0 characters'],
    [
      'a schema 3,000 levels deep',
      asks({ questionId: 'q', answerSchema: deep(3_000) as JsonObject }),
      expect.stringMatching(/^They say 6 characters, ./),
    ],
    [
      'a schema that is none',
      asks({ questionId: 'q', answerSchema: 'string' }),
      'They say 6 characters, it has no answerSchema',
    ],
    [
      'a pattern that blows up',
      asks({ questionId: 'q', answerSchema: { ...schema, properties: { a: { type: 'string', pattern: '^(a+)+$' } } } }),
      expect.stringMatching(/^They say 6 characters, ./),
    ],
    [
      'a reference elsewhere',
      asks({ questionId: 'q', answerSchema: { ...schema, properties: { a: { $ref: 'http://169.254.169.254/' } } } }),
      expect.stringMatching(/^They say 6 characters, ./),
    ],
    [
      'options that are none',
      asks({ questionId: 'q', answerSchema: schema, options: 5 }),
      'They say 6 characters, its options are no lists',
    ],
    [
      'a question id that is none',
      asks({ questionId: 5, answerSchema: schema }),
      'They say 6 characters, its questionId is no short string',
    ],
    [
      'a question that has expired',
      asks({ questionId: 'q', answerSchema: schema, expires: '1999-01-01T00:00:00Z' }),
      'its question expires too soon',
    ],
    [
      'a question until the end of time',
      asks({ questionId: 'q', answerSchema: schema, expires: '+275760-09-13T00:00:00Z' }),
      'They say 6 characters',
    ],

    ['an authorisation without words', { id: 's-1', status: { state: 'TASK_STATE_AUTH_REQUIRED' } }, 'Sign in.'],
    ['an authorisation that wants 100 KB', wants({ request: 'x'.repeat(100_000) }), 'Sign in.'],
    [
      'an authorisation that has expired',
      wants({ expires: '1999-01-01T00:00:00Z' }),
      'the authorisation it asks for expires too soon',
    ],
  ])('with %s', async (_what, result, expected) => {
    expect(await delegated(result)).toEqual(expected);
  });
});
