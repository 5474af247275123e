/** A2A 0.3's HTTP+JSON routes over the operations of 1.0. */
import type { JsonObject } from '../../json.ts';
import type { StreamResponse, Task } from '../../message.ts';
import type { AgentCard } from '../card.ts';
import type { Route, WireOperation } from '../operations.ts';
import { oldCardFields } from './card.ts';
import { configsOf, restConfig } from './push-config.ts';
import { readSend, readSetConfig, readTaskId } from './rest-read.ts';
import { writeResponse, writeTask } from './rest-write.ts';
import { type Operations, type Row, translatedAll } from './translate.ts';

export function restOperations(operations: Operations): readonly WireOperation[] {
  return translatedAll(operations, ROWS);
}

const response = (answer: object | null) => writeResponse(answer as StreamResponse);
const task = (answer: object | null) => writeTask(answer as Task);
const config = (answer: object | null) => restConfig(answer as JsonObject);

const TASK = '/v1/tasks/{id}';
const CONFIGS = '/v1/tasks/{taskId}/pushNotificationConfigs';

const send = { read: readSend, write: response, rename: renameInSend };

function route(method: Route['method'], path: string) {
  return { routes: [{ method, path }] };
}

const ROWS: readonly Row[] = [
  ['SendMessage', { ...route('POST', '/v1/message:send'), ...send }],
  ['SendStreamingMessage', { ...route('POST', '/v1/message:stream'), ...send }],
  [
    'GetTask',
    {
      ...route('GET', TASK),
      query: { historyLength: 'integer', history_length: 'integer', metadata: 'json' },
      read: readTaskId,
      write: task,
    },
  ],
  ['CancelTask', { ...route('POST', `${TASK}:cancel`), read: readTaskId, write: task }],
  [
    'SubscribeToTask',
    {
      // The protobuf says GET, the prose of 0.3 says POST.
      routes: [
        { method: 'GET', path: `${TASK}:subscribe` },
        { method: 'POST', path: `${TASK}:subscribe` },
      ],
      read: readTaskId,
      write: response,
    },
  ],
  [
    'CreateTaskPushNotificationConfig',
    {
      ...route('POST', CONFIGS),
      read: readSetConfig,
      write: config,
      rename: (field) => (field === 'taskId' ? field : `pushNotificationConfig.${field}`),
    },
  ],
  ['GetTaskPushNotificationConfig', { ...route('GET', `${CONFIGS}/{id}`), write: config }],
  [
    'ListTaskPushNotificationConfigs',
    { ...route('GET', CONFIGS), write: (answer) => ({ configs: configsOf(answer).map(restConfig) }) },
  ],
  ['DeleteTaskPushNotificationConfig', route('DELETE', `${CONFIGS}/{id}`)],
  ['GetExtendedAgentCard', { ...route('GET', '/v1/card'), write: card }],
];

/** Protobuf spells security requirements as 1.0 does. */
function card(answer: object | null): object {
  const { securityRequirements } = answer as AgentCard;
  const security = securityRequirements ? { security: securityRequirements } : {};
  return { ...answer, ...oldCardFields(answer as AgentCard), ...security };
}

function renameInSend(field: string): string {
  if (!field.startsWith('message.parts')) {
    return field.replace('configuration.taskPushNotificationConfig', 'configuration.pushNotification');
  }
  return field
    .replace('message.parts', 'message.content')
    .replace(/\.raw$/, '.file.fileWithBytes')
    .replace(/\.url$/, '.file.fileWithUri')
    .replace(/\.mediaType$/, '.file.mimeType')
    .replace(/\.filename$/, '.file.name');
}
