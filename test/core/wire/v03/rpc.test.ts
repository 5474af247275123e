/** A2A 0.3 over JSON-RPC: every shape pinned as a literal, and compared with what the official SDK's layer makes of it. */
import {
  type StreamResponse as SdkStreamResponse,
  Task as SdkTask,
  StreamResponse as SdkStream,
  SendMessageRequest as SdkSendRequest,
} from '@a2a-js/sdk';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { describe, expect, it } from 'vitest';
import { ProtocolError, taskNotFound } from '../../../../core/errors.ts';
import type { StreamResponse } from '../../../../core/message.ts';
import { answer, wired } from '../support.ts';
import { ARTIFACT_EVENT, AT, FULL_TASK, oldRpc, RPC_TASK, STATES } from './support.ts';

const MESSAGE = { kind: 'message', messageId: 'm1', role: 'user', parts: [{ kind: 'text', text: 'hello' }] };
const STREAMS = { streaming: true };

/** What the official SDK's 0.3 layer answers over a handler that gives this. */
async function official(method: string, params: object, handler: object): Promise<unknown> {
  const legacy = new LegacyJsonRpcTransportHandler({
    getAgentCard: async () => ({ capabilities: { streaming: true } }),
    ...handler,
  } as never);
  const answer = await legacy.handle({ jsonrpc: '2.0', id: 7, method, params }, {} as never);
  if (!(Symbol.asyncIterator in answer)) return JSON.parse(JSON.stringify(answer));
  for await (const event of answer as AsyncIterable<unknown>) return JSON.parse(JSON.stringify(event));
  return undefined;
}

async function streamed(...events: readonly StreamResponse[]) {
  const wire = wired(
    {
      async streamMessage() {
        return (async function* () {
          for (const [index, event] of events.entries()) yield { id: String(index + 1), event };
        })();
      },
    },
    undefined,
    STREAMS,
  );
  return oldRpc(wire, 'message/stream', { message: MESSAGE });
}

describe('answers', () => {
  it('a task, in every shape that a task may have', async () => {
    const wire = wired({ getTask: async () => FULL_TASK });
    const { status, headers, json } = await oldRpc(wire, 'tasks/get', { id: 'task1', historyLength: 3 });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    expect(json).toEqual({ jsonrpc: '2.0', id: 7, result: RPC_TASK });
    expect(wire.calls).toEqual([['getTask', { id: 'task1', historyLength: 3 }]]);
    const asOfficial = await official(
      'tasks/get',
      { id: 'task1' },
      { getTask: async () => SdkTask.fromJSON(FULL_TASK) },
    );
    expect(json).toEqual(asOfficial);
  });

  it.each(STATES)('%s is %s', async (state, old, _rest, final) => {
    const status = { state, timestamp: AT };
    const event: StreamResponse = {
      statusUpdate: { taskId: 't', contextId: 'c', status, metadata: { generation: 3 } },
    };
    const { headers, text } = await streamed(event);
    const expected = {
      jsonrpc: '2.0',
      id: 7,
      result: {
        kind: 'status-update',
        taskId: 't',
        contextId: 'c',
        status: { state: old, timestamp: AT },
        final,
        metadata: { generation: 3 },
      },
    };
    expect(headers['content-type']).toBe('text/event-stream');
    expect(text).toBe(`id: 1\ndata: ${JSON.stringify(expected)}\n\n`);
    async function* sdkEvents(): AsyncGenerator<SdkStreamResponse> {
      yield SdkStream.fromJSON(event);
    }
    const params = { message: MESSAGE };
    expect(await official('message/stream', params, { sendMessageStream: sdkEvents })).toEqual(expected);
  });

  it('an artifact event always says whether it appends and whether it is the last', async () => {
    const { text } = await streamed(ARTIFACT_EVENT);
    const expected = {
      jsonrpc: '2.0',
      id: 7,
      result: {
        kind: 'artifact-update',
        taskId: 'task1',
        contextId: 'ctx1',
        artifact: { artifactId: 'a1', name: 'text', parts: [{ kind: 'text', text: 'more' }] },
        append: true,
        lastChunk: false,
        metadata: { generation: 4 },
      },
    };
    expect(text).toBe(`id: 1\ndata: ${JSON.stringify(expected)}\n\n`);
    async function* sdkEvents(): AsyncGenerator<SdkStreamResponse> {
      yield SdkStream.fromJSON(ARTIFACT_EVENT);
    }
    const params = { message: MESSAGE };
    expect(await official('message/stream', params, { sendMessageStream: sdkEvents })).toEqual(expected);
  });

  it('a send gives the task or the message itself', async () => {
    const wire = wired({ sendMessage: async () => ({ task: FULL_TASK }) });
    expect((await oldRpc(wire, 'message/send', { message: MESSAGE })).json).toMatchObject({ result: RPC_TASK });
    const reply = { messageId: 'r1', role: 'ROLE_AGENT', parts: [{ text: 'hi' }] } as const;
    const replying = wired({ sendMessage: async () => ({ message: reply }) });
    expect((await oldRpc(replying, 'message/send', { message: MESSAGE })).json).toEqual({
      jsonrpc: '2.0',
      id: 7,
      result: { kind: 'message', messageId: 'r1', role: 'agent', parts: [{ kind: 'text', text: 'hi' }] },
    });
  });

  it('tasks/cancel and tasks/resubscribe', async () => {
    const wire = wired({ cancelTask: async () => FULL_TASK }, undefined, STREAMS);
    expect((await oldRpc(wire, 'tasks/cancel', { id: 'task1', metadata: { why: 'x' } })).json).toMatchObject({
      result: RPC_TASK,
    });
    const { text } = await oldRpc(wire, 'tasks/resubscribe', { id: 'task1' });
    expect(text).toContain('"result":{"kind":"task","id":"task1"');
    expect(wire.calls).toEqual([
      ['cancelTask', { id: 'task1', metadata: { why: 'x' } }],
      ['subscribeToTask', { id: 'task1' }],
    ]);
  });
});

describe('requests', () => {
  const EVERYTHING = {
    message: {
      kind: 'message',
      messageId: 'm1',
      contextId: 'ctx1',
      taskId: 'task1',
      role: 'user',
      parts: [
        { kind: 'text', text: 'hello', metadata: { a: 1 } },
        { kind: 'file', file: { bytes: 'aGVsbG8=', mimeType: 'text/plain', name: 'a.txt' } },
        { kind: 'file', file: { uri: 'https://example.com/a' }, metadata: { b: 2 } },
        { kind: 'data', data: { questionId: 'q-1', costCentre: 'CC-4410' } },
        { kind: 'data', data: { value: 0 }, metadata: { data_part_compat: true } },
        { kind: 'data', data: { value: [] }, metadata: { c: 3, data_part_compat: true } },
      ],
      metadata: { trace: 't' },
      extensions: ['https://example.com/x'],
      referenceTaskIds: ['task0'],
    },
    configuration: { acceptedOutputModes: ['text/plain'], blocking: true, historyLength: 2 },
    metadata: { d: 4 },
  };

  it('a send, in every shape, becomes the same send of 1.0', async () => {
    const wire = wired();
    await oldRpc(wire, 'message/send', EVERYTHING);
    const expected = {
      message: {
        messageId: 'm1',
        contextId: 'ctx1',
        taskId: 'task1',
        role: 'ROLE_USER',
        parts: [
          { text: 'hello', metadata: { a: 1 } },
          { raw: 'aGVsbG8=', filename: 'a.txt', mediaType: 'text/plain' },
          { url: 'https://example.com/a', metadata: { b: 2 } },
          { data: { questionId: 'q-1', costCentre: 'CC-4410' } },
          { data: 0 },
          { data: [], metadata: { c: 3 } },
        ],
        metadata: { trace: 't' },
        extensions: ['https://example.com/x'],
        referenceTaskIds: ['task0'],
      },
      configuration: { acceptedOutputModes: ['text/plain'], historyLength: 2, returnImmediately: false },
      metadata: { d: 4 },
    };
    expect(wire.calls).toEqual([['sendMessage', expected]]);
    let seen: unknown;
    await official('message/send', EVERYTHING, {
      sendMessage: async (request: SdkSendRequest) => {
        seen = SdkSendRequest.toJSON(request);
        return SdkTask.fromJSON(FULL_TASK);
      },
    });
    // ProtoJSON leaves out what is false.
    const { returnImmediately: _false, ...configuration } = expected.configuration;
    expect(seen).toEqual({ ...expected, configuration });
  });

  it.each([
    [{}, true],
    [{ blocking: false }, true],
    [{ blocking: true }, false],
    [{ blocking: null }, true],
  ])('configuration %j: returns at once %s', async (configuration, returnImmediately) => {
    const wire = wired();
    await oldRpc(wire, 'message/send', { message: MESSAGE, configuration });
    expect(wire.calls[0]?.[1]).toMatchObject({ configuration: { returnImmediately } });
  });

  it('no configuration leaves waiting to the agent', async () => {
    const wire = wired();
    await oldRpc(wire, 'message/send', { message: MESSAGE });
    expect(wire.calls[0]?.[1]).not.toHaveProperty('configuration');
  });

  it.each<[string, unknown, string, string]>([
    ['no message', {}, 'message', 'is required'],
    ['message that is text', { message: 'x' }, 'message', 'must be an object'],
    ['other kind', { message: { ...MESSAGE, kind: 'task' } }, 'message.kind', 'must be message'],
    ['R90: a role of 1.0', { message: { ...MESSAGE, role: 'ROLE_USER' } }, 'message.role', 'must be user'],
    ["the agent's role", { message: { ...MESSAGE, role: 'agent' } }, 'message.role', 'must be user'],
    ['no role', { message: { ...MESSAGE, role: undefined } }, 'message.role', 'is required'],
    ['no messageId', { message: { ...MESSAGE, messageId: undefined } }, 'message.messageId', 'is required'],
    ['no parts', { message: { ...MESSAGE, parts: [] } }, 'message.parts', 'must have at least one part'],
    ['parts that are none', { message: { ...MESSAGE, parts: 'x' } }, 'message.parts', 'must be a list'],
    ['null part', part(null), 'message.parts[0]', 'must be an object'],
    ['no kind', part({ text: 'x' }), 'message.parts[0].kind', 'is required'],
    ['unknown kind', part({ kind: 'video' }), 'message.parts[0].kind', 'must be text, file or data'],
    ['text without text', part({ kind: 'text' }), 'message.parts[0].text', 'is required'],
    ['text that is none', part({ kind: 'text', text: 1 }), 'message.parts[0].text', 'must be a string'],
    ['file without file', part({ kind: 'file' }), 'message.parts[0].file', 'is required'],
    ['empty file', part({ kind: 'file', file: {} }), 'message.parts[0].file', 'must have one of bytes and uri'],
    [
      'file of both kinds',
      part({ kind: 'file', file: { bytes: '', uri: 'x' } }),
      'message.parts[0].file',
      'must have one of bytes and uri',
    ],
    ['bad base64', part({ kind: 'file', file: { bytes: '!' } }), 'message.parts[0].file.bytes', 'must be valid base64'],
    ['empty uri', part({ kind: 'file', file: { uri: '' } }), 'message.parts[0].file.uri', 'must not be empty'],
    [
      'number as mimeType',
      part({ kind: 'file', file: { uri: 'x', mimeType: 1 } }),
      'message.parts[0].file.mimeType',
      'must be a string',
    ],
    [
      'list as name',
      part({ kind: 'file', file: { uri: 'x', name: [] } }),
      'message.parts[0].file.name',
      'must be a string',
    ],
    ['no data', part({ kind: 'data' }), 'message.parts[0].data', 'is required'],
    ['data that is no object', part({ kind: 'data', data: [] }), 'message.parts[0].data', 'must be an object'],
    [
      'text as blocking',
      { message: MESSAGE, configuration: { blocking: 'yes' } },
      'configuration.blocking',
      'must be true or false',
    ],
    [
      'negative historyLength',
      { message: MESSAGE, configuration: { historyLength: -1 } },
      'configuration.historyLength',
      'must be a non-negative integer',
    ],
  ])('refused in its own names: %s', async (_title, params, field, description) => {
    const wire = wired();
    const { status, json } = await oldRpc(wire, 'message/send', params);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      jsonrpc: '2.0',
      id: 7,
      error: {
        code: -32602,
        message: `${field}: ${description}`,
        data: [
          { reason: 'INVALID_PARAMS' },
          { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field, description }] },
        ],
      },
    });
    expect(wire.calls).toEqual([]);
  });
});

function part(raw: unknown) {
  return { message: { ...MESSAGE, parts: [raw] } };
}

describe('errors', () => {
  it('are those of 1.0, code by code', async () => {
    const wire = wired({
      getTask: async () => {
        throw taskNotFound('nope');
      },
      cancelTask: async () => {
        throw new ProtocolError('TASK_NOT_CANCELABLE', 'Task t has already ended');
      },
    });
    expect((await oldRpc(wire, 'tasks/get', { id: 'nope' })).json).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: {
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
      },
    });
    expect((await oldRpc(wire, 'tasks/cancel', { id: 't' })).json).toMatchObject({ error: { code: -32002 } });
    expect((await oldRpc(wire, 'message/stream', { message: MESSAGE })).json).toMatchObject({
      error: { code: -32004 },
    });
    expect((await oldRpc(wire, 'agent/getAuthenticatedExtendedCard')).json).toMatchObject({ error: { code: -32004 } });
  });

  it('a request without an id hears of its method and its params first', async () => {
    const send = async (request: object) => {
      const body = JSON.stringify({ jsonrpc: '2.0', ...request });
      return (await answer(wired(), { body, headers: {} })).json;
    };
    expect(await send({ method: 'message/ssend', params: {} })).toMatchObject({ id: null, error: { code: -32601 } });
    expect(await send({ method: 'message/send', params: { '': 1 } })).toMatchObject({ error: { code: -32602 } });
    expect(await send({ method: 'message/send', params: {} })).toMatchObject({ error: { code: -32600 } });
  });
});
