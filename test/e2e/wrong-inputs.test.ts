/** Wrong inputs get a clear error with details on both bindings, never a 500, and leave the task as it is. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Task } from '../../core/message.ts';
import { BINDINGS, type Reply, type Wire, wire } from './support/bindings.ts';
import { answer, question, REQUEST, say, taskOf } from './support/expense.ts';
import { openTarget, type Target } from './support/target.ts';

let target: Target;
beforeAll(async () => {
  target = await openTarget();
});
afterAll(() => target?.stop());

describe.each(BINDINGS)('%s', (binding) => {
  const rpc = binding === 'JSONRPC';
  let a2a: Wire;
  let asked: Task;
  beforeAll(async () => {
    a2a = wire(binding, target.url, target.as('alice'));
    asked = taskOf(await a2a.send(say(REQUEST)));
  });

  /** Error code and HTTP status of each binding, and the reason that both tell. */
  function expectError(reply: Reply, reason: string, codes: { rpc: number; http: number; rpcHttp?: number }) {
    expect({ status: reply.status, code: reply.error?.code, reason: reply.error?.reason }).toEqual({
      status: rpc ? (codes.rpcHttp ?? 200) : codes.http,
      code: rpc ? codes.rpc : codes.http,
      reason,
    });
    expect(reply.error?.message).not.toBe('');
  }
  const INVALID = { rpc: -32602, http: 400 };

  async function expectUntouched() {
    const now = taskOf(await a2a.get(asked.id));
    expect(now.status).toEqual(asked.status);
    expect(now.history).toHaveLength(2);
  }

  test('an unknown task id: TaskNotFoundError (R22)', async () => {
    for (const id of ['no-such-task', randomUUID(), 'aaaaaaaaaaaaaaaaaaaaaaaaaa']) {
      expectError(await a2a.get(id), 'TASK_NOT_FOUND', { rpc: -32001, http: 404 });
      expectError(await a2a.cancel(id), 'TASK_NOT_FOUND', { rpc: -32001, http: 404 });
      expectError(await a2a.send(say('CC-4410', { taskId: id })), 'TASK_NOT_FOUND', { rpc: -32001, http: 404 });
    }
  });

  test("another task's context: InvalidParams naming both, the task still answerable (R22)", async () => {
    const other = taskOf(await a2a.send(say(REQUEST)));
    const reply = await a2a.send(answer(asked, { costCentre: 'CC-4410' }, { contextId: other.contextId }));
    expectError(reply, 'INVALID_PARAMS', INVALID);
    expect(reply.error?.violations.map(({ field }) => field)).toEqual(['message.contextId']);
    expect(reply.error?.message).toContain(other.contextId);
    expect(reply.error?.message).toContain(asked.contextId);
    await expectUntouched();
  });

  test('a task id without a context: the context is inferred (R22)', async () => {
    const own = taskOf(await a2a.send(say(REQUEST)));
    const done = taskOf(await a2a.send(say('CC-4410', { taskId: own.id })));
    expect([done.status.state, done.contextId]).toEqual(['TASK_STATE_COMPLETED', own.contextId]);
  });

  test('a question id that is foreign, made up or of other case: named error, no attempt used (R57)', async () => {
    const other = taskOf(await a2a.send(say(REQUEST)));
    const { questionId } = question(asked);
    for (const wrong of [question(other).questionId, 'q-1', questionId.toUpperCase(), '']) {
      const reply = await a2a.send(answer(asked, { costCentre: 'CC-4410', questionId: wrong }));
      expectError(reply, 'INVALID_PARAMS', INVALID);
      expect(reply.error?.metadata.openQuestionId).toBe(questionId);
    }
    await expectUntouched();
  });

  test('a stale question id: named error, no attempt used (R57)', async () => {
    const own = taskOf(await a2a.send(say(REQUEST)));
    const again = taskOf(await a2a.send(say('engineering', { taskId: own.id })));
    const reply = await a2a.send(answer(own, { costCentre: 'CC-4410' }));
    expectError(reply, 'INVALID_PARAMS', INVALID);
    expect(reply.error?.metadata.openQuestionId).toBe(question(again).questionId);
    expect(question(taskOf(await a2a.get(own.id))).attempt).toBe(2);
  });

  test('a message id that was used for other content: InvalidParams, nothing changes', async () => {
    const message = say(REQUEST);
    const own = taskOf(await a2a.send(message));
    const reply = await a2a.send({ ...message, parts: [{ text: 'File my hotel bill, 300 euros' }] });
    expectError(reply, 'INVALID_PARAMS', INVALID);
    expect(reply.error?.message).toContain('already used');
    expect(taskOf(await a2a.get(own.id)).status).toEqual(own.status);
  });

  test('a terminal task: UnsupportedOperationError; cancel: TaskNotCancelableError', async () => {
    const own = taskOf(await a2a.send(say(REQUEST)));
    taskOf(await a2a.send(say('CC-4410', { taskId: own.id })));
    expectError(await a2a.send(say('CC-4410', { taskId: own.id })), 'UNSUPPORTED_OPERATION', {
      rpc: -32004,
      http: 400,
    });
    expectError(await a2a.cancel(own.id), 'TASK_NOT_CANCELABLE', { rpc: -32002, http: 400 });
  });

  test.each(['{', '', 'null', '[]', '"x"', '{"message":', '\u0000'])('malformed JSON: %j', async (body) => {
    const reply = await a2a.raw(body);
    expect(reply.status).toBe(rpc ? 200 : 400);
    expect(rpc ? [-32700, -32600] : [400]).toContain(reply.error?.code);
  });

  test.each([
    ['no message', undefined],
    ['no parts', { messageId: 'm', role: 'ROLE_USER' }],
    ['empty parts', { messageId: 'm', role: 'ROLE_USER', parts: [] }],
    ['null for a part', { messageId: 'm', role: 'ROLE_USER', parts: [null] }],
    ['a part without content', { messageId: 'm', role: 'ROLE_USER', parts: [{}] }],
    ['a part of two kinds', { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'a', data: {} }] }],
    ['no message id', { role: 'ROLE_USER', parts: [{ text: 'a' }] }],
    ['an unknown role', { messageId: 'm', role: 'user', parts: [{ text: 'a' }] }],
    ["the agent's role", { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'a' }] }],
    ['bad base64', { messageId: 'm', role: 'ROLE_USER', parts: [{ raw: '***' }] }],
    ['a number for text', { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 5 }] }],
  ])('%s: InvalidParams with the field', async (_what, message) => {
    const reply = await a2a.raw(a2a.body(message));
    expectError(reply, 'INVALID_PARAMS', INVALID);
    expect(reply.error?.violations.length).toBeGreaterThan(0);
  });

  test('too deep: InvalidParams', async () => {
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ data: 'DEEP' }] };
    expectError(await a2a.raw(a2a.body(message).replace('"DEEP"', deep)), 'INVALID_PARAMS', INVALID);
  });

  test('too large: 413 with the limit', async () => {
    const reply = await a2a.send(say('x'.repeat(5_700_000)));
    expectError(reply, 'REQUEST_TOO_LARGE', { rpc: -32602, http: 413, rpcHttp: 413 });
  });

  test('an answer that is too large or too deep is an invalid answer, not an error', async () => {
    const own = taskOf(await a2a.send(say(REQUEST)));
    const large = taskOf(await a2a.send(answer(own, { costCentre: 'x'.repeat(70_000) })));
    expect(question(large)).toMatchObject({ attempt: 2 });
    const nested = JSON.parse(`${'['.repeat(20)}${']'.repeat(20)}`);
    const deep = taskOf(await a2a.send(answer(large, { costCentre: nested })));
    expect(question(deep)).toMatchObject({ attempt: 3 });
  });

  test.each(['9.9', '0.2', 'x'])('A2A-Version %s: VersionNotSupportedError (R90)', async (version) => {
    const reply = await a2a.raw(a2a.body(say(REQUEST)), { 'A2A-Version': version });
    expectError(reply, 'VERSION_NOT_SUPPORTED', { rpc: -32009, http: 400 });
  });

  test.each(['', '0.3'])('A2A-Version %j is 0.3, where nothing is called so (R90)', async (version) => {
    const reply = await a2a.raw(a2a.body(say(REQUEST)), { 'A2A-Version': version });
    // HTTP errors of 0.3 have a form of their own: v03.test.ts.
    if (binding === 'HTTP+JSON') expect(reply.status).toBe(404);
    else expect(reply.error).toMatchObject({ code: -32601, message: expect.stringContaining('"A2A-Version: 1.0"') });
  });

  test('another content type: 415', async () => {
    const reply = await a2a.raw(a2a.body(say(REQUEST)), { 'Content-Type': 'text/plain' });
    expectError(reply, 'UNSUPPORTED_MEDIA_TYPE', { rpc: -32005, http: 415, rpcHttp: 415 });
  });

  test('unknown credentials: 401', async () => {
    const stranger = wire(binding, target.url, { Authorization: 'Bearer no-such-token' });
    expectError(await stranger.get(asked.id), 'UNAUTHENTICATED', { rpc: -32090, http: 401, rpcHttp: 401 });
  });
});

test('an unknown JSON-RPC method, an unknown path and a wrong HTTP method', async () => {
  const headers = { 'A2A-Version': '1.0', 'Content-Type': 'application/json', ...target.as('alice') };
  const rpc = await fetch(target.url, { method: 'POST', headers, body: '{"jsonrpc":"2.0","id":7,"method":"NoSuch"}' });
  expect(await rpc.json()).toMatchObject({ id: 7, error: { code: -32601 } });
  expect((await fetch(`${target.url}/no/such/path`, { headers })).status).toBe(404);
  expect((await fetch(`${target.url}/message:send`, { headers })).status).toBe(405);
});
