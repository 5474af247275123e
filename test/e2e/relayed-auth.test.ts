/**
 * An authorisation that a sub-agent needs, over HTTP: required of the caller in the orchestrator's words, posted to the
 * orchestrator, handed on to the sub-agent, and kept nowhere on the way (design 12; R35, R45, R68).
 */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defineAgent, type Json, remoteAgent } from '../../agent/index.ts';
import type { StreamResponse, Task } from '../../core/message.ts';
import { type Caller, connect } from '../../local/official-client.ts';
import { BINDINGS } from './support/bindings.ts';
import { Player } from './support/orchestra.ts';
import { say, statusText } from './support/expense.ts';
import { isLocal, until } from './support/target.ts';

const SECRET = 'tok-4711-super-secret';
const ALICE = { Authorization: 'Bearer alice-token' };
const FINANCE = { Authorization: 'Bearer bob-token' };
const skill = { id: 's', name: 'S', description: 'Does s.', tags: ['test'] };
const card = (name: string) => ({ name, description: `${name}.`, version: '1.0.0', skills: [skill] });

describe.runIf(isLocal)('an authorisation that a sub-agent needs', { timeout: 60_000 }, () => {
  const used: Json[] = [];
  let bank: Player;
  let finance: Player;
  let posts: string[];
  let stopReceiver: () => void;
  let receiver: string;
  let subTaskId: string | undefined;

  beforeEach(async () => {
    used.length = 0;
    posts = [];
    subTaskId = undefined;
    bank = await Player.start(() =>
      defineAgent({
        card: card('Bank agent'),
        async run(turn) {
          const lines = await turn.requireAuth('account', {
            text: 'Ledger db-7 wants a token of its own.',
            request: { ledger: 'db-7' },
            use: (credential) => used.push(credential),
          });
          await turn.artifact({ name: 'statement', data: { lines } });
        },
      }),
    );
    const { url } = bank;
    finance = await Player.start(() =>
      defineAgent({
        card: card('Finance agent'),
        agents: { bank: remoteAgent(url, { headers: FINANCE }) },
        async run(turn) {
          const read = await turn.delegate('reading', {
            agent: 'bank',
            message: 'Read the account',
            restateAuth: () => ({ text: 'Please let finance read your account.', request: { scopes: ['read'] } }),
          });
          await turn.artifact({ name: 'read', data: read.artifacts[0]?.parts[0]?.data ?? null });
        },
      }),
    );
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      posts.push(body);
      response.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    receiver = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    stopReceiver = () => void server.close();
  });
  afterEach(async () => {
    stopReceiver();
    // The one that used it, and the one that it passed through.
    for (const player of [finance, bank]) {
      expect(JSON.stringify(player.log.lines)).not.toContain(SECRET);
      await player.pause();
      expect(await player.keeps('db-7')).toBe(true);
      expect(await player.keeps(SECRET)).toBe(false);
      await player.stop();
    }
    expect(posts.join()).not.toContain(SECRET);
  });

  test.each(BINDINGS)('goes up in other words, and its credential comes down, once (R45, R68; %s)', async (binding) => {
    const caller = await connect(finance.url, binding, ALICE);
    const asked = await caller.send(say('Read my account'));
    expect(asked.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
    expect(statusText(asked)).toBe('Please let finance read your account.');
    const { callbackUrl, request, expires } = required(asked);
    expect(callbackUrl.startsWith(`${finance.url}/callbacks/auth/${asked.id}/`)).toBe(true);
    expect(request).toEqual({ scopes: ['read'] });
    const below = await theirs();
    expect(below.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
    // Nothing of the sub-agent shows, and what is open above ends first: by 5 % of a day.
    for (const inner of ['db-7', below.id, required(below).callbackUrl]) {
      expect(JSON.stringify(asked)).not.toContain(inner);
    }
    expect(Math.round((Date.parse(required(below).expires) - Date.parse(expires)) / 60_000)).toBe(72);

    expect((await post(callbackUrl)).status).toBe(204);
    expect((await post(callbackUrl)).status).toBe(410);
    const done = await ended(caller, asked.id);
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(done.artifacts?.[0]?.parts[0]?.data).toEqual({ lines: 1 });
    expect(used).toEqual([{ access_token: SECRET }]);
    expect((await post(required(below).callbackUrl)).status).toBe(410);
    for (const task of [done, await theirs()]) expect(JSON.stringify(task)).not.toContain(SECRET);
  });

  test('shows on a stream and to a webhook, and the credential does not', async () => {
    const caller = await connect(finance.url, 'HTTP+JSON', ALICE);
    const events: StreamResponse[] = [];
    let posted = 0;
    for await (const event of caller.stream(say('Read my account'))) {
      events.push(event);
      if (!('statusUpdate' in event) || event.statusUpdate.status.state !== 'TASK_STATE_AUTH_REQUIRED') continue;
      const { taskId: id, contextId, status } = event.statusUpdate;
      const config = {
        method: 'POST',
        headers: { ...ALICE, 'A2A-Version': '1.0', 'content-type': 'application/json' },
      };
      const path = `${finance.url}/tasks/${id}/pushNotificationConfigs`;
      const registered = await fetch(path, { ...config, body: JSON.stringify({ id: 'mine', url: receiver }) });
      expect(registered.ok, await registered.text()).toBe(true);
      posted = (await post(required({ id, contextId, status }).callbackUrl)).status;
    }
    expect(posted).toBe(204);
    expect(JSON.stringify(events)).not.toContain(SECRET);
    expect(events.at(-1)).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } });
    await until('the webhook to be told', async () => posts.some((body) => body.includes('TASK_STATE_COMPLETED')));
  });

  test('is handed on when the sub-agent is back, where it was away when the credential came', async () => {
    const caller = await connect(finance.url, 'JSONRPC', ALICE);
    const asked = await caller.send(say('Read my account'));
    await bank.pause();
    expect((await post(required(asked).callbackUrl)).status).toBe(204);
    await until('an attempt to fail', async () =>
      finance.log.lines.some(({ message }) => message === 'the agent failed'),
    );
    expect((await caller.get(asked.id)).status.state).toBe('TASK_STATE_WORKING');
    await bank.resume();
    finance.clock.advance(10_000);
    expect((await ended(caller, asked.id)).status.state).toBe('TASK_STATE_COMPLETED');
    expect(used).toEqual([{ access_token: SECRET }]);
  });

  test('and the orchestrator is stopped right after it took the credential: it goes on with it', async () => {
    const caller = await connect(finance.url, 'JSONRPC', ALICE);
    const asked = await caller.send(say('Read my account'));
    expect((await post(required(asked).callbackUrl)).status).toBe(204);
    await finance.pause();
    await finance.resume();
    finance.clock.advance(120_000);
    expect((await ended(caller, asked.id)).status.state).toBe('TASK_STATE_COMPLETED');
    expect(used).toEqual([{ access_token: SECRET }]);
  });

  test('that is declined above is declined below', async () => {
    const caller = await connect(finance.url, 'JSONRPC', ALICE);
    const asked = await caller.send(say('Read my account'));
    const data = { authId: required(asked).authId, decline: { reason: 'not my bank' } };
    const done = await caller.send({ ...say('x'), taskId: asked.id, parts: [{ data }] });
    expect(done.status.state).toBe('TASK_STATE_REJECTED');
    expect(statusText(done)).toBe('the sub-task "reading" was rejected');
    expect((await theirs()).status.state).toBe('TASK_STATE_REJECTED');
    expect((await post(required(asked).callbackUrl)).status).toBe(410);
  });

  test('that expires above ends both, and neither address takes anything any more', async () => {
    const caller = await connect(finance.url, 'JSONRPC', ALICE);
    const asked = await caller.send(say('Read my account'));
    const below = await theirs();
    finance.clock.advance(23 * 3_600_000);
    expect((await post(required(asked).callbackUrl)).status).toBe(410);
    expect((await caller.get(asked.id)).status.state).toBe('TASK_STATE_FAILED');
    await until('the sub-task to be canceled', async () => (await theirs()).status.state === 'TASK_STATE_CANCELED');
    expect((await post(required(below).callbackUrl)).status).toBe(410);
    expect(used).toEqual([]);
  });

  /** The sub-task; known once it was listed, for a list may miss what changes just then. */
  async function theirs(): Promise<Task> {
    const caller = await connect(bank.url, 'JSONRPC', FINANCE);
    subTaskId ??= (await caller.list()).tasks[0]?.id;
    return caller.get(subTaskId ?? '');
  }

  function ended(caller: Caller, id: string): Promise<Task> {
    return until(
      `${id} to end`,
      async () => {
        const task = await caller.get(id);
        return /COMPLETED|FAILED|REJECTED|CANCELED/.test(task.status.state) && task;
      },
      30_000,
    );
  }
});

interface Required {
  readonly authId: string;
  readonly expires: string;
  readonly callbackUrl: string;
  readonly request: Json;
}

function required(task: Task): Required {
  return task.status.message?.parts[1]?.data as unknown as Required;
}

function post(url: string): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify({ access_token: SECRET }) });
}
