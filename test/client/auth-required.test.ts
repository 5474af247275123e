/** A task that wants a credential: told with what is needed, never taken for a question (issue 6, item 1; R35). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connect, FilePendingStore, type JsonObject, resumeTask, runTask } from '../../client/index.ts';
import { hastyClock, type LocalAgent, startAgent } from './support/agents.ts';
import { questionParts, type StubAgent, startStubAgent, stubTask } from './support/stub-agent.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'askback-auth-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const never = () => {
  throw new Error('a resolver was asked');
};

describe('an agent of this project', () => {
  let agent: LocalAgent;
  afterEach(() => agent.stop());

  test.each(['close', 'stay-open'] as const)(
    'stream %s: what is needed, then the credential, then the end',
    async (authRequired) => {
      agent = await startAgent({
        streams: { authRequired },
        async run(turn) {
          const used = await turn.requireAuth('calendar', {
            text: 'Sign in to your calendar.',
            request: { provider: 'https://calendar.example', scopes: ['write'] },
            use: (credential) => ({ chars: String(credential).length }),
          });
          await turn.artifact({ name: 'used', data: used });
        },
      });
      const client = await connect(agent.url);
      const pending = new FilePendingStore(folder);
      const outcome = await runTask(client, 'Plan', { pending, resolvers: [never] });
      expect(outcome).toMatchObject({
        kind: 'auth-required',
        saved: true,
        text: 'Sign in to your calendar.',
        authId: expect.stringMatching(/^a-.*-1$/),
        request: { provider: 'https://calendar.example', scopes: ['write'] },
        expiresAtMs: expect.any(Number),
      });
      if (outcome.kind !== 'auth-required') throw new Error();
      const { taskId, callbackUrl = '' } = outcome;
      expect(new URL(callbackUrl).origin).toBe(agent.url);
      // As a password is kept: not in a folder.
      expect(JSON.stringify(await pending.get(taskId))).not.toContain('callbacks');
      expect((await resumeTask(client, pending, taskId, [never])).kind).toBe('auth-required');
      const headers = { 'Content-Type': 'application/json' };
      expect((await fetch(callbackUrl, { method: 'POST', headers, body: '"token"' })).status).toBe(204);
      const end = await resumeTask(client, pending, taskId, [never], { clock: hastyClock });
      expect(end).toMatchObject({ kind: 'completed', artifacts: [{ parts: [{ data: { chars: 5 } }] }] });
    },
  );
});

describe('agents that are strangers', () => {
  let agent: StubAgent;
  afterEach(() => agent.stop());
  const outcomeOf = async (parts: readonly JsonObject[]) => {
    agent = await startStubAgent(() => ({ result: { task: stubTask('AUTH_REQUIRED', parts) } }));
    return runTask(await connect(agent.url), 'Go', { resolvers: [never] });
  };
  const AUTH = { authId: 'a-1', expires: '2026-12-01T00:00:00Z' };

  test('words only', async () => {
    const outcome = await outcomeOf([{ text: 'Log in\u001b[2J' }]);
    expect(outcome).toEqual({ kind: 'auth-required', taskId: 't-1', contextId: 'c-1', text: 'Log in', saved: false });
  });

  test('a question in auth-required is none', async () => {
    expect(await outcomeOf(questionParts())).toMatchObject({ kind: 'auth-required', text: 'Which city?' });
  });

  test.each<[string, JsonObject, string[]]>([
    ['an address elsewhere', { callbackUrl: 'https://evil.example/x' }, ['authId', 'expiresAtMs']],
    ['an address with credentials', { callbackUrl: 'http://a:b@127.0.0.1/x' }, ['authId', 'expiresAtMs']],
    ['an address that is none', { callbackUrl: 'javascript:alert(1)' }, ['authId', 'expiresAtMs']],
    ['a request beyond its limit', { request: 'x'.repeat(5_000) }, ['authId', 'expiresAtMs']],
    ['a time that is none', { expires: 'soon' }, ['authId']],
    ['an id that is none', { authId: 7 }, ['expiresAtMs']],
  ])('%s is left out, the rest is told', async (_what, data, told) => {
    const outcome = await outcomeOf([{ text: 'Log in' }, { data: { ...AUTH, ...data } }]);
    const all = ['kind', 'taskId', 'contextId', 'text', 'saved', ...told];
    expect(Object.keys(outcome).sort()).toEqual(all.sort());
  });
});
