/** Requests of A2A 0.3 over JSON-RPC: what they become in 1.0, and refusals in 0.3's own names. */
import { SendMessageRequest as SdkSendRequest, Task as SdkTask } from '@a2a-js/sdk';
import { describe, expect, it } from 'vitest';
import { wired } from '../support.ts';
import { FULL_TASK, official, oldRpc } from './support.ts';

const MESSAGE = { kind: 'message', messageId: 'm1', role: 'user', parts: [{ kind: 'text', text: 'hello' }] };

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
