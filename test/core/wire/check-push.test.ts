/** What is refused of a push notification config before anybody looks at the task (A2A 4.3, R38). */
import { describe, expect, it } from 'vitest';
import { ProtocolError } from '../../../core/errors.ts';
import { checkCreatePushConfig, checkListPushConfigs, checkPushConfigName } from '../../../core/wire/check-push.ts';
import { checkSendMessage } from '../../../core/wire/check-request.ts';
import { MESSAGE } from './support.ts';

const OWNER = { tenant: 'acme', principal: 'alice' };
const URL_ = 'https://receiver.example/hook';

function violations(act: () => unknown): [string, string][] {
  try {
    act();
    return [];
  } catch (error) {
    if (!(error instanceof ProtocolError) || error.reason !== 'INVALID_PARAMS') throw error;
    return error.violations.map(({ field, description }) => [field, description]);
  }
}
const create = (over: object) => violations(() => checkCreatePushConfig({ taskId: 't', url: URL_, ...over }, OWNER));

describe('CreateTaskPushNotificationConfig', () => {
  it('reads what is known and drops the rest; empty is absent', () => {
    const raw = {
      tenant: 'acme',
      id: 'my-hook',
      taskId: 't',
      url: URL_,
      token: 'tok en',
      authentication: { scheme: 'Bearer', credentials: 'abc.def-_~+/=', x: 1 },
      metadata: { x: 1 },
    };
    expect(checkCreatePushConfig(raw, OWNER)).toStrictEqual({
      taskId: 't',
      id: 'my-hook',
      url: URL_,
      token: 'tok en',
      authentication: { scheme: 'Bearer', credentials: 'abc.def-_~+/=' },
    });
    const empty = { taskId: 't', url: URL_, id: '', token: '', tenant: '', authentication: null };
    expect(checkCreatePushConfig(empty, OWNER)).toStrictEqual({ taskId: 't', url: URL_ });
    const bare = { taskId: 't', url: URL_, authentication: { scheme: 'Bearer', credentials: '' } };
    expect(checkCreatePushConfig(bare, OWNER)).toStrictEqual({
      taskId: 't',
      url: URL_,
      authentication: { scheme: 'Bearer' },
    });
  });

  it.each([
    [{ taskId: undefined }, 'taskId', 'is required'],
    [{ url: undefined }, 'url', 'is required'],
    [{ url: '' }, 'url', 'must not be empty'],
    [{ url: 5 }, 'url', 'must be a string'],
    [{ url: `https://a.example/\n` }, 'url', 'must not contain control characters'],
    [{ id: 'a b' }, 'id', 'must be of letters, digits and . _ ~ : @ -'],
    [{ id: 'a/b' }, 'id', 'must be of letters, digits and . _ ~ : @ -'],
    [{ id: 'a#1' }, 'id', 'must be of letters, digits and . _ ~ : @ -'],
    [{ id: 'x'.repeat(65) }, 'id', 'must not be longer than 64 characters'],
    [{ tenant: 'other' }, 'tenant', 'is not the tenant of this caller'],
    [{ authentication: 'Bearer x' }, 'authentication', 'must be an object'],
    [{ authentication: {} }, 'authentication.scheme', 'is required'],
    [
      { authentication: { scheme: 'HMAC-SHA256' } },
      'authentication.credentials',
      'is required with HMAC-SHA256: it is the key',
    ],
    [{ authentication: { scheme: 'Bea rer' } }, 'authentication.scheme', 'must be the name of an HTTP scheme'],
    [{ authentication: { scheme: 'Bearer:' } }, 'authentication.scheme', 'must be the name of an HTTP scheme'],
    [{ token: 'x'.repeat(1_025) }, 'token', 'must not be longer than 1024 characters'],
  ])('refuses %j', (over, field, description) => {
    expect(create(over)).toEqual([[field, description]]);
  });

  it.each(['x\r\nX-Evil: 1', 'x\ny', 'x\u0000', 'tab\there', 'grüße', '鍵', ' leading', 'trailing ', 'x\u007f'])(
    'R38: refuses header injection and what no header may hold: %j',
    (value) => {
      expect(create({ token: value }).map(([field]) => field)).toEqual(['token']);
      expect(create({ authentication: { scheme: 'Bearer', credentials: value } }).map(([field]) => field)).toEqual([
        'authentication.credentials',
      ]);
    },
  );
});

describe('a config in a message', () => {
  const send = (taskPushNotificationConfig: unknown, taskId?: string) =>
    checkSendMessage(
      {
        message: { ...MESSAGE, ...(taskId ? { taskId } : {}) },
        configuration: { taskPushNotificationConfig },
      } as never,
      OWNER,
    );

  it('is read as the others are, and may name the task of its message', () => {
    expect(send({ url: URL_, token: 't' }).configuration).toEqual({
      taskPushNotificationConfig: { url: URL_, token: 't' },
    });
    expect(send({ url: URL_, taskId: 't' }, 't').configuration).toEqual({ taskPushNotificationConfig: { url: URL_ } });
    expect(send({ url: URL_, taskId: '' }).configuration).toEqual({ taskPushNotificationConfig: { url: URL_ } });
    expect(send(null).configuration).toEqual({});
  });

  it.each([
    ['x', undefined, 'configuration.taskPushNotificationConfig', 'must be an object'],
    [{}, undefined, 'configuration.taskPushNotificationConfig.url', 'is required'],
    [
      { url: URL_, token: '\n' },
      undefined,
      'configuration.taskPushNotificationConfig.token',
      'must not contain control characters',
    ],
    [
      { url: URL_, taskId: 'u' },
      't',
      'configuration.taskPushNotificationConfig.taskId',
      'is not the task of the message',
    ],
    [
      { url: URL_, taskId: 'u' },
      undefined,
      'configuration.taskPushNotificationConfig.taskId',
      'is not the task of the message',
    ],
  ])('%j is refused by its field', (config, taskId, field, description) => {
    expect(violations(() => send(config, taskId))).toEqual([[field, description]]);
  });
});

describe('the other operations', () => {
  it('read their names and pages', () => {
    expect(checkPushConfigName({ taskId: 't', id: 'w', x: 1 }, OWNER)).toStrictEqual({ taskId: 't', id: 'w' });
    expect(violations(() => checkPushConfigName({ taskId: 't' }, OWNER))).toEqual([['id', 'is required']]);
    expect(checkListPushConfigs({ taskId: 't', pageSize: 2, pageToken: 'w' }, OWNER)).toStrictEqual({
      taskId: 't',
      pageSize: 2,
      pageToken: 'w',
    });
    expect(checkListPushConfigs({ taskId: 't', pageToken: '' }, OWNER)).toStrictEqual({ taskId: 't' });
    expect(violations(() => checkListPushConfigs({ taskId: 't', pageSize: -1 }, OWNER))).toEqual([
      ['pageSize', 'must be a non-negative integer'],
    ]);
  });
});
