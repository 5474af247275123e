/** A2A 0.3's JSON-RPC methods over the operations of 1.0. What 0.3 does not know (ListTasks) it cannot call. */
import { taskNotFound } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import type { StreamResponse, Task } from '../../message.ts';
import type { AgentCard } from '../card.ts';
import { isGiven } from '../fields.ts';
import type { WireOperation } from '../operations.ts';
import { oldCardFields } from './card.ts';
import { configsOf, rpcConfig } from './push-config.ts';
import * as read from './rpc-read.ts';
import { writeResponse, writeTask } from './rpc-write.ts';
import { type Operations, type Row, translated, translatedAll } from './translate.ts';

const GET_CONFIG = 'tasks/pushNotificationConfig/get';

export function rpcOperations(operations: Operations): readonly WireOperation[] {
  return translatedAll(operations, ROWS).map((operation) =>
    operation.name === GET_CONFIG ? firstConfigByDefault(operations, operation) : operation,
  );
}

const response = (answer: object | null) => writeResponse(answer as StreamResponse);
const task = (answer: object | null) => writeTask(answer as Task);
const config = (answer: object | null) => rpcConfig(answer as JsonObject);

const send = { read: read.readSend, write: response, rename: renameInSend };
const configId = {
  read: read.readConfigId,
  rename: (field: string) => (field === 'taskId' ? 'id' : 'pushNotificationConfigId'),
};

const ROWS: readonly Row[] = [
  ['SendMessage', { name: 'message/send', ...send }],
  ['SendStreamingMessage', { name: 'message/stream', ...send }],
  ['GetTask', { name: 'tasks/get', read: read.readTaskId, write: task }],
  ['CancelTask', { name: 'tasks/cancel', read: read.readTaskId, write: task }],
  ['SubscribeToTask', { name: 'tasks/resubscribe', read: read.readTaskId, write: response }],
  [
    'CreateTaskPushNotificationConfig',
    {
      name: 'tasks/pushNotificationConfig/set',
      read: read.readSetConfig,
      write: config,
      rename: (field) => (field === 'taskId' ? field : `pushNotificationConfig.${field}`),
    },
  ],
  ['GetTaskPushNotificationConfig', { name: GET_CONFIG, ...configId, write: config }],
  [
    'ListTaskPushNotificationConfigs',
    {
      name: 'tasks/pushNotificationConfig/list',
      ...configId,
      write: (answer) => configsOf(answer).map(rpcConfig),
    },
  ],
  ['DeleteTaskPushNotificationConfig', { name: 'tasks/pushNotificationConfig/delete', ...configId, write: () => null }],
  [
    'GetExtendedAgentCard',
    {
      name: 'agent/getAuthenticatedExtendedCard',
      write: (answer) => ({ ...answer, ...oldCardFields(answer as AgentCard) }),
    },
  ],
];

function renameInSend(field: string): string {
  if (!field.startsWith('message.parts')) {
    return field.replace('configuration.taskPushNotificationConfig', 'configuration.pushNotificationConfig');
  }
  return field
    .replace(/\.raw$/, '.file.bytes')
    .replace(/\.url$/, '.file.uri')
    .replace(/\.mediaType$/, '.file.mimeType')
    .replace(/\.filename$/, '.file.name');
}

/** In 0.3 a get need not name the config: it means the one that was set without a name, or the only one there is. */
function firstConfigByDefault(operations: Operations, named: WireOperation): WireOperation {
  const list = operations.get('ListTaskPushNotificationConfigs');
  if (list === undefined) return named;
  return {
    ...named,
    async invoke(call, raw) {
      if (isGiven(raw.pushNotificationConfigId)) return named.invoke(call, raw);
      const write = (answer: object | null) => {
        const configs = configsOf(answer);
        const meant = configs.find(({ id }) => id === read.DEFAULT_CONFIG_ID) ?? configs[0];
        if (meant === undefined) throw taskNotFound(String(raw.id));
        return rpcConfig(meant);
      };
      return translated({ name: GET_CONFIG, routes: [], query: {}, ...configId, write, target: list }).invoke(
        call,
        raw,
      );
    },
  };
}
