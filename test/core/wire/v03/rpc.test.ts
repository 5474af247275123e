/** A2A 0.3 over JSON-RPC: every shape pinned as a literal, and compared with what the official SDK's layer makes of it. */
import { type StreamResponse as SdkStreamResponse, Task as SdkTask, StreamResponse as SdkStream } from '@a2a-js/sdk';
import { describe, expect, it } from 'vitest';
import { ProtocolError, taskNotFound } from '../../../../core/errors.ts';
import type { StreamResponse } from '../../../../core/message.ts';
import { answer, wired } from '../support.ts';
import { ARTIFACT_EVENT, AT, FULL_TASK, official, oldRpc, RPC_TASK, STATES } from './support.ts';

const MESSAGE = { kind: 'message', messageId: 'm1', role: 'user', parts: [{ kind: 'text', text: 'hello' }] };
const STREAMS = { streaming: true };

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
