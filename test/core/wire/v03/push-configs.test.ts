/** Push notification configs of A2A 0.3 on both bindings, over hand-made operations of 1.0. */
import { describe, expect, it } from 'vitest';
import { invalidParams } from '../../../../core/errors.ts';
import type { JsonObject } from '../../../../core/json.ts';
import type { WireOperation } from '../../../../core/wire/operations.ts';
import { type Wired, wired } from '../support.ts';
import { oldRest, oldRpc } from './support.ts';

const CONFIG = {
  taskId: 'task1',
  id: 'c1',
  url: 'https://example.com/hook',
  token: 't',
  authentication: { scheme: 'Bearer', credentials: 'secret' },
};
const OTHER = { taskId: 'task1', id: 'default', url: 'https://example.com/other' };

const INNER = {
  id: 'c1',
  url: 'https://example.com/hook',
  token: 't',
  authentication: { schemes: ['Bearer'], credentials: 'secret' },
};
const RPC_CONFIG = { taskId: 'task1', pushNotificationConfig: INNER };
const REST_CONFIG = { name: 'tasks/task1/pushNotificationConfigs/c1', pushNotificationConfig: INNER };

function withConfigs(configs: readonly object[], seen: unknown[] = []): Wired {
  const operation = (name: string, answer: (raw: JsonObject) => object): WireOperation => ({
    name,
    routes: [],
    query: {},
    async invoke(call, raw) {
      seen.push([name, raw, call.version]);
      return { json: answer(raw) };
    },
  });
  return wired({}, [
    operation('CreateTaskPushNotificationConfig', ({ url }) => {
      if (url === 'ftp://x') throw invalidParams('url', 'must be https');
      return CONFIG;
    }),
    operation('GetTaskPushNotificationConfig', () => CONFIG),
    operation('ListTaskPushNotificationConfigs', () => ({ configs, nextPageToken: '' })),
    operation('DeleteTaskPushNotificationConfig', () => ({})),
  ]);
}

describe('JSON-RPC', () => {
  const call = async (wire: Wired, name: string, params: object) =>
    (await oldRpc(wire, `tasks/pushNotificationConfig/${name}`, params)).json;

  it('set: the first scheme is the one', async () => {
    const seen: unknown[] = [];
    const authentication = { schemes: ['Bearer', 'Basic'], credentials: 'secret' };
    const params = { taskId: 'task1', pushNotificationConfig: { ...INNER, authentication } };
    expect(await call(withConfigs([], seen), 'set', params)).toEqual({ jsonrpc: '2.0', id: 7, result: RPC_CONFIG });
    expect(seen).toEqual([['CreateTaskPushNotificationConfig', CONFIG, '0.3']]);
  });

  it('set without an id and without schemes', async () => {
    const seen: unknown[] = [];
    const pushNotificationConfig = { url: 'https://example.com/hook', authentication: { schemes: [] } };
    await call(withConfigs([], seen), 'set', { taskId: 'task1', pushNotificationConfig });
    const expected = { taskId: 'task1', id: 'default', url: 'https://example.com/hook' };
    expect(seen).toEqual([['CreateTaskPushNotificationConfig', expected, '0.3']]);
  });

  it.each([
    [{ taskId: 't' }, 'pushNotificationConfig', 'is required'],
    [{ taskId: 't', pushNotificationConfig: 'x' }, 'pushNotificationConfig', 'must be an object'],
    [{ taskId: 't', pushNotificationConfig: { url: 'ftp://x' } }, 'pushNotificationConfig.url', 'must be https'],
    [
      { taskId: 't', pushNotificationConfig: { url: 'x', authentication: { schemes: 'Bearer' } } },
      'pushNotificationConfig.authentication.schemes',
      'must be a list of strings',
    ],
  ])('set %j is refused in its own names', async (params, field, description) => {
    expect(await call(withConfigs([]), 'set', params)).toMatchObject({
      error: { code: -32602, message: `${field}: ${description}`, data: [{}, { fieldViolations: [{ field }] }] },
    });
  });

  it('get by id, list, delete', async () => {
    const seen: unknown[] = [];
    const wire = withConfigs([CONFIG], seen);
    expect(await call(wire, 'get', { id: 'task1', pushNotificationConfigId: 'c1' })).toMatchObject({
      result: RPC_CONFIG,
    });
    expect(await call(wire, 'list', { id: 'task1' })).toMatchObject({ result: [RPC_CONFIG] });
    expect(await call(wire, 'delete', { id: 'task1', pushNotificationConfigId: 'c1' })).toEqual({
      jsonrpc: '2.0',
      id: 7,
      result: null,
    });
    expect(seen).toEqual([
      ['GetTaskPushNotificationConfig', { taskId: 'task1', id: 'c1' }, '0.3'],
      ['ListTaskPushNotificationConfigs', { taskId: 'task1' }, '0.3'],
      ['DeleteTaskPushNotificationConfig', { taskId: 'task1', id: 'c1' }, '0.3'],
    ]);
  });

  it('get without an id: the default one, else the first, else not found', async () => {
    const get = (configs: readonly object[]) => call(withConfigs(configs), 'get', { id: 'task1' });
    expect(await get([CONFIG, OTHER])).toMatchObject({ result: { pushNotificationConfig: { id: 'default' } } });
    expect(await get([CONFIG])).toMatchObject({ result: RPC_CONFIG });
    expect(await get([])).toMatchObject({ error: { code: -32001 } });
  });
});

describe('HTTP+JSON', () => {
  const CONFIGS = '/v1/tasks/task1/pushNotificationConfigs';

  it.each([
    ['the config', { pushNotificationConfig: INNER }],
    ['the config under its name', { config: { push_notification_config: INNER } }],
  ])('set: the body is %s, the task is the path', async (_title, body) => {
    const seen: unknown[] = [];
    const { status, json } = await oldRest(withConfigs([], seen), 'POST', CONFIGS, body);
    expect([status, json]).toEqual([200, REST_CONFIG]);
    expect(seen).toEqual([['CreateTaskPushNotificationConfig', CONFIG, '0.3']]);
  });

  it('get, list, delete', async () => {
    const seen: unknown[] = [];
    const wire = withConfigs([CONFIG], seen);
    expect((await oldRest(wire, 'GET', `${CONFIGS}/c1`)).json).toEqual(REST_CONFIG);
    expect((await oldRest(wire, 'GET', CONFIGS)).json).toEqual({ configs: [REST_CONFIG] });
    expect(await oldRest(wire, 'DELETE', `${CONFIGS}/c1`)).toMatchObject({ status: 200, json: {} });
    expect(seen).toEqual([
      ['GetTaskPushNotificationConfig', { taskId: 'task1', id: 'c1' }, '0.3'],
      ['ListTaskPushNotificationConfigs', { taskId: 'task1' }, '0.3'],
      ['DeleteTaskPushNotificationConfig', { taskId: 'task1', id: 'c1' }, '0.3'],
    ]);
  });
});

describe('inside a send', () => {
  const expected = { taskPushNotificationConfig: { id: 'default', url: 'https://example.com/hook' } };
  const seen: unknown[] = [];
  const sending: WireOperation = {
    name: 'SendMessage',
    routes: [],
    query: {},
    async invoke(_call, raw) {
      seen.push(raw.configuration);
      throw invalidParams('configuration.taskPushNotificationConfig.url', 'must be https');
    },
  };
  const config = { url: 'https://example.com/hook' };

  it('JSON-RPC calls it pushNotificationConfig', async () => {
    const configuration = { blocking: true, pushNotificationConfig: config };
    const { json } = await oldRpc(wired({}, [sending]), 'message/send', {
      message: { messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'x' }] },
      configuration,
    });
    expect(seen.pop()).toMatchObject(expected);
    const field = 'configuration.pushNotificationConfig.url';
    expect(json).toMatchObject({
      error: { message: `${field}: must be https`, data: [{}, { fieldViolations: [{ field }] }] },
    });
  });

  it('HTTP+JSON calls it pushNotification', async () => {
    const { json } = await oldRest(wired({}, [sending]), 'POST', '/v1/message:send', {
      message: { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'x' }] },
      configuration: { pushNotification: config },
    });
    expect(seen.pop()).toMatchObject(expected);
    expect(json).toMatchObject({ message: 'configuration.pushNotification.url: must be https' });
  });
});
