/**
 * Attacks on A2A 0.3's paths and on callers known by a JWT (design section 10): whose tenant a path names, what an error
 * says of which field, credentials that nobody would use, subjects that do not survive the way to the api function.
 */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import { apiHandler } from '../../functions/api.ts';
import { authorizeHandler } from '../../functions/authorize.ts';
import { issuerKeys } from '../../functions/issuer-keys.ts';
import { tinyAgent } from '../core/operations/tiny-agent.ts';
import { fakeDeps } from '../fakes/deps.ts';
import { ManualClock } from '../fakes/manual-clock.ts';
import { fakePush } from '../fakes/push.ts';
import { QuietLog } from '../fakes/quiet-log.ts';
import { gatewayEvent, lambdaContext } from '../functions/events.ts';
import { bearer, CLAIMS, ISSUER, makeKey, NOW_MS, TokenIssuer } from '../functions/token-issuer.ts';

const ALICE = { tenant: 'acme', principal: 'alice' };

function attackedApi() {
  const clock = new ManualClock();
  const deps = fakeDeps({ agent: tinyAgent(), clock, push: fakePush(clock) });
  const handler = apiHandler(deps);
  const call = async (method: string, path: string, json?: JsonObject, version = '0.3') => {
    const body = json === undefined ? null : JSON.stringify(json);
    const headers = { 'A2A-Version': [version] };
    const { statusCode, body: sent } = await handler(
      gatewayEvent({ method, path, body, headers, authorizer: ALICE }),
      lambdaContext(),
    );
    return { status: statusCode, json: JSON.parse(String(sent)) as { readonly [key: string]: JsonObject } };
  };
  const rpc = async (method: string, params: JsonObject) => {
    const { json } = await call('POST', '/', { jsonrpc: '2.0', id: 1, method, params });
    return json;
  };
  return { call, rpc };
}

const REST_SEND = {
  message: { messageId: 'm-1', role: 'ROLE_USER', content: [{ text: 'File my taxi receipt' }] },
  configuration: { blocking: false },
};

describe('a tenant that is not the caller’s is refused in 0.3 as in 1.0', () => {
  it('in the path of every kind of request, before anything is written', async () => {
    const { call } = attackedApi();
    const refusal = { status: 400, json: { message: 'tenant: is not the tenant of this caller' } };
    expect(await call('POST', '/evil/v1/message:send', REST_SEND)).toMatchObject(refusal);
    const { json } = await call('POST', '/v1/message:send', REST_SEND);
    const id = String(json.task?.id);
    expect(await call('GET', `/evil/v1/tasks/${id}`)).toMatchObject(refusal);
    expect(await call('POST', `/evil/v1/tasks/${id}:cancel`)).toMatchObject(refusal);
    expect(await call('GET', `/evil/v1/tasks/${id}/pushNotificationConfigs`)).toMatchObject(refusal);
    const config = { pushNotificationConfig: { url: 'https://hooks.example.com/a' } };
    expect(await call('POST', `/evil/v1/tasks/${id}/pushNotificationConfigs`, config)).toMatchObject(refusal);
    expect(await call('GET', `/v1/tasks/${id}`)).toMatchObject({ status: 200, json: { id } });
  });

  it('while their own may be repeated', async () => {
    const { call } = attackedApi();
    const { status, json } = await call('POST', '/acme/v1/message:send', REST_SEND);
    expect(status).toBe(200);
    expect(await call('GET', `/acme/v1/tasks/${String(json.task?.id)}`)).toMatchObject({ status: 200 });
  });

  it('under its own name, whatever else the fields are called in 0.3', async () => {
    const { rpc } = attackedApi();
    const params = { id: 't', pushNotificationConfigId: 'c', tenant: 'evil' };
    for (const method of ['get', 'list', 'delete']) {
      expect(await rpc(`tasks/pushNotificationConfig/${method}`, params)).toMatchObject({
        error: { code: -32602, message: 'tenant: is not the tenant of this caller' },
      });
    }
  });
});

describe('an error of 0.3', () => {
  it('says each thing of the field it is about, though one name of 0.3 is another’s of 1.0', async () => {
    const { rpc } = attackedApi();
    const { error } = await rpc('tasks/pushNotificationConfig/delete', { pushNotificationConfigId: 'a\nb' });
    expect(error?.message).toBe('id: is required; pushNotificationConfigId: must not contain control characters');
  });
});

describe('credentials of a receiver in 0.3', () => {
  it.each([[[]], [null], [undefined]])('with the schemes %j are refused, and not quietly left out', async (schemes) => {
    const { rpc } = attackedApi();
    const authentication = { ...(schemes === undefined ? {} : { schemes }), credentials: 'secret' };
    const pushNotificationConfig = { url: 'https://hooks.example.com/a', authentication };
    const { error } = await rpc('tasks/pushNotificationConfig/set', { taskId: 't', pushNotificationConfig });
    expect(error).toMatchObject({
      code: -32602,
      message: 'pushNotificationConfig.authentication.schemes: is required with credentials',
    });
  });
});

describe('a page token that fits its code', () => {
  it.each(['x', 'null', '{}', '[]', '[2,1,"t",1]', '[1,"1","t",1]', '[1,1,null,1]', '[1,1e400,"t",1]', '[1,1,"t",-1]'])(
    'but holds %s is refused, and no 500: without a secret key anybody can make one',
    async (text) => {
      const deps = fakeDeps({ agent: tinyAgent() });
      const payload = Buffer.from(text).toString('base64url');
      const list = JSON.stringify([payload, '4:acme:alice', 'Expense agent', null, null, null]);
      const event = gatewayEvent({
        method: 'GET',
        path: '/tasks',
        query: { pageToken: [`${payload}.${deps.signer.sign(list)}`] },
        authorizer: ALICE,
      });
      const { statusCode, body } = await apiHandler(deps)(event, lambdaContext());
      expect(statusCode).toBe(400);
      expect(String(body)).toContain('pageToken: is not a token of this list');
    },
  );
});

describe('a subject or tenant with half a surrogate', () => {
  it.each([[{ sub: 'user-\ud800' }], [{ sub: '\udc00user' }], [{ tenant: 'acme\ud800' }]])(
    '%j is refused: in UTF-8 it would become another’s',
    async (claims) => {
      const key = await makeKey('key-1');
      const { fetchJson } = new TokenIssuer(key);
      const keys = issuerKeys({ issuer: ISSUER, fetchJson, now: () => NOW_MS });
      const auth = { issuer: ISSUER, audience: ['expenses'], tenantClaim: 'tenant' };
      const handler = authorizeHandler({ auth, keys, clock: { now: () => NOW_MS }, log: new QuietLog() });
      const methodArn = 'arn:aws:execute-api:eu-west-1:111122223333:abc123/a2a/POST/';
      const authorize = async (more: object) =>
        handler(
          { type: 'TOKEN', authorizationToken: await bearer(key, { ...CLAIMS, tenant: 'acme', ...more }), methodArn },
          lambdaContext(),
        );
      await expect(authorize(claims)).rejects.toThrow(/^Unauthorized$/);
      await expect(authorize({ sub: 'user-😀' })).resolves.toMatchObject({
        context: { principal: 'https://login.example.com#user-😀' },
      });
    },
  );
});

describe('an issuer that hangs', () => {
  it('is left alone for a while after each attempt that failed, however long that one took', async () => {
    const key = await makeKey('key-1');
    const issuer = new TokenIssuer(key);
    let nowMs = NOW_MS;
    const fetchJson = async (url: string) => {
      if (issuer.down) nowMs += 6_000;
      return issuer.fetchJson(url);
    };
    const keys = issuerKeys({ issuer: ISSUER, fetchJson, now: () => nowMs });
    const find = () => keys({ alg: 'ES256', kid: 'key-1' }, { payload: '', signature: '' });
    await find();
    issuer.down = true;
    nowMs += 600_000;
    const before = issuer.asked.length;
    for (let caller = 0; caller < 5; caller += 1) await find();
    expect(issuer.asked.length - before).toBe(1);
    nowMs += 5_000;
    await find();
    expect(issuer.asked.length - before).toBe(2);
  });
});
