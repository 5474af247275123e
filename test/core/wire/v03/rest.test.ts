/** A2A 0.3 over HTTP+JSON, which is the JSON of 0.3's protobuf: every shape and route pinned as a literal. */
import { describe, expect, it } from 'vitest';
import { ProtocolError, taskNotFound } from '../../../../core/errors.ts';
import type { StreamResponse } from '../../../../core/message.ts';
import { wired } from '../support.ts';
import { ARTIFACT_EVENT, AT, FULL_TASK, oldRest, REST_TASK, STATES } from './support.ts';

const MESSAGE = { messageId: 'm1', role: 'ROLE_USER', content: [{ text: 'hello' }] };
const STREAMS = { streaming: true };

async function streamed(event: StreamResponse) {
  async function* events() {
    yield { id: '1', event };
  }
  const wire = wired({ streamMessage: async () => events() }, undefined, STREAMS);
  const { headers, text } = await oldRest(wire, 'POST', '/v1/message:stream', { message: MESSAGE });
  expect(headers['content-type']).toBe('text/event-stream');
  return text;
}

describe('answers', () => {
  it('a task, in every shape that a task may have', async () => {
    const wire = wired({ getTask: async () => FULL_TASK });
    const { status, headers, json } = await oldRest(wire, 'GET', '/v1/tasks/task1', undefined, {
      query: { historyLength: ['3'] },
    });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    expect(json).toEqual(REST_TASK);
    await oldRest(wire, 'GET', '/v1/tasks/task1', undefined, { query: { history_length: ['0'] } });
    expect(wire.calls).toEqual([
      ['getTask', { id: 'task1', historyLength: 3 }],
      ['getTask', { id: 'task1', historyLength: 0 }],
    ]);
  });

  it('what the extension asks for in metadata, as in 1.0', async () => {
    const metadata = { 'https://askback.dev/a2a/extensions/question/v1': { currentGeneration: 3, waitMs: 50 } };
    const wire = wired();
    await oldRest(wire, 'GET', '/v1/tasks/task1', undefined, { query: { metadata: [JSON.stringify(metadata)] } });
    await oldRest(wire, 'POST', '/v1/tasks/task1:cancel', { metadata: { why: 'late' } });
    expect(wire.calls).toEqual([
      ['getTask', { id: 'task1', currentGeneration: 3, waitMs: 50 }],
      ['cancelTask', { id: 'task1', metadata: { why: 'late' } }],
    ]);
  });

  it.each(STATES)('%s is not %s here but %s', async (state, _rpc, old, final) => {
    const statusUpdate = { taskId: 't', contextId: 'c', status: { state, timestamp: AT }, metadata: { generation: 3 } };
    const shown = {
      taskId: 't',
      contextId: 'c',
      metadata: { generation: 3 },
      status: { state: old, timestamp: AT },
      ...(final ? { final: true } : {}),
    };
    expect(await streamed({ statusUpdate })).toBe(`id: 1\ndata: ${JSON.stringify({ statusUpdate: shown })}\n\n`);
  });

  it('an artifact event', async () => {
    const text = await streamed(ARTIFACT_EVENT);
    expect(JSON.parse(text.slice(text.indexOf('{')))).toEqual({
      artifactUpdate: {
        taskId: 'task1',
        contextId: 'ctx1',
        artifact: { artifactId: 'a1', name: 'text', parts: [{ text: 'more' }] },
        append: true,
        metadata: { generation: 4 },
      },
    });
  });

  it('a send gives {task} or {message}', async () => {
    const wire = wired({ sendMessage: async () => ({ task: FULL_TASK }) });
    expect((await oldRest(wire, 'POST', '/v1/message:send', { message: MESSAGE })).json).toEqual({ task: REST_TASK });
    const reply = { messageId: 'r1', role: 'ROLE_AGENT', parts: [{ text: 'hi' }] } as const;
    const replying = wired({ sendMessage: async () => ({ message: reply }) });
    expect((await oldRest(replying, 'POST', '/v1/message:send', { message: MESSAGE })).json).toEqual({
      message: { messageId: 'r1', role: 'ROLE_AGENT', content: [{ text: 'hi' }] },
    });
  });

  it('cancel and subscribe', async () => {
    const wire = wired({ cancelTask: async () => FULL_TASK }, undefined, STREAMS);
    // Clients of 0.3 send an empty body, or the JSON of nothing.
    expect((await oldRest(wire, 'POST', '/v1/tasks/task1:cancel')).json).toEqual(REST_TASK);
    expect((await oldRest(wire, 'POST', '/v1/tasks/task1:cancel', null)).json).toEqual(REST_TASK);
    for (const method of ['GET', 'POST']) {
      const { text } = await oldRest(wire, method, '/v1/tasks/task1:subscribe');
      expect(text).toMatch(/^data: {"task":{"id":"task1"/);
    }
    expect(wire.calls).toEqual([
      ['cancelTask', { id: 'task1' }],
      ['cancelTask', { id: 'task1' }],
      ['subscribeToTask', { id: 'task1' }],
      ['subscribeToTask', { id: 'task1' }],
    ]);
  });
});

describe('requests', () => {
  const EXPECTED = {
    message: {
      messageId: 'm1',
      contextId: 'ctx1',
      taskId: 'task1',
      role: 'ROLE_USER',
      parts: [
        { text: 'hello', metadata: { a_b: 1 } },
        { raw: 'aGVsbG8=', filename: 'a.txt', mediaType: 'text/plain' },
        { url: 'https://example.com/a' },
        { data: { question_id: 'q-1' } },
      ],
      metadata: { trace_id: 't' },
      extensions: ['https://example.com/x'],
    },
    configuration: { acceptedOutputModes: ['text/plain'], historyLength: 2, returnImmediately: false },
    metadata: { d_e: 4 },
  };

  it.each([
    [
      'as JSON names them',
      {
        message: {
          messageId: 'm1',
          contextId: 'ctx1',
          taskId: 'task1',
          role: 'ROLE_USER',
          content: [
            { text: 'hello', metadata: { a_b: 1 } },
            { file: { fileWithBytes: 'aGVsbG8=', mimeType: 'text/plain', name: 'a.txt' } },
            { file: { fileWithUri: 'https://example.com/a', fileWithBytes: '' } },
            { data: { data: { question_id: 'q-1' } } },
          ],
          metadata: { trace_id: 't' },
          extensions: ['https://example.com/x'],
        },
        configuration: { acceptedOutputModes: ['text/plain'], historyLength: 2, blocking: true },
        metadata: { d_e: 4 },
      },
    ],
    [
      'as the protobuf names them',
      {
        request: {
          message_id: 'm1',
          context_id: 'ctx1',
          task_id: 'task1',
          role: 'ROLE_USER',
          content: [
            { text: 'hello', metadata: { a_b: 1 } },
            { file: { file_with_bytes: 'aGVsbG8=', mime_type: 'text/plain', name: 'a.txt' } },
            { file: { file_with_uri: 'https://example.com/a' } },
            { data: { data: { question_id: 'q-1' } } },
          ],
          metadata: { trace_id: 't' },
          extensions: ['https://example.com/x'],
        },
        configuration: { accepted_output_modes: ['text/plain'], history_length: 2, blocking: true },
        metadata: { d_e: 4 },
      },
    ],
  ])('a send, %s, becomes the same send of 1.0', async (_title, body) => {
    const wire = wired();
    expect((await oldRest(wire, 'POST', '/v1/message:send', body)).status).toBe(200);
    expect(wire.calls).toEqual([['sendMessage', EXPECTED]]);
  });

  it.each<[string, unknown, string, string]>([
    ['no message', {}, 'message', 'is required'],
    [
      'the parts of JSON-RPC',
      { message: { ...MESSAGE, content: undefined, parts: [] } },
      'message.content',
      'is required',
    ],
    ['a role of JSON-RPC', { message: { ...MESSAGE, role: 'user' } }, 'message.role', 'must be ROLE_USER'],
    ['empty part', content({}), 'message.content[0]', 'must have one of text, file and data'],
    [
      'part of two kinds',
      content({ text: 'x', data: { data: {} } }),
      'message.content[0]',
      'must have one of text, file and data, not text and data',
    ],
    [
      'empty file',
      content({ file: { fileWithUri: '' } }),
      'message.content[0].file',
      'must have one of fileWithBytes and fileWithUri',
    ],
    ['file that is none', content({ file: 'x' }), 'message.content[0].file', 'must be an object'],
    [
      'bad base64',
      content({ file: { fileWithBytes: '!' } }),
      'message.content[0].file.fileWithBytes',
      'must be valid base64',
    ],
    ['data that is none', content({ data: 1 }), 'message.content[0].data', 'must be an object'],
    ['data without data', content({ data: {} }), 'message.content[0].data.data', 'is required'],
    [
      'text as blocking',
      { message: MESSAGE, configuration: { blocking: 'yes' } },
      'configuration.blocking',
      'must be true or false',
    ],
  ])('refused in its own names: %s', async (_title, body, field, description) => {
    const wire = wired();
    const { status, json } = await oldRest(wire, 'POST', '/v1/message:send', body);
    expect(status).toBe(400);
    expect(json).toMatchObject({
      code: -32602,
      status: 'INVALID_ARGUMENT',
      message: `${field}: ${description}`,
      data: [{ reason: 'INVALID_PARAMS' }, { fieldViolations: [{ field, description }] }],
    });
    expect(wire.calls).toEqual([]);
  });
});

function content(raw: unknown) {
  return { message: { ...MESSAGE, content: [raw] } };
}

describe('errors', () => {
  it('are one flat object with the code of JSON-RPC, under the status of 1.0', async () => {
    const wire = wired({
      getTask: async () => {
        throw taskNotFound('nope');
      },
    });
    const { status, headers, json } = await oldRest(wire, 'GET', '/v1/tasks/nope');
    expect(status).toBe(404);
    expect(headers['content-type']).toBe('application/json');
    expect(json).toEqual({
      type: 'TaskNotFoundError',
      code: -32001,
      message: 'Task not found: nope',
      data: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'TASK_NOT_FOUND',
          domain: 'a2a-protocol.org',
          metadata: { taskId: 'nope' },
        },
      ],
      status: 'NOT_FOUND',
    });
  });

  it.each([
    ['TASK_NOT_CANCELABLE', 'TaskNotCancelableError'],
    ['PUSH_NOTIFICATION_NOT_SUPPORTED', 'PushNotificationNotSupportedError'],
    ['UNSUPPORTED_OPERATION', 'UnsupportedOperationError'],
    ['CONTENT_TYPE_NOT_SUPPORTED', 'ContentTypeNotSupportedError'],
    ['EXTENDED_AGENT_CARD_NOT_CONFIGURED', 'ExtendedAgentCardNotConfiguredError'],
    ['INVALID_PARAMS', 'InvalidParamsError'],
    ['PARSE_ERROR', 'JSONParseError'],
    ['INTERNAL', 'InternalError'],
  ] as const)('%s is of the type %s', async (reason, type) => {
    const wire = wired({
      getTask: async () => {
        throw new ProtocolError(reason, 'm');
      },
    });
    expect((await oldRest(wire, 'GET', '/v1/tasks/t')).json).toMatchObject({ type, message: 'm' });
  });

  it('routes: 404 and 405 as in 1.0, no list', async () => {
    expect((await oldRest(wired(), 'GET', '/v1/nothing')).status).toBe(404);
    expect((await oldRest(wired(), 'GET', '/v1/tasks')).status).toBe(404);
    const wrong = await oldRest(wired(), 'GET', '/v1/message:send');
    expect([wrong.status, wrong.headers.allow]).toEqual([405, 'POST']);
    expect((await oldRest(wired(), 'GET', '/v1/tasks/t', undefined, { owner: undefined })).status).toBe(401);
  });

  it('the paths of 0.3 are nothing in 1.0', async () => {
    const headers = { 'a2a-version': '1.0' };
    const { status, json } = await oldRest(wired(), 'GET', '/v1/card', undefined, { headers });
    expect([status, json]).toMatchObject([404, { error: { code: 404 } }]);
  });
});
