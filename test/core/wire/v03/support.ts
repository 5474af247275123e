/** One task in which every shape of A2A occurs, and how 0.3 spells it in JSON-RPC and on HTTP+JSON. Literals, all of them. */
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import type { StreamResponse, Task } from '../../../../core/message.ts';
import { type Answer, rest, rpc, type Wired } from '../support.ts';

export const FULL_TASK: Task = {
  id: 'task1',
  contextId: 'ctx1',
  status: {
    state: 'TASK_STATE_AUTH_REQUIRED',
    timestamp: '2026-11-30T10:00:00.000Z',
    message: {
      messageId: 's1',
      contextId: 'ctx1',
      taskId: 'task1',
      role: 'ROLE_AGENT',
      parts: [
        { text: 'Which one?', mediaType: 'text/plain' },
        { data: { questionId: 'q-1' }, mediaType: 'application/json', metadata: { note: 1 } },
        { data: false },
        { data: [1, 'two'], metadata: { own: true } },
      ],
      extensions: ['https://example.com/x'],
    },
  },
  artifacts: [
    {
      artifactId: 'a1',
      name: 'receipt',
      description: 'A picture',
      parts: [
        { raw: 'aGVsbG8=', mediaType: 'image/png', filename: 'r.png' },
        { url: 'https://example.com/r.pdf', metadata: { pages: 2 } },
      ],
      metadata: { source: 'camera' },
    },
  ],
  history: [
    {
      messageId: 'm1',
      role: 'ROLE_USER',
      parts: [{ text: '' }],
      metadata: { trace: 't' },
      referenceTaskIds: ['task0'],
    },
  ],
  metadata: { generation: 2 },
};

export const RPC_TASK = {
  kind: 'task',
  id: 'task1',
  contextId: 'ctx1',
  status: {
    state: 'auth-required',
    message: {
      kind: 'message',
      messageId: 's1',
      contextId: 'ctx1',
      taskId: 'task1',
      role: 'agent',
      parts: [
        { kind: 'text', text: 'Which one?' },
        { kind: 'data', data: { questionId: 'q-1' }, metadata: { note: 1 } },
        { kind: 'data', data: { value: false }, metadata: { data_part_compat: true } },
        { kind: 'data', data: { value: [1, 'two'] }, metadata: { own: true, data_part_compat: true } },
      ],
      extensions: ['https://example.com/x'],
    },
    timestamp: '2026-11-30T10:00:00.000Z',
  },
  history: [
    {
      kind: 'message',
      messageId: 'm1',
      role: 'user',
      parts: [{ kind: 'text', text: '' }],
      metadata: { trace: 't' },
      referenceTaskIds: ['task0'],
    },
  ],
  artifacts: [
    {
      artifactId: 'a1',
      name: 'receipt',
      description: 'A picture',
      parts: [
        { kind: 'file', file: { bytes: 'aGVsbG8=', mimeType: 'image/png', name: 'r.png' } },
        { kind: 'file', file: { uri: 'https://example.com/r.pdf' }, metadata: { pages: 2 } },
      ],
      metadata: { source: 'camera' },
    },
  ],
  metadata: { generation: 2 },
};

export const REST_TASK = {
  id: 'task1',
  contextId: 'ctx1',
  status: {
    state: 'TASK_STATE_AUTH_REQUIRED',
    message: {
      messageId: 's1',
      contextId: 'ctx1',
      taskId: 'task1',
      role: 'ROLE_AGENT',
      content: [
        { text: 'Which one?' },
        { data: { data: { questionId: 'q-1' } }, metadata: { note: 1 } },
        { data: { data: { value: false } }, metadata: { data_part_compat: true } },
        { data: { data: { value: [1, 'two'] } }, metadata: { own: true, data_part_compat: true } },
      ],
      extensions: ['https://example.com/x'],
    },
    timestamp: '2026-11-30T10:00:00.000Z',
  },
  artifacts: [
    {
      artifactId: 'a1',
      name: 'receipt',
      description: 'A picture',
      parts: [
        { file: { fileWithBytes: 'aGVsbG8=', mimeType: 'image/png', name: 'r.png' } },
        { file: { fileWithUri: 'https://example.com/r.pdf' }, metadata: { pages: 2 } },
      ],
      metadata: { source: 'camera' },
    },
  ],
  history: [{ messageId: 'm1', role: 'ROLE_USER', content: [{ text: '' }], metadata: { trace: 't' } }],
  metadata: { generation: 2 },
};

/** Every state, by its spellings: 1.0, JSON-RPC of 0.3, HTTP+JSON of 0.3, and whether it is `final`. */
export const STATES = [
  ['TASK_STATE_SUBMITTED', 'submitted', 'TASK_STATE_SUBMITTED', false],
  ['TASK_STATE_WORKING', 'working', 'TASK_STATE_WORKING', false],
  ['TASK_STATE_INPUT_REQUIRED', 'input-required', 'TASK_STATE_INPUT_REQUIRED', false],
  ['TASK_STATE_AUTH_REQUIRED', 'auth-required', 'TASK_STATE_AUTH_REQUIRED', false],
  ['TASK_STATE_COMPLETED', 'completed', 'TASK_STATE_COMPLETED', true],
  ['TASK_STATE_FAILED', 'failed', 'TASK_STATE_FAILED', true],
  ['TASK_STATE_CANCELED', 'canceled', 'TASK_STATE_CANCELLED', true],
  ['TASK_STATE_REJECTED', 'rejected', 'TASK_STATE_REJECTED', true],
] as const;

export const AT = '2026-11-30T10:00:00.000Z';

export const ARTIFACT_EVENT: StreamResponse = {
  artifactUpdate: {
    taskId: 'task1',
    contextId: 'ctx1',
    artifact: { artifactId: 'a1', name: 'text', parts: [{ text: 'more' }] },
    append: true,
    metadata: { generation: 4 },
  },
};

/** A request of 0.3 names no version. */
const OLD = { headers: { 'content-type': 'application/json' } };

export function oldRpc(wire: Wired, method: string, params?: unknown): Promise<Answer> {
  return rpc(wire, method, params, OLD);
}

export function oldRest(wire: Wired, method: string, path: string, body?: unknown, over: object = {}): Promise<Answer> {
  return rest(wire, method, path, body, { ...OLD, ...over });
}

/** What the official SDK's 0.3 layer answers over a handler that gives this. */
export async function official(method: string, params: object, handler: object): Promise<unknown> {
  const legacy = new LegacyJsonRpcTransportHandler({
    getAgentCard: async () => ({ capabilities: { streaming: true } }),
    ...handler,
  } as never);
  const answer = await legacy.handle({ jsonrpc: '2.0', id: 7, method, params }, {} as never);
  if (!(Symbol.asyncIterator in answer)) return JSON.parse(JSON.stringify(answer));
  for await (const event of answer as AsyncIterable<unknown>) return JSON.parse(JSON.stringify(event));
  return undefined;
}
