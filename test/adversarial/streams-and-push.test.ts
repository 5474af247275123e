/** Attacks on streams and notifications: receivers and callers that use HTTP in ways nobody should. */
import { createHmac } from 'node:crypto';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { defineAgent } from '../../agent/define-agent.ts';
import { WebhookSender } from '../../aws/webhook-sender.ts';
import { verifyWebhook } from '../../client/verify-webhook.ts';
import { deletePushConfig } from '../../core/operations/delete-push-config.ts';
import { getTask } from '../../core/operations/get-task.ts';
import { checkCreatePushConfig } from '../../core/wire/check-push.ts';
import { startHttpServer } from '../../local/http-server.ts';
import { HOOK, pushWorld } from '../core/operations/push-world.ts';
import { alice } from '../core/operations/world.ts';

const EXTENSION = 'https://askback.dev/a2a/extensions/question/v1';
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A receiver that answers any request with these bytes and leaves the connection open. */
async function saying(bytes: string): Promise<string> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    socket.once('data', () => socket.write(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

describe('a receiver', () => {
  it.each([
    [
      'switches protocols',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      'answered 101',
    ],
    ['switches to nothing', 'HTTP/1.1 101 Switching Protocols\r\n\r\n', 'answered 101'],
    ['stops in the status line', 'HTTP/1.1 200 O', 'no answer within 300 ms'],
    ['only ever says that it goes on', 'HTTP/1.1 103 Early Hints\r\n\r\n', 'no answer within 300 ms'],
  ])(
    'that %s holds no sender: the post ends, and is not taken',
    async (_what, bytes, why) => {
      const sender = new WebhookSender({ loopback: true, timeoutMs: 300 });
      const result = sender.post({ url: await saying(bytes), headers: {}, body: '{}' });
      expect(await result).toEqual({ ok: false, why });
    },
    2_000,
  );
});

describe('a caller of the local server', () => {
  it('who sends several requests ahead on one connection and leaves is known to have gone by each of them', async () => {
    const waiting: AbortSignal[] = [];
    let told = () => {};
    const allIn = new Promise<void>((resolve) => {
      told = resolve;
    });
    const server = await startHttpServer({
      port: 0,
      onError: () => undefined,
      handle: async (_event, signal) => {
        if (waiting.push(signal) === 3) told();
        return { statusCode: 200, headers: {}, body: untilGone(signal) };
      },
    });
    closing.push(() => server.stop(0));
    const caller = connect(server.port, '127.0.0.1');
    caller.write('GET /tasks HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(3));
    await allIn;
    caller.destroy();
    const gone = waiting.map((signal) => new Promise((resolve) => signal.addEventListener('abort', resolve)));
    await Promise.all(gone);
    expect(waiting.map(({ aborted }) => aborted)).toEqual([true, true, true]);
  }, 2_000);
});

async function* untilGone(signal: AbortSignal): AsyncGenerator<string> {
  yield ': open\n\n';
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

describe('verifyWebhook', () => {
  it('takes no empty secret: what is signed with nothing is signed by anybody', () => {
    const body = '{"statusUpdate":{}}';
    const code = createHmac('sha256', '').update(`1700000000.${body}`).digest('hex');
    const headers = { 'x-askback-signature': `t=1700000000,v1=${code}` };
    expect(() => verifyWebhook({ headers, body }, '', { nowMs: 1_700_000_000_000 })).toThrow('the secret is empty');
  });
});

const request = { messageId: 'm-1', parts: [{ text: 'go' }] };
const GONE = { ok: false, why: 'answered 410', gone: true } as const;

describe('a config that is deleted and made anew while its old receiver still holds a post', () => {
  it('stays what it is now: the sender that comes back late writes neither the old address nor the old secrets', async () => {
    const { deps, push, send, turns, pokes, register, config } = pushWorld();
    let answered = (_result: { ok: true }) => {};
    push.webhooks.answer = () => new Promise((resolve) => (answered = resolve));
    const { id } = await send(request, { id: 'w', url: HOOK, token: 'old' });
    await turns();
    const late = pokes();
    await vi.waitFor(() => expect(push.webhooks.posts).toHaveLength(1));
    await deletePushConfig(deps, alice, { taskId: id, id: 'w' });
    await deps.clock.advance(1);
    // Twice, so that the new config has moved as often as the old one had.
    await register(id, { id: 'w', url: 'https://other.example/' });
    await register(id, { id: 'w', url: 'https://other.example/' });
    push.webhooks.answer = () => ({ ok: true });
    answered({ ok: true });
    await late;
    expect(config('w')).toEqual({ id: 'w', version: expect.any(Number), url: 'https://other.example/', cursor: 3 });
    expect(push.webhooks.posts.map(({ url }) => url)).toEqual([HOOK]);
  });
});

describe('a dead letter that is sent back', () => {
  it('takes the receiver out of pushGivenUp, and a retry that is lost is found by the sweeper', async () => {
    const { deps, push, send, settle, sweep, told } = pushWorld();
    push.webhooks.answer = () => GONE;
    const { id } = await send(request, { id: 'w', url: HOOK });
    await settle();
    expect((await getTask(deps, alice, { id })).metadata).toMatchObject({ [EXTENSION]: { pushGivenUp: ['w'] } });
    await deps.clock.advance(10 * 60_000);
    await sweep();
    push.webhooks.answer = () => ({ ok: false, why: 'answered 503' });
    await push.queue.send(push.queue.buried);
    push.queue.failures = 1;
    await settle();
    expect(push.queue.failures).toBe(0);
    expect((await getTask(deps, alice, { id })).metadata?.[EXTENSION]).not.toHaveProperty('pushGivenUp');
    push.webhooks.answer = () => ({ ok: true });
    await deps.clock.advance(2 * 60_000);
    await sweep();
    await settle();
    expect(told().slice(-3)).toEqual(['1 SUBMITTED', '2 WORKING', '3 INPUT_REQUIRED']);
  });
});

describe('a receiver of A2A 0.3', () => {
  it('is told of a task that is too large for one answer: without the content of its artifacts', async () => {
    const agent = defineAgent({
      card: {
        name: 'Quoting agent',
        description: 'Quotes.',
        version: '1',
        skills: [{ id: 's', name: 'S', description: 'S.', tags: [] }],
      },
      async run(turn) {
        // Each quotation mark is four bytes in a body that travels as a JSON string.
        for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
          await turn.artifact({ name, parts: [{ text: '"'.repeat(250_000) }] });
        }
      },
    });
    const { push, send, settle } = pushWorld({ ...agent, filed: [], runs: 0 });
    await send(request, { id: 'w', url: HOOK, protocol: '0.3' });
    await settle();
    expect(push.webhooks.posts.at(-1)?.payload).toMatchObject({ kind: 'task', status: { state: 'completed' } });
  });
});

describe('the id of a config', () => {
  it.each(['.', '..'])('is not %s: in a path that is another place, so that nobody could delete it', (id) => {
    expect(() => checkCreatePushConfig({ taskId: 't', id, url: HOOK }, alice)).toThrow(/^id: must be of letters/);
    expect(checkCreatePushConfig({ taskId: 't', id: `${id}x`, url: HOOK }, alice)).toMatchObject({ id: `${id}x` });
  });
});
