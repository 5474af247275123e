/** An authorisation over HTTP with the official client: the stream stays open across the grant (S33, R35, design section 12). */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defineAgent, type Json } from '../../agent/index.ts';
import type { StreamResponse, Task } from '../../core/message.ts';
import { type Caller, connect } from '../../local/official-client.ts';
import { type Runtime, startRuntime } from '../../local/runtime.ts';
import { QuietLog } from '../fakes/quiet-log.ts';
import { BINDINGS } from './support/bindings.ts';
import { ShiftedClock } from './support/shifted-clock.ts';
import { isLocal, until } from './support/target.ts';

const SECRET = 'tok-4711-super-secret';
const ALICE = { Authorization: 'Bearer alice-token' };

const used: Json[] = [];
const travel = defineAgent({
  card: {
    name: 'Travel agent',
    description: 'Puts trips into calendars.',
    version: '1.0.0',
    skills: [{ id: 'trip', name: 'Trip', description: 'Plans a trip.', tags: ['trips'] }],
  },
  async run(turn) {
    const event = await turn.requireAuth('calendar', {
      text: 'Sign in to your calendar, so that the trip can be put into it.',
      request: { provider: 'https://calendar.example', scopes: ['events.write'] },
      use: (credential, { idempotencyKey }) => {
        used.push(credential);
        return { eventId: idempotencyKey };
      },
    });
    await turn.artifact({ name: 'event', data: event });
  },
});

interface Required {
  readonly authId: string;
  readonly expires: string;
  readonly callbackUrl: string;
  readonly request: Json;
}

function required(task: Task): Required {
  expect(task.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
  return task.status.message?.parts[1]?.data as unknown as Required;
}

function say() {
  return { messageId: randomUUID(), role: 'ROLE_USER' as const, parts: [{ text: 'Lisbon on Tuesday' }] };
}

function post(url: string, credential: Json, method = 'POST'): Promise<Response> {
  const body = method === 'POST' ? { body: JSON.stringify(credential) } : {};
  return fetch(url, { method, headers: { 'Content-Type': 'application/json' }, ...body });
}

/** The states that a stream tells of, as in `WORKING`. */
function states(events: readonly StreamResponse[]): readonly string[] {
  return events.flatMap((event) => {
    const status =
      'task' in event ? event.task.status : 'statusUpdate' in event ? event.statusUpdate.status : undefined;
    return status ? [status.state.replace('TASK_STATE_', '')] : [];
  });
}

describe.runIf(isLocal)('a task that waits for an authorisation', () => {
  let data: string;
  let runtime: Runtime;
  const clock = new ShiftedClock();
  const log = new QuietLog();
  beforeEach(async () => {
    used.length = 0;
    data = await mkdtemp(join(tmpdir(), 'askback-auth-'));
    runtime = await startRuntime({ port: 0, data, agent: travel, clock, log });
  });
  afterEach(async () => {
    await runtime.stop();
    await rm(data, { recursive: true, force: true });
    expect(JSON.stringify(log.lines)).not.toContain(SECRET);
  });

  test.each(BINDINGS)(
    'R35: a blocking send comes back with what is needed; the grant completes it (%s)',
    async (binding) => {
      const caller = await connect(runtime.url, binding, ALICE);
      const task = await caller.send(say());
      const { authId, callbackUrl, request, expires } = required(task);
      expect(authId).toBe(`a-${task.id.slice(0, 16)}-1`);
      expect(callbackUrl).toMatch(new RegExp(`^${runtime.url}/callbacks/auth/${task.id}/${authId}/[\\w-]{24}$`));
      expect(request).toEqual({ provider: 'https://calendar.example', scopes: ['events.write'] });
      expect(Date.parse(expires)).toBeGreaterThan(Date.now());
      expect((await post(callbackUrl, { access_token: SECRET })).status).toBe(204);
      const done = await ended(caller, task.id);
      expect(done.artifacts?.[0]?.parts[0]?.data).toEqual({ eventId: `${task.id}-1` });
      expect(used).toEqual([{ access_token: SECRET }]);
      expect(JSON.stringify(done)).not.toContain(SECRET);
      expect((await post(callbackUrl, { access_token: SECRET })).status).toBe(410);
    },
  );

  test.each(BINDINGS)('S33: its stream stays open across the grant, to the end (%s)', async (binding) => {
    const caller = await connect(runtime.url, binding, ALICE);
    const events: StreamResponse[] = [];
    for await (const event of caller.stream(say())) {
      events.push(event);
      if (!('statusUpdate' in event) || event.statusUpdate.status.state !== 'TASK_STATE_AUTH_REQUIRED') continue;
      const { taskId: id, contextId, status } = event.statusUpdate;
      const { callbackUrl } = required({ id, contextId, status });
      expect((await post(callbackUrl, { access_token: SECRET })).status).toBe(204);
    }
    expect(states(events)).toEqual(['SUBMITTED', 'WORKING', 'AUTH_REQUIRED', 'WORKING', 'COMPLETED']);
    expect(JSON.stringify(events)).not.toContain(SECRET);
  });

  test('nothing but a POST grants, and a message never does', async () => {
    const caller = await connect(runtime.url, 'JSONRPC', ALICE);
    const task = await caller.send(say());
    const { callbackUrl, authId } = required(task);
    for (const method of ['GET', 'HEAD', 'OPTIONS']) expect((await post(callbackUrl, null, method)).status).toBe(405);
    expect((await post(`${callbackUrl}x`, SECRET)).status).toBe(404);
    const pasted = { ...say(), taskId: task.id, parts: [{ text: SECRET }, { data: { authId, token: SECRET } }] };
    await expect(caller.send(pasted)).rejects.toThrow(/never sent in a message/);
    const after = await caller.get(task.id);
    expect(after).toEqual(task);
    const decline = { ...say(), taskId: task.id, parts: [{ data: { authId, decline: { reason: 'no' } } }] };
    expect((await caller.send(decline)).status).toMatchObject({
      state: 'TASK_STATE_REJECTED',
      message: { parts: [{ text: 'the authorisation "calendar" was declined: no' }] },
    });
    expect(used).toEqual([]);
  });

  test('R01: of twenty posts at the same instant one is taken, and one credential is used', async () => {
    const caller = await connect(runtime.url, 'JSONRPC', ALICE);
    const task = await caller.send(say());
    const { callbackUrl } = required(task);
    const all = Array.from({ length: 20 }, (_none, n) => post(callbackUrl, { access_token: `${SECRET}-${n}` }));
    const statuses = (await Promise.all(all)).map(({ status }) => status).sort();
    // Who kept losing is told to come again, and would then be told that it is over.
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    expect(statuses.filter((status) => status === 410 || status === 503)).toHaveLength(19);
    const done = await ended(caller, task.id);
    expect(used).toHaveLength(1);
    expect(JSON.stringify(done)).not.toContain(SECRET);
  });

  test('expires like a question', async () => {
    const caller = await connect(runtime.url, 'HTTP+JSON', ALICE);
    const task = await caller.send(say());
    clock.advance(86_400_001);
    expect((await post(required(task).callbackUrl, SECRET)).status).toBe(410);
    expect((await caller.get(task.id)).status.state).toBe('TASK_STATE_FAILED');
  });

  test('outlives the process: the address of before is good after a restart on the same data', async () => {
    const first = await connect(runtime.url, 'JSONRPC', ALICE);
    const task = await first.send(say());
    const { pathname } = new URL(required(task).callbackUrl);
    await runtime.stop();
    runtime = await startRuntime({ port: 0, data, agent: travel, clock, log });
    const caller = await connect(runtime.url, 'JSONRPC', ALICE);
    expect((await caller.get(task.id)).status.state).toBe('TASK_STATE_AUTH_REQUIRED');
    expect((await post(`${runtime.url}${pathname}`, { access_token: SECRET })).status).toBe(204);
    expect((await ended(caller, task.id)).status.state).toBe('TASK_STATE_COMPLETED');
  });

  test('is told to callers of 0.3 as 0.3 says it', async () => {
    const send = { jsonrpc: '2.0', id: 1, method: 'message/send' };
    const message = {
      kind: 'message',
      messageId: randomUUID(),
      role: 'user',
      parts: [{ kind: 'text', text: 'Lisbon' }],
    };
    const params = { message, configuration: { blocking: true } };
    const headers = { ...ALICE, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ ...send, params });
    const answer = (await (await fetch(runtime.url, { method: 'POST', headers, body })).json()) as {
      readonly result: { readonly status: { readonly state: string; readonly message: { readonly parts: Json } } };
    };
    expect(answer.result.status.state).toBe('auth-required');
    expect(answer.result.status.message.parts).toMatchObject([
      { kind: 'text', text: 'Sign in to your calendar, so that the trip can be put into it.' },
      { kind: 'data', data: { request: { scopes: ['events.write'] } } },
    ]);
  });

  function ended(caller: Caller, id: string): Promise<Task> {
    return until(`${id} to end`, async () => {
      const task = await caller.get(id);
      return task.status.state === 'TASK_STATE_COMPLETED' && task;
    });
  }
});
