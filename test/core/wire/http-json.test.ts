/** The HTTP+JSON binding: routes, methods, results (A2A 1.0 section 11). */
import { describe, expect, it } from 'vitest';
import { MESSAGE, rest, rpc, TASK, wired } from './support.ts';

const info = (reason: string, metadata?: Record<string, string>) => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain: 'a2a-protocol.org',
  ...(metadata ? { metadata } : {}),
});

describe('routes', () => {
  it.each(['', '/acme'])('SendMessage, GetTask and CancelTask under %j', async (tenant) => {
    const wire = wired();
    const sent = await rest(wire, 'POST', `${tenant}/message:send`, { message: MESSAGE });
    expect(sent.status).toBe(200);
    expect(sent.headers).toEqual({ 'content-type': 'application/json', 'cache-control': 'no-store' });
    expect(sent.json).toEqual({ task: TASK });
    const query = { historyLength: ['3'], unknown: ['x'] };
    expect((await rest(wire, 'GET', `${tenant}/tasks/task1`, undefined, { query })).json).toEqual(TASK);
    expect((await rest(wire, 'POST', `${tenant}/tasks/task1:cancel`)).json).toEqual(TASK);
    expect((await rest(wire, 'POST', `${tenant}/tasks/task1:cancel`, { metadata: { why: 'x' } })).json).toEqual(TASK);
    expect(wire.calls).toEqual([
      ['sendMessage', { message: MESSAGE }],
      ['getTask', { id: 'task1', historyLength: 3 }],
      ['cancelTask', { id: 'task1' }],
      ['cancelTask', { id: 'task1', metadata: { why: 'x' } }],
    ]);
  });

  it('decodes ids, takes what cannot be decoded as it is, and lets the path win over the body', async () => {
    const wire = wired();
    await rest(wire, 'GET', '/tasks/a%2Fb%20c');
    await rest(wire, 'GET', '/tasks/100%');
    await rest(wire, 'GET', '/tasks/a:b');
    await rest(wire, 'POST', '/tasks/right%3Acancel', { id: 'wrong' });
    await rest(wire, 'POST', '/message%3Asend', { message: MESSAGE });
    expect(wire.calls.map(([, request]) => request)).toEqual([
      { id: 'a/b c' },
      { id: '100%' },
      { id: 'a:b' },
      { id: 'right' },
      { message: MESSAGE },
    ]);
  });

  it.each([
    ['GET', '/nothing'],
    ['POST', '/tasks/a/b/c/d'],
    ['GET', '/tasks/'],
    ['GET', '//'],
    ['POST', '/message'],
    ['POST', '/acme/globex/message:send'],
    ['GET', '/tasks/t/pushNotificationConfigs/c/x'],
  ])('%s %s is 404', async (method, path) => {
    const { status, json } = await rest(wired(), method, path);
    expect(status).toBe(404);
    expect(json).toEqual({
      error: {
        code: 404,
        status: 'NOT_FOUND',
        message: 'There is nothing at this path',
        details: [info('METHOD_NOT_FOUND')],
      },
    });
  });

  it.each([
    ['GET', '/message:send', 'POST'],
    ['DELETE', '/tasks/t', 'GET'],
    ['PUT', '/tasks/t:cancel', 'GET, POST'],
    ['PATCH', '/tasks/t/pushNotificationConfigs', 'GET, POST'],
    ['POST', '/.well-known/agent-card.json', 'GET, HEAD'],
    ['OPTIONS', '/tasks', 'GET'],
  ])('%s %s is 405 and allows %s', async (method, path, allow) => {
    const { status, headers, json } = await rest(wired(), method, path);
    expect(status).toBe(405);
    expect(headers.allow).toBe(allow);
    expect(json).toEqual({
      error: {
        code: 405,
        status: 'UNIMPLEMENTED',
        message: `This path is for ${allow}`,
        details: [info('METHOD_NOT_ALLOWED')],
      },
    });
  });

  it('media types: JSON in both names, none for an empty body, others 415', async () => {
    const send = (type: string, body: unknown = { message: MESSAGE }) =>
      rest(wired(), 'POST', '/message:send', body, { headers: { 'content-type': type, 'a2a-version': '1.0' } });
    expect((await send('application/a2a+json; charset=utf-8')).status).toBe(200);
    expect((await send('application/json')).status).toBe(200);
    const refused = await send('multipart/form-data; boundary=x');
    expect(refused.status).toBe(415);
    expect(refused.json).toEqual({
      error: {
        code: 415,
        status: 'INVALID_ARGUMENT',
        message: 'Content-Type "multipart/form-data" is not supported; send application/json or application/a2a+json',
        details: [info('UNSUPPORTED_MEDIA_TYPE', { accepted: 'application/json, application/a2a+json' })],
      },
    });
    const cancel = await rest(wired(), 'POST', '/tasks/t:cancel', undefined, {
      headers: { 'content-type': 'text/plain', 'a2a-version': '1.0' },
    });
    expect(cancel.status).toBe(200);
  });

  it.each<[string, Record<string, string>, string]>([
    ['who says nothing', {}, 'application/json'],
    ['who takes anything', { accept: '*/*' }, 'application/json'],
    ['who sends JSON', { 'content-type': 'application/json' }, 'application/json'],
    ['who sends A2A', { 'content-type': 'Application/A2A+JSON; charset=utf-8' }, 'application/a2a+json'],
    ['who takes A2A', { accept: 'text/html, application/a2a+json;q=0.5' }, 'application/a2a+json'],
  ])('%s is answered with its media type, errors included (section 11.1)', async (_who, headers, mediaType) => {
    const version = { 'a2a-version': '1.0' };
    const over = { headers: { ...version, ...headers } };
    const sent = await rest(wired(), 'POST', '/message:send', { message: MESSAGE }, over);
    expect([sent.status, sent.headers['content-type']]).toEqual([200, mediaType]);
    const refused = await rest(wired(), 'POST', '/message:send', {}, over);
    expect([refused.status, refused.headers['content-type']]).toEqual([400, mediaType]);
    const wrongMethod = await rest(wired(), 'PUT', '/message:send', {}, over);
    expect([wrongMethod.status, wrongMethod.headers['content-type']]).toEqual([405, mediaType]);
  });

  it('malformed JSON is 400, an unknown caller 401', async () => {
    const malformed = await rest(wired(), 'POST', '/message:send', undefined, { body: '{"message":' });
    expect(malformed.status).toBe(400);
    expect(malformed.json).toEqual({
      error: {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: 'Invalid JSON payload: the body is not valid JSON',
        details: [info('PARSE_ERROR')],
      },
    });
    const unknown = await rest(wired(), 'GET', '/tasks/t', undefined, { owner: undefined });
    expect(unknown.status).toBe(401);
    expect(unknown.headers['www-authenticate']).toBe('Bearer');
  });
});

describe('what this agent does not offer has its own error (A2A 1.0 section 3.3.4)', () => {
  const NO_STREAM = 'This agent does not stream; poll with GetTask';
  const NO_PUSH = 'This agent does not send push notifications';
  it.each<[string, string, string, number, string, string]>([
    ['SendStreamingMessage', 'POST', '/message:stream', -32004, 'UNSUPPORTED_OPERATION', NO_STREAM],
    ['SubscribeToTask', 'GET', '/tasks/t:subscribe', -32004, 'UNSUPPORTED_OPERATION', NO_STREAM],
    ['SubscribeToTask', 'POST', '/acme/tasks/t:subscribe', -32004, 'UNSUPPORTED_OPERATION', NO_STREAM],
    [
      'CreateTaskPushNotificationConfig',
      'POST',
      '/tasks/t/pushNotificationConfigs',
      -32003,
      'PUSH_NOTIFICATION_NOT_SUPPORTED',
      NO_PUSH,
    ],
    [
      'GetTaskPushNotificationConfig',
      'GET',
      '/tasks/t/pushNotificationConfigs/c',
      -32003,
      'PUSH_NOTIFICATION_NOT_SUPPORTED',
      NO_PUSH,
    ],
    [
      'ListTaskPushNotificationConfigs',
      'GET',
      '/acme/tasks/t/pushNotificationConfigs',
      -32003,
      'PUSH_NOTIFICATION_NOT_SUPPORTED',
      NO_PUSH,
    ],
    [
      'DeleteTaskPushNotificationConfig',
      'DELETE',
      '/tasks/t/pushNotificationConfigs/c',
      -32003,
      'PUSH_NOTIFICATION_NOT_SUPPORTED',
      NO_PUSH,
    ],
    [
      'GetExtendedAgentCard',
      'GET',
      '/extendedAgentCard',
      -32004,
      'UNSUPPORTED_OPERATION',
      'This agent has no extended agent card',
    ],
  ])('%s: %s %s', async (operation, method, path, code, reason, message) => {
    const details = [info(reason, { operation })];
    expect((await rpc(wired(), operation)).json).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: { code, message, data: details },
    });
    const overHttp = await rest(wired(), method, path);
    expect(overHttp.status).toBe(400);
    expect(overHttp.json).toEqual({ error: { code: 400, status: 'FAILED_PRECONDITION', message, details } });
  });
});
