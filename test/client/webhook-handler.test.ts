/** Notifications wake whoever goes on with a waiting task: real ones of the local runtime, and forged ones (issue 6, item 2). */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  connect,
  FilePendingStore,
  fromContext,
  type Outcome,
  type PendingTask,
  resumeTask,
  runTask,
  type Wake,
  webhookHandler,
} from '../../client/index.ts';
import { signature } from '../../core/push/signature.ts';
import { openTarget, type Target, until } from '../e2e/support/target.ts';

const SECRET = 'a-secret-of-this-config-only';
const URI = 'https://askback.dev/a2a/extensions/question/v1';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'askback-webhook-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A plain Node server in front of the handler. */
async function serve(handler: (request: Request) => Promise<Response>): Promise<Server> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = new Headers(request.headers as Record<string, string>);
    const { status } = await handler(
      new Request('http://localhost/', { method: 'POST', headers, body: Buffer.concat(chunks) }),
    );
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

describe('with the expense agent', () => {
  let target: Target;
  beforeAll(async () => {
    target = await openTarget();
  });
  afterAll(() => target.stop());

  test('a task that somebody else moves on wakes the waiting one, which takes it to its end', async () => {
    const pending = new FilePendingStore(join(folder, 'real'));
    const outcomes: Promise<Outcome>[] = [];
    const client = await connect(target.url);
    const handler = webhookHandler({
      verify: { secret: SECRET },
      pending,
      onWake: ({ task }) => {
        const resumed = resumeTask(client, pending, task.taskId, [fromContext({ costCentre: 'CC-4420' })]);
        // The events that this very run brings about wake again; by then it is being done, or over.
        resumed.catch(() => {});
        outcomes.push(resumed);
      },
    });
    const server = await serve(handler);
    const { port } = server.address() as AddressInfo;
    const push = {
      url: `http://127.0.0.1:${port}/hook`,
      authentication: { scheme: 'HMAC-SHA256', credentials: SECRET },
    };
    const outcome = await runTask(client, 'File my receipt', { pending, push });
    if (outcome.kind !== 'needs-input') throw new Error();
    // A person answers elsewhere; the second question reaches us by the webhook alone.
    const details = { amount: 12.5, currency: 'EUR', date: '2026-11-24', vendor: 'Blue Bottle' };
    await fetch(`${target.url}/message:send`, {
      method: 'POST',
      headers: { 'A2A-Version': '1.0', 'Content-Type': 'application/json' },
      body: JSON.stringify({
        message: { messageId: 'm-2', role: 'ROLE_USER', taskId: outcome.taskId, parts: [{ data: details }] },
      }),
    });
    const [first] = await until('the waking', async () => outcomes.length > 0 && outcomes);
    expect(await first).toMatchObject({
      kind: 'completed',
      artifacts: [{ parts: [{ data: { costCentre: 'CC-4420' } }] }],
    });
    expect((await pending.get(outcome.taskId))?.task.state).toBe('done');
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('what arrives', () => {
  let woken: Wake[];
  let pending: FilePendingStore;
  let n = 0;
  const NOW = Date.parse('2026-11-30T12:00:00Z');
  const waiting: PendingTask = {
    taskId: 't',
    contextId: 'c',
    agent: { name: 'Agent', url: 'http://localhost:3000' },
    state: 'waiting',
    rounds: 0,
    maxRounds: 3,
    generation: 3,
    savedAtMs: NOW,
  };

  beforeEach(async () => {
    woken = [];
    n += 1;
    pending = new FilePendingStore(join(folder, `forged-${n}`));
    await pending.write(waiting, undefined);
  });

  const handler = (onWake = (wake: Wake) => void woken.push(wake)) =>
    webhookHandler({
      verify: { secret: (taskId) => (taskId === 'unknown' ? undefined : SECRET) },
      pending,
      onWake,
      now: () => NOW,
    });

  const event = (generation: number, state = 'TASK_STATE_INPUT_REQUIRED', more: object = {}) =>
    JSON.stringify({
      statusUpdate: { taskId: 't', status: { state, ...more }, metadata: { [URI]: { generation } } },
    });

  const post = (body: string, header: string | undefined = signature(SECRET, body, NOW)) =>
    new Request('http://localhost/', {
      method: 'POST',
      body,
      ...(header === undefined ? {} : { headers: { 'X-Askback-Signature': header } }),
    });

  test('a newer event wakes once; the same and an older one are dropped', async () => {
    const take = handler();
    expect((await take(post(event(5)))).status).toBe(204);
    expect(woken).toEqual([{ task: waiting, state: 'TASK_STATE_INPUT_REQUIRED', reminder: false }]);
    expect((await take(post(event(5)))).status).toBe(204);
    expect((await take(post(event(4, 'TASK_STATE_COMPLETED')))).status).toBe(204);
    expect((await take(post(event(3)))).status).toBe(204);
    expect(woken).toHaveLength(1);
    expect((await pending.get('t'))?.task.generation).toBe(5);
  });

  test('work in progress wakes nobody, a reminder says that it is one', async () => {
    const take = handler();
    await take(post(event(4, 'TASK_STATE_WORKING')));
    expect(woken).toEqual([]);
    await take(post(event(5, 'TASK_STATE_INPUT_REQUIRED', { message: { metadata: { [URI]: { reminder: true } } } })));
    expect(woken).toMatchObject([{ reminder: true }]);
  });

  test.each([
    ['another secret', () => post(event(5), signature('other', event(5), NOW)), 401],
    ['another body', () => post(event(6), signature(SECRET, event(5), NOW)), 401],
    ['an old recording', () => post(event(5), signature(SECRET, event(5), NOW - 301_000)), 401],
    ['no signature', () => new Request('http://localhost/', { method: 'POST', body: event(5) }), 401],
    ['a task without a secret', () => post(event(5).replace('"t"', '"unknown"')), 401],
    ['no JSON', () => post('{'), 400],
    ['no event', () => post('{"hello":1}'), 400],
    ['GET', () => new Request('http://localhost/'), 405],
    ['too much', () => post(JSON.stringify({ x: 'x'.repeat(6_100_000) })), 413],
  ])('%s is refused and changes nothing', async (_what, request, status) => {
    expect((await handler()(request())).status).toBe(status);
    expect(woken).toEqual([]);
    expect((await pending.get('t'))?.task.generation).toBe(3);
  });

  test('when waking fails the agent is told to send again, and the event counts as not seen', async () => {
    const failing = handler(() => {
      throw new Error('the queue is down');
    });
    expect((await failing(post(event(5)))).status).toBe(500);
    await handler()(post(event(5)));
    expect(woken).toHaveLength(1);
  });

  test('other agents send a token instead', async () => {
    const take = webhookHandler({ verify: { token: 'tok' }, pending, onWake: (wake) => void woken.push(wake) });
    const body = JSON.stringify({ task: { id: 't', status: { state: 'TASK_STATE_COMPLETED' } } });
    const with_ = (token: string) =>
      new Request('http://localhost/', { method: 'POST', body, headers: { 'X-A2A-Notification-Token': token } });
    expect((await take(with_('wrong'))).status).toBe(401);
    expect((await take(with_('tok'))).status).toBe(204);
    expect(woken).toMatchObject([{ state: 'TASK_STATE_COMPLETED' }]);
  });

  test.each<[string, Parameters<typeof webhookHandler>[0]['verify'], number]>([
    ['looking up the secret fails', { secret: () => Promise.reject(new Error('the vault is sealed')) }, 500],
    ['the secret that was found is empty', { secret: () => '' }, 500],
  ])('%s: the agent is told to send again, and we are told why', async (_what, verify, status) => {
    const errors: unknown[] = [];
    const take = webhookHandler({ verify, pending, onWake: () => {}, onError: (error) => errors.push(error) });
    expect((await take(post(event(5)))).status).toBe(status);
    expect(errors).toHaveLength(1);
  });

  test('a body that breaks off is no notification', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('aborted')) });
    const request = new Request('http://localhost/', { method: 'POST', body, duplex: 'half' } as RequestInit);
    expect((await handler()(request)).status).toBe(400);
  });

  test('an empty secret is refused at once: anybody could sign with it', () => {
    expect(() => webhookHandler({ verify: { secret: '' }, pending, onWake: () => {} })).toThrow(/empty/);
  });

  test('what fails is told to onError, and what onError throws changes nothing', async () => {
    const told: unknown[] = [];
    const down = new Error('the queue is down');
    const take = webhookHandler({
      verify: { secret: SECRET },
      pending,
      now: () => NOW,
      onWake: () => Promise.reject(down),
      onError: (error) => {
        told.push(error);
        throw new Error('and the log too');
      },
    });
    expect((await take(post(event(5)))).status).toBe(500);
    expect(told).toEqual([down]);
  });

  test('a flood of one notification at once: at least one waking, and one newest generation', async () => {
    const take = handler();
    const all = await Promise.all(Array.from({ length: 20 }, () => take(post(event(5)))));
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([204]));
    expect(woken.length).toBeGreaterThanOrEqual(1);
    expect((await pending.get('t'))?.task.generation).toBe(5);
  });
});
