/**
 * The wire of A2A 1.0, pinned byte by byte: spelling of enumerations, shapes of parts, order and presence of members, error
 * bodies. What changes here changes for every client. (Streams: stream-operations.test.ts; 0.3: v03/.)
 */
import { describe, expect, it } from 'vitest';
import { invalidParams, PROTOCOL_ERRORS, ProtocolError } from '../../../core/errors.ts';
import type { Task } from '../../../core/message.ts';
import { MESSAGE, rest, rpc, wired } from './support.ts';
import { AT, FULL_TASK, STATES } from './v03/support.ts';

const TASK_BYTES =
  '{"id":"task1","contextId":"ctx1","status":{"state":"TASK_STATE_AUTH_REQUIRED","timestamp":"2026-11-30T10:00:00.000Z",' +
  '"message":{"messageId":"s1","contextId":"ctx1","taskId":"task1","role":"ROLE_AGENT","parts":[' +
  '{"text":"Which one?","mediaType":"text/plain"},' +
  '{"data":{"questionId":"q-1"},"mediaType":"application/json","metadata":{"note":1}},' +
  '{"data":false},{"data":[1,"two"],"metadata":{"own":true}}],"extensions":["https://example.com/x"]}},' +
  '"artifacts":[{"artifactId":"a1","name":"receipt","description":"A picture","parts":[' +
  '{"raw":"aGVsbG8=","mediaType":"image/png","filename":"r.png"},' +
  '{"url":"https://example.com/r.pdf","metadata":{"pages":2}}],"metadata":{"source":"camera"}}],' +
  '"history":[{"messageId":"m1","role":"ROLE_USER","parts":[{"text":""}],"metadata":{"trace":"t"},' +
  '"referenceTaskIds":["task0"]}],"metadata":{"generation":2}}';

describe('tasks and messages (sections 4.1, 5.5, 5.6)', () => {
  it('a task in every shape', async () => {
    const wire = wired({ getTask: async () => FULL_TASK, sendMessage: async () => ({ task: FULL_TASK }) });
    expect((await rest(wire, 'GET', '/tasks/task1')).text).toBe(TASK_BYTES);
    expect((await rpc(wire, 'GetTask', { id: 'task1' })).text).toBe(`{"jsonrpc":"2.0","id":7,"result":${TASK_BYTES}}`);
    expect((await rest(wire, 'POST', '/message:send', { message: MESSAGE })).text).toBe(`{"task":${TASK_BYTES}}`);
    expect((await rpc(wire, 'SendMessage', { message: MESSAGE })).text).toBe(
      `{"jsonrpc":"2.0","id":7,"result":{"task":${TASK_BYTES}}}`,
    );
  });

  it.each(STATES)('%s', async (state) => {
    const task: Task = { id: 't', contextId: 'c', status: { state, timestamp: AT } };
    const wire = wired({ getTask: async () => task });
    expect((await rest(wire, 'GET', '/tasks/t')).text).toBe(
      `{"id":"t","contextId":"c","status":{"state":"${state}","timestamp":"2026-11-30T10:00:00.000Z"}}`,
    );
  });

  it('a reply', async () => {
    const reply = { messageId: 'r1', contextId: 'c', role: 'ROLE_AGENT', parts: [{ text: 'hi' }] } as const;
    const wire = wired({ sendMessage: async () => ({ message: reply }) });
    expect((await rest(wire, 'POST', '/message:send', { message: MESSAGE })).text).toBe(
      '{"message":{"messageId":"r1","contextId":"c","role":"ROLE_AGENT","parts":[{"text":"hi"}]}}',
    );
  });
});

describe('errors (sections 5.4, 9.5, 11.6)', () => {
  const failing = (error: ProtocolError) =>
    wired({
      getTask: async () => {
        throw error;
      },
    });

  it('with metadata', async () => {
    const wire = failing(new ProtocolError('TASK_NOT_FOUND', 'Task not found: x', { metadata: { taskId: 'x' } }));
    const info =
      '{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org",' +
      '"metadata":{"taskId":"x"}}';
    expect((await rpc(wire, 'GetTask', { id: 'x' })).text).toBe(
      `{"jsonrpc":"2.0","id":7,"error":{"code":-32001,"message":"Task not found: x","data":[${info}]}}`,
    );
    expect((await rest(wire, 'GET', '/tasks/x')).text).toBe(
      `{"error":{"code":404,"status":"NOT_FOUND","message":"Task not found: x","details":[${info}]}}`,
    );
  });

  it('with violations, which stand in ErrorInfo as well', async () => {
    const wire = failing(invalidParams('id', 'is odd'));
    const details =
      '[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"INVALID_PARAMS","domain":"a2a-protocol.org",' +
      '"metadata":{"fieldViolations":"[{\\"field\\":\\"id\\",\\"description\\":\\"is odd\\"}]"}},' +
      '{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"id","description":"is odd"}]}]';
    expect((await rpc(wire, 'GetTask', { id: 'x' })).text).toBe(
      `{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"id: is odd","data":${details}}}`,
    );
    expect((await rest(wire, 'GET', '/tasks/x')).text).toBe(
      `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"id: is odd","details":${details}}}`,
    );
  });

  it('every reason, with its codes', () => {
    const table = Object.entries(PROTOCOL_ERRORS).map(([reason, { rpc: code, http, status }]) => [
      reason,
      code,
      http,
      status,
    ]);
    expect(table).toEqual([
      ['TASK_NOT_FOUND', -32001, 404, 'NOT_FOUND'],
      ['TASK_NOT_CANCELABLE', -32002, 400, 'FAILED_PRECONDITION'],
      ['PUSH_NOTIFICATION_NOT_SUPPORTED', -32003, 400, 'FAILED_PRECONDITION'],
      ['UNSUPPORTED_OPERATION', -32004, 400, 'FAILED_PRECONDITION'],
      ['CONTENT_TYPE_NOT_SUPPORTED', -32005, 400, 'INVALID_ARGUMENT'],
      ['INVALID_AGENT_RESPONSE', -32006, 500, 'INTERNAL'],
      ['EXTENDED_AGENT_CARD_NOT_CONFIGURED', -32007, 400, 'FAILED_PRECONDITION'],
      ['EXTENSION_SUPPORT_REQUIRED', -32008, 400, 'FAILED_PRECONDITION'],
      ['VERSION_NOT_SUPPORTED', -32009, 400, 'FAILED_PRECONDITION'],
      ['TASK_GENERATION_MISMATCH', -32010, 409, 'ABORTED'],
      ['PARSE_ERROR', -32700, 400, 'INVALID_ARGUMENT'],
      ['INVALID_REQUEST', -32600, 400, 'INVALID_ARGUMENT'],
      ['METHOD_NOT_FOUND', -32601, 404, 'NOT_FOUND'],
      ['METHOD_NOT_ALLOWED', -32601, 405, 'UNIMPLEMENTED'],
      ['INVALID_PARAMS', -32602, 400, 'INVALID_ARGUMENT'],
      ['REQUEST_TOO_LARGE', -32602, 413, 'INVALID_ARGUMENT'],
      ['UNSUPPORTED_MEDIA_TYPE', -32005, 415, 'INVALID_ARGUMENT'],
      ['UNAUTHENTICATED', -32090, 401, 'UNAUTHENTICATED'],
      ['PERMISSION_DENIED', -32091, 403, 'PERMISSION_DENIED'],
      ['UNAVAILABLE', -32092, 503, 'UNAVAILABLE'],
      ['TOO_MANY_STREAMS', -32093, 429, 'RESOURCE_EXHAUSTED'],
      ['CALLBACK_GONE', -32094, 410, 'FAILED_PRECONDITION'],
      ['INTERNAL', -32603, 500, 'INTERNAL'],
    ]);
  });
});

describe('the table of operations (section 5.3)', () => {
  it('names and routes', () => {
    const { byName } = wired().context;
    const rows = [...byName.values()].map(({ name, routes }) => [name, ...routes.map((r) => `${r.method} ${r.path}`)]);
    expect(rows).toEqual([
      ['SendMessage', 'POST /message:send'],
      ['SendStreamingMessage', 'POST /message:stream'],
      ['GetTask', 'GET /tasks/{id}'],
      ['CancelTask', 'POST /tasks/{id}:cancel'],
      ['SubscribeToTask', 'GET /tasks/{id}:subscribe', 'POST /tasks/{id}:subscribe'],
      ['ListTasks', 'GET /tasks'],
      ['CreateTaskPushNotificationConfig', 'POST /tasks/{taskId}/pushNotificationConfigs'],
      ['GetTaskPushNotificationConfig', 'GET /tasks/{taskId}/pushNotificationConfigs/{id}'],
      ['ListTaskPushNotificationConfigs', 'GET /tasks/{taskId}/pushNotificationConfigs'],
      ['DeleteTaskPushNotificationConfig', 'DELETE /tasks/{taskId}/pushNotificationConfigs/{id}'],
      ['GetExtendedAgentCard', 'GET /extendedAgentCard'],
    ]);
  });
});
