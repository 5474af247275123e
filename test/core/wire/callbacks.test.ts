/** What arrives at callback addresses: who gets in, what may be sent, and what nobody is told (design section 12). */
import { describe, expect, it } from 'vitest';
import { defineAgent, type Json } from '../../../agent/index.ts';
import { callbackUrl } from '../../../core/callbacks.ts';
import type { Deps } from '../../../core/ports.ts';
import { runTurn } from '../../../core/operations/run-turn.ts';
import { sendMessage } from '../../../core/operations/send-message.ts';
import { wireContext } from '../../../core/wire/context.ts';
import { handleHttp } from '../../../core/wire/dispatch.ts';
import type { HttpRequest } from '../../../core/wire/http.ts';
import { fakeDeps } from '../../fakes/deps.ts';
import { alice, AMPLE } from '../operations/world.ts';
import { httpRequest } from './support.ts';

const used: Json[] = [];
const agent = defineAgent({
  card: {
    name: 'Travel agent',
    description: 'd',
    version: '1.0.0',
    skills: [{ id: 's', name: 'S', description: 'd', tags: [] }],
  },
  async run(turn) {
    await turn.requireAuth('calendar', { text: 'Sign in.', use: (credential) => void used.push(credential) });
  },
});

async function waiting() {
  const deps = fakeDeps({ agent });
  const message = { messageId: 'm-1', role: 'ROLE_USER' as const, parts: [{ text: 'go' }] };
  await sendMessage(deps, alice, { message, configuration: { returnImmediately: true } });
  const work = async () => {
    const next = deps.queue.take();
    if (next && 'turn' in next) await runTurn(deps, next as { taskId: string; turn: number }, AMPLE);
  };
  await work();
  const head = deps.store.heads()[0];
  const owner = head?.owner ?? '';
  const place = {
    kind: 'auth',
    taskId: head?.taskId ?? '',
    owner,
    bornMs: head?.bornMs ?? 0,
    id: head?.auth?.authId ?? '',
  } as const;
  const { pathname: path } = new URL(await callbackUrl(deps, place));
  const context = wireContext(deps, {} as never);
  /** Nobody is known here, and no version is named. */
  const call = async (over: Partial<HttpRequest> = {}) => {
    const request = httpRequest({
      path,
      headers: { 'content-type': 'application/json' },
      body: '{"token":"t"}',
      ...over,
    });
    const { owner: _known, ...anonymous } = request;
    const { status, headers, body } = await handleHttp({ ...anonymous, owner: undefined }, context);
    return { status, headers, body: String(body) };
  };
  return { deps, path, call, work, state: () => deps.store.heads()[0]?.status.state };
}

describe('a callback address', () => {
  it('holds kind, task, id and a code, below the public address', async () => {
    const deps: Pick<Deps, 'baseUrl' | 'signer'> = {
      baseUrl: () => 'https://a.example/x',
      signer: { sign: async (text) => `[${text}]` },
    };
    const url = await callbackUrl(deps, { kind: 'auth', taskId: 't1', owner: '4:acme:bob', bornMs: 17, id: 'a-t1-1' });
    const [, rest] = url.split('https://a.example/x/callbacks/auth/t1/a-t1-1/');
    expect(decodeURIComponent(rest ?? '')).toBe('[callback ["auth","t1","4:acme:bob",17,"a-t1-1"]]');
  });

  it('takes a credential from nobody in particular, with 204 and no content; a second one is 410', async () => {
    const { call, state } = await waiting();
    expect(await call()).toEqual({ status: 204, headers: { 'cache-control': 'no-store' }, body: '' });
    expect(state()).toBe('TASK_STATE_WORKING');
    const again = await call();
    expect(again.status).toBe(410);
    expect(JSON.parse(again.body).error).toMatchObject({
      code: 410,
      message: 'This address has been used, or what it was for is over',
      details: [{ reason: 'CALLBACK_GONE' }],
    });
  });

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])(
    'is for POST only: %s is 405 and grants nothing',
    async (method) => {
      const { call, state } = await waiting();
      const { status, headers } = await call({ method });
      expect([status, headers.allow]).toEqual([405, 'POST']);
      expect(state()).toBe('TASK_STATE_AUTH_REQUIRED');
    },
  );

  it('a wrong code, an unknown task and a path that is none are the same 404', async () => {
    const { call, path, state } = await waiting();
    const [, , , taskId, id, token] = path.split('/');
    const paths = [
      `/callbacks/auth/${taskId}/${id}/${token}x`,
      `/callbacks/auth/${taskId}/${id}/${'x'.repeat(String(token).length)}`,
      `/callbacks/auth/${taskId}/${id}2/${token}`,
      `/callbacks/auth/nothing/${id}/${token}`,
      `/callbacks/other/${taskId}/${id}/${token}`,
      `/callbacks/constructor/${taskId}/${id}/${token}`,
      `/callbacks/auth/${taskId}/${id}`,
      `/callbacks/auth/${taskId}/${id}/${token}/more`,
      `/callbacks/auth/${taskId}/${id}/${'x'.repeat(129)}`,
      '/callbacks/',
    ];
    const answers = await Promise.all(paths.map((each) => call({ path: each })));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(404);
    expect(state()).toBe('TASK_STATE_AUTH_REQUIRED');
  });

  it.each<[string, Partial<HttpRequest>, Json]>([
    ['JSON', { body: '{"access_token":"x","scopes":["a"]}' }, { access_token: 'x', scopes: ['a'] }],
    ['JSON bytes', { body: Buffer.from('"bare"') }, 'bare'],
    [
      'a form',
      {
        headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
        body: 'code=a%20b&scope=1&scope=2',
      },
      { code: 'a b', scope: ['1', '2'] },
    ],
  ])('hands %s to the code', async (_what, over, credential) => {
    const { call, work } = await waiting();
    used.length = 0;
    expect((await call(over)).status).toBe(204);
    await work();
    expect(used).toEqual([credential]);
  });

  it.each<[string, number, Partial<HttpRequest>]>([
    ['no body', 400, { body: undefined }],
    ['an empty form', 400, { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: '' }],
    ['no JSON', 400, { body: 'token=SECRET' }],
    ['too deep', 400, { body: `${'['.repeat(5_000)}${']'.repeat(5_000)}` }],
    ['more than 64 KB', 413, { body: JSON.stringify('x'.repeat(65_536)) }],
    ['another media type', 415, { headers: { 'content-type': 'text/plain' }, body: 'SECRET' }],
  ])('refuses %s with %i, uses nothing up and repeats nothing of it', async (_what, expected, over) => {
    const { call, state, deps } = await waiting();
    const { status, body } = await call(over);
    expect(status).toBe(expected);
    expect(body).not.toContain('SECRET');
    expect(JSON.stringify(deps.log.lines)).not.toContain('SECRET');
    expect(state()).toBe('TASK_STATE_AUTH_REQUIRED');
    expect((await call()).status).toBe(204);
  });

  it('a form of one name 32,000 times is read in time that grows with its size alone, and refused', async () => {
    const { call, path, state } = await waiting();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const startedAtMs = performance.now();
    // Nobody needs a good code for that: the body is read first.
    const answers = await Promise.all(
      [path, `${path}x`].map((each) => call({ path: each, headers, body: 'a&'.repeat(32_000) })),
    );
    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
    expect(performance.now() - startedAtMs).toBeLessThan(2_000);
    expect(state()).toBe('TASK_STATE_AUTH_REQUIRED');
  });

  it('says to come again when the store does not answer, and logs neither path nor body', async () => {
    const { call, deps, path } = await waiting();
    deps.store.before = () => {
      throw new Error('broken');
    };
    const { status } = await call({ body: '"SECRET"' });
    expect(status).toBe(500);
    const logged = JSON.stringify(deps.log.lines);
    expect(logged).not.toContain('SECRET');
    expect(logged).not.toContain(path.split('/').at(-1) as string);
  });
});
