/**
 * Owners (design, section 10; invariant 10; A2A 13.1; R43): for every operation of the table, on both bindings, whatever
 * the task is doing, another principal and another tenant get byte for byte what a random id gets, and nothing changes.
 * An operation without a case here fails the test.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import { cancelTask } from '../../core/operations/cancel-task.ts';
import { doDue } from '../../core/operations/do-due.ts';
import { runTurn } from '../../core/operations/run-turn.ts';
import { sendMessage } from '../../core/operations/send-message.ts';
import { type TaskOperations, type WireOperation, wireOperations } from '../../core/wire/operations.ts';
import { apiHandler } from '../../functions/api.ts';
import { tinyAgent } from '../core/operations/tiny-agent.ts';
import { AMPLE } from '../core/operations/world.ts';
import { fakeDeps } from '../fakes/deps.ts';
import { ManualClock } from '../fakes/manual-clock.ts';
import { fakePush } from '../fakes/push.ts';
import { gatewayEvent, lambdaContext } from './events.ts';

const RANDOM = 'aaaaaaaaaaaaaaaaaaaaaaaaaa';
const alice = { tenant: 'local', principal: 'alice' };
const STRANGERS = {
  'another principal of the tenant': { tenant: 'local', principal: 'bob' },
  'the same principal of another tenant': { tenant: 'other', principal: 'alice' },
  'a name that only looks the same': { tenant: '', principal: 'local:alice' },
};

const says = (taskId: string, data?: JsonObject) => ({
  messageId: 'm-strange',
  role: 'ROLE_USER',
  taskId,
  parts: [data ? { data } : { text: 'CC-4410' }],
});

type Case =
  /** Requests that name a task; each must find none. */
  | { readonly of: 'a task'; readonly requests: (taskId: string, questionId: string) => readonly JsonObject[] }
  /** Names no task: what it shows of other owners is tested by itself, below. */
  | { readonly of: 'the caller' };

const CASES: Readonly<Record<string, Case>> = {
  SendMessage: { of: 'a task', requests: messages },
  SendStreamingMessage: { of: 'a task', requests: messages },
  GetTask: {
    of: 'a task',
    requests: (id) => [
      { id },
      { id, historyLength: 0 },
      { id, metadata: { 'https://askback.dev/a2a/extensions/question/v1': { currentGeneration: 0 } } },
    ],
  },
  CancelTask: { of: 'a task', requests: (id) => [{ id }] },
  SubscribeToTask: { of: 'a task', requests: (id) => [{ id }] },
  ListTasks: { of: 'the caller' },
  GetExtendedAgentCard: { of: 'the caller' },
  CreateTaskPushNotificationConfig: {
    of: 'a task',
    requests: (taskId) => [
      { taskId, id: 'mine', url: 'https://hooks.example.com/b' },
      { taskId, url: 'https://hooks.example.com/b' },
    ],
  },
  GetTaskPushNotificationConfig: {
    of: 'a task',
    requests: (taskId) => [
      { taskId, id: 'mine' },
      { taskId, id: 'none' },
    ],
  },
  ListTaskPushNotificationConfigs: { of: 'a task', requests: (taskId) => [{ taskId }, { taskId, pageSize: 1 }] },
  DeleteTaskPushNotificationConfig: {
    of: 'a task',
    requests: (taskId) => [
      { taskId, id: 'mine' },
      { taskId, id: 'none' },
    ],
  },
};

function messages(taskId: string, questionId: string): readonly JsonObject[] {
  const push = { url: 'https://hooks.example.com/b' };
  return [
    { message: says(taskId) },
    { message: says(taskId, { questionId, costCentre: 'CC-4410' }) },
    { message: says(taskId, { questionId, decline: {} }) },
    { message: { ...says(taskId), contextId: 'C' } },
    // The owner's own first message, word for word: no repeat for anybody else.
    { message: { ...says(taskId), messageId: 'm-1', parts: [{ text: 'File my taxi receipt' }] } },
    { message: says(taskId), configuration: { returnImmediately: true, taskPushNotificationConfig: push } },
  ];
}

const operations = wireOperations({} as TaskOperations);

it('every operation of the table has a case', () => {
  expect(operations.map(({ name }) => name).filter((name) => CASES[name] === undefined)).toEqual([]);
  expect(Object.keys(CASES).filter((name) => !operations.some((one) => one.name === name))).toEqual([]);
});

function system() {
  const clock = new ManualClock();
  const agent = tinyAgent();
  const deps = fakeDeps({ agent, clock, push: fakePush(clock) });
  const handler = apiHandler(deps, { streaming: true });
  const deliver = async () => {
    for (let turn = deps.queue.take(); turn; turn = deps.queue.take()) await runTurn(deps, turn, AMPLE);
  };

  const text = async (event: Parameters<typeof gatewayEvent>[0]): Promise<string> => {
    const { statusCode, headers, body } = await handler(gatewayEvent(event), lambdaContext());
    let whole = '';
    if (typeof body === 'string') whole = body;
    else for await (const piece of body) whole += piece;
    return JSON.stringify([statusCode, headers, whole]);
  };

  /** The whole answer, with its headers, on JSON-RPC and on every route of HTTP+JSON. */
  const answers = async ({ name, routes }: WireOperation, request: JsonObject, authorizer: JsonObject) => {
    const rpc = JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params: request });
    const all = [await text({ body: rpc, authorizer })];
    for (const { method, path } of routes) all.push(await text({ ...httpRequest(method, path, request), authorizer }));
    return all;
  };
  return { deps, agent, clock, deliver, answers };
}

function httpRequest(method: string, path: string, request: JsonObject) {
  const rest: Record<string, unknown> = { ...request };
  const filled = path.replace(/\{(\w+)\}/g, (_whole, field: string) => {
    const value = String(rest[field]);
    delete rest[field];
    return value;
  });
  if (method === 'POST') return { method, path: filled, body: JSON.stringify(rest) };
  const query = Object.entries(rest).map(([name, value]) => [
    name,
    [typeof value === 'string' ? value : JSON.stringify(value)],
  ]);
  return { method, path: filled, query: Object.fromEntries(query) as Record<string, string[]> };
}

type System = ReturnType<typeof system>;

/** A task of Alice's in the state that is asked for, with a receiver of notifications. */
async function aliceTask({ deps, deliver, clock, answers }: System, state: string) {
  const message = {
    messageId: 'm-1',
    contextId: 'C',
    role: 'ROLE_USER',
    parts: [{ text: 'File my taxi receipt' }],
  } as const;
  const sent = await sendMessage(deps, alice, { message, configuration: { returnImmediately: true } });
  if (!('task' in sent)) throw new Error('no task');
  const taskId = sent.task.id;
  const create = operations.find(({ name }) => name === 'CreateTaskPushNotificationConfig');
  if (!create) throw new Error('no push operations');
  await answers(create, { taskId, id: 'mine', url: 'https://hooks.example.com/a', token: 'secret-token' }, alice);
  if (state === 'submitted') return { taskId, questionId: 'q-none-1' };
  if (state === 'parked, to be tried again') {
    deps.agent.run = () => Promise.reject(new Error('not now'));
    await deliver();
    return { taskId, questionId: 'q-none-1' };
  }
  await deliver();
  const questionId = deps.store.peek(taskId)?.ask?.questionId ?? '';
  if (state === 'canceled') await cancelTask(deps, alice, { id: taskId });
  if (state === 'overdue') await clock.advance(86_400_000);
  if (state === 'failed') {
    await clock.advance(86_400_000);
    await doDue(deps, taskId);
  }
  return { taskId, questionId };
}

const STATES = {
  submitted: 'TASK_STATE_SUBMITTED',
  'parked, to be tried again': 'TASK_STATE_WORKING',
  asking: 'TASK_STATE_INPUT_REQUIRED',
  overdue: 'TASK_STATE_INPUT_REQUIRED',
  canceled: 'TASK_STATE_CANCELED',
  failed: 'TASK_STATE_FAILED',
};

describe.each(Object.entries(STATES))('a task that is %s', (state, expected) => {
  let all: System;
  let task: { readonly taskId: string; readonly questionId: string };
  beforeEach(async () => {
    all = system();
    task = await aliceTask(all, state);
    expect(all.deps.store.peek(task.taskId)?.status.state).toBe(expected);
  });

  const named = operations.filter(({ name }) => CASES[name]?.of === 'a task');
  it.each(named.map((operation) => [operation.name, operation] as const))(
    '%s: strangers find what is behind a random id, and change nothing (R43)',
    async (_name, operation) => {
      const { deps, agent, answers } = all;
      const mine = CASES[operation.name];
      if (mine?.of !== 'a task') throw new Error('no case');
      const before = [deps.store.dump(), deps.push.store.dump()];
      const { queue, sent, runs } = {
        queue: deps.queue.waiting.length,
        sent: deps.push.queue.sent.length,
        runs: agent.runs,
      };
      for (const stranger of Object.values(STRANGERS)) {
        const real = mine.requests(task.taskId, task.questionId);
        const random = mine.requests(RANDOM, task.questionId);
        for (const [n, request] of real.entries()) {
          const found = await answers(operation, request, stranger);
          const missed = await answers(operation, random[n] ?? {}, stranger);
          expect(found.map((answer) => answer.replaceAll(task.taskId, RANDOM))).toEqual(missed);
          for (const answer of found) expect(answer).toContain('TASK_NOT_FOUND');
        }
      }
      expect([deps.store.dump(), deps.push.store.dump()]).toEqual(before);
      expect({ queue: deps.queue.waiting.length, sent: deps.push.queue.sent.length, runs: agent.runs }).toEqual({
        queue,
        sent,
        runs,
      });
    },
  );
});

describe('what names no task shows nothing of other owners', () => {
  it('ListTasks', async () => {
    const all = system();
    const { taskId } = await aliceTask(all, 'asking');
    const list = operations.find(({ name }) => name === 'ListTasks') as WireOperation;
    const empty = system();
    for (const stranger of Object.values(STRANGERS)) {
      for (const request of [
        {},
        { contextId: 'C' },
        { status: 'TASK_STATE_INPUT_REQUIRED' },
        { includeArtifacts: true },
      ]) {
        expect(await all.answers(list, request, stranger)).toEqual(await empty.answers(list, request, stranger));
      }
    }
    for (const answer of await all.answers(list, {}, alice)) expect(answer).toContain(taskId);
  });

  it('GetExtendedAgentCard: is about the agent, and the same whatever tasks there are', async () => {
    const all = system();
    await aliceTask(all, 'asking');
    const card = operations.find(({ name }) => name === 'GetExtendedAgentCard') as WireOperation;
    for (const stranger of Object.values(STRANGERS)) {
      expect(await all.answers(card, {}, stranger)).toEqual(await system().answers(card, {}, stranger));
    }
  });
});

describe('de-duplication is scoped (R83)', () => {
  const first = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'File my taxi receipt' }] } as const;
  const send = async ({ deps }: System, owner: typeof alice, message: object) => {
    const configuration = { returnImmediately: true };
    const sent = await sendMessage(deps, owner, { message: { ...first, ...message }, configuration });
    if (!('task' in sent)) throw new Error('no task');
    return sent.task;
  };

  it('the same first message of three owners makes three tasks; a repeat finds its own', async () => {
    const all = system();
    const owners = [alice, ...Object.values(STRANGERS)];
    const made = [];
    for (const owner of owners) made.push((await send(all, owner, {})).id);
    expect(new Set(made).size).toBe(4);
    for (const [n, owner] of owners.entries()) expect((await send(all, owner, {})).id).toBe(made[n]);
    await all.deliver();
    expect(all.agent.runs).toBe(4);
  });

  it('the same messageId on two tasks, and first as a request and later as an answer, is no repeat', async () => {
    const all = system();
    const one = await send(all, alice, {});
    const two = await send(all, alice, { messageId: 'm-2' });
    await all.deliver();
    for (const { id } of [one, two]) {
      const data = { questionId: all.deps.store.peek(id)?.ask?.questionId ?? '', costCentre: 'CC-4410' };
      const answered = await send(all, alice, { messageId: 'm-9', taskId: id, parts: [{ data }] });
      expect(answered.status.state).toBe('TASK_STATE_WORKING');
    }
    const third = await send(all, alice, { messageId: 'm-9' });
    expect([one.id, two.id]).not.toContain(third.id);
  });
});
