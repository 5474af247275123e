/** Push notifications to a real receiver on this machine, registered with the official client (A2A 3.1.7 to 3.1.10). */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StreamResponse as SdkStreamResponse } from '@a2a-js/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyWebhook } from '../../client/verify-webhook.ts';
import type { Message, StreamResponse } from '../../core/message.ts';
import { type Caller, connect } from '../../local/official-client.ts';
import { BINDINGS } from './support/bindings.ts';
import { answer, question, REQUEST, say } from './support/expense.ts';
import { isLocal, openTarget, type Target, until } from './support/target.ts';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Receiver {
  readonly url: string;
  readonly got: Received[];
  /** Runs before the answer is given; what it returns is the status. */
  answer: (received: Received) => number | Promise<number>;
  /** What was taken or not, in short: generation and state, or the artifact's name. */
  told(): readonly string[];
  stop(): void;
}

async function startReceiver(): Promise<Receiver> {
  const server: Server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const received = { headers: request.headers, body };
    receiver.got.push(received);
    response.writeHead(await receiver.answer(received)).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    got: [],
    answer: () => 200,
    told: () => receiver.got.map(({ body }) => short(JSON.parse(body) as StreamResponse)),
    stop: () => void server.close(),
  };
  return receiver;
}

function short(event: StreamResponse): string {
  const update =
    'statusUpdate' in event ? event.statusUpdate : 'artifactUpdate' in event ? event.artifactUpdate : undefined;
  const [own] = Object.values(update?.metadata ?? {}) as { generation: number }[];
  const what = 'statusUpdate' in event ? event.statusUpdate.status.state.replace('TASK_STATE_', '') : 'artifact';
  return `${own?.generation} ${what}`;
}

describe.skipIf(!isLocal)('push notifications', () => {
  let target: Target;
  let receiver: Receiver;
  beforeAll(async () => {
    target = await openTarget();
  });
  afterAll(() => target?.stop());

  async function ended(caller: Caller, id: string) {
    return until(`the end of ${id}`, async () => {
      const task = await caller.get(id);
      return task.status.state === 'TASK_STATE_COMPLETED' && task;
    });
  }

  describe.each(BINDINGS)('over %s with the official client', (binding) => {
    let caller: Caller;
    beforeAll(async () => {
      caller = await connect(target.url, binding, target.as('alice'));
      receiver = await startReceiver();
    });
    afterAll(() => receiver?.stop());

    test('R40: a task registered with its message: one post for each event, signed, with its credentials', async () => {
      const token = randomUUID();
      const asked = await caller.send(say(REQUEST), {
        taskPushNotificationConfig: {
          url: receiver.url,
          token,
          authentication: { scheme: 'Bearer', credentials: 'c-1' },
        },
      });
      const askedTold = await until(
        'the question',
        async () => receiver.told().includes('3 INPUT_REQUIRED') && receiver.told(),
      );
      expect(askedTold).toEqual(['1 SUBMITTED', '2 WORKING', '3 INPUT_REQUIRED']);
      const { headers, body } = receiver.got[2]!;
      expect(headers).toMatchObject({
        'content-type': 'application/a2a+json',
        authorization: 'Bearer c-1',
        'x-a2a-notification-token': token,
      });
      const event = verifyWebhook({ headers, body }, token);
      if (!('statusUpdate' in event)) throw new Error('not a status');
      // R61: what GetTask shows is what the receiver got.
      expect(event.statusUpdate.status).toEqual(asked.status);
      expect(question(asked)).toMatchObject({ options: ['CC-4410', 'CC-4420'], answerSchema: { type: 'object' } });
      expect(() => verifyWebhook({ headers, body: body.replace('CC-4410', 'CC-9999') }, token)).toThrow('wrong');
      const read = SdkStreamResponse.fromJSON(JSON.parse(body));
      expect(read.payload?.$case).toBe('statusUpdate');

      await caller.send(answer(asked, { costCentre: 'CC-4410' }));
      await ended(caller, asked.id);
      const all = await until('the end', async () => receiver.told().at(-1)?.endsWith('COMPLETED') && receiver.told());
      expect(all).toEqual(['1 SUBMITTED', '2 WORKING', '3 INPUT_REQUIRED', '4 WORKING', '5 artifact', '6 COMPLETED']);
    });

    test('R45: configs are created, read, listed and deleted, and never show their secrets', async () => {
      const asked = await caller.send(say(REQUEST));
      const config = { taskId: asked.id, url: `${receiver.url}/2`, token: 'tok-4711' };
      const created = await caller.createPushConfig({
        ...config,
        id: 'mine',
        authentication: { scheme: 'Basic', credentials: 'cred-0815' },
      });
      expect(created).toEqual({
        id: 'mine',
        taskId: asked.id,
        url: `${receiver.url}/2`,
        authentication: { scheme: 'Basic' },
      });
      expect(await caller.getPushConfig(asked.id, 'mine')).toEqual(created);
      const derived = await caller.createPushConfig(config);
      expect((await caller.createPushConfig(config)).id).toBe(derived.id);
      expect(await caller.listPushConfigs(asked.id)).toEqual([created, derived]);
      await caller.deletePushConfig(asked.id, 'mine');
      await caller.deletePushConfig(asked.id, 'mine');
      expect(await caller.listPushConfigs(asked.id)).toEqual([derived]);
      await expect(caller.getPushConfig(asked.id, 'mine')).rejects.toThrow('has no push notification config');
      expect(JSON.stringify(target.local.log.lines)).not.toMatch(/tok-4711|cred-0815/);
    });

    test('R43: another owner finds no task to register with', async () => {
      const asked = await caller.send(say(REQUEST));
      const other = await connect(target.url, binding, target.as('bob'));
      await expect(other.createPushConfig({ taskId: asked.id, url: receiver.url })).rejects.toThrow('Task not found');
      await expect(other.listPushConfigs(asked.id)).rejects.toThrow('Task not found');
    });

    test('R38: inner addresses and names are refused, in both ways', async () => {
      const asked = await caller.send(say(REQUEST));
      for (const url of [
        'http://169.254.169.254/',
        'https://10.0.0.1/',
        'https://0xa9fea9fe/',
        'file:///x',
        'http://a.example/',
      ]) {
        await expect(caller.createPushConfig({ taskId: asked.id, url })).rejects.toThrow(/url: must /);
        await expect(caller.send(say(REQUEST), { taskPushNotificationConfig: { url } })).rejects.toThrow(
          /Config\.url: must /,
        );
      }
      expect(await caller.listPushConfigs(asked.id)).toEqual([]);
    });

    test('R08: the answer may come from inside the receiver, before it has answered itself', async () => {
      const inside = await startReceiver();
      inside.answer = async ({ body }) => {
        const event = JSON.parse(body) as {
          statusUpdate?: { taskId: string; status: { state: string; message?: Message } };
        };
        const { status, taskId = '' } = event.statusUpdate ?? {};
        if (status?.state === 'TASK_STATE_INPUT_REQUIRED') {
          const data = { questionId: status.message?.messageId ?? '', costCentre: 'CC-4420' };
          await caller.send(
            { messageId: randomUUID(), role: 'ROLE_USER', taskId, parts: [{ data }] },
            { returnImmediately: true },
          );
        }
        return 202;
      };
      const { id } = await caller.send(say(REQUEST), {
        returnImmediately: true,
        taskPushNotificationConfig: { url: inside.url },
      });
      const done = await ended(caller, id);
      expect(done.artifacts?.[0]?.parts[0]?.data).toMatchObject({ costCentre: 'CC-4420' });
      await until('the end', async () => inside.told().at(-1) === '6 COMPLETED');
      inside.stop();
    });
  });

  test('R17, R41: a receiver that is slow and fails once delays nothing, and is told in order', async () => {
    const slow = await startReceiver();
    const caller = await connect(target.url, 'JSONRPC', target.as('alice'));
    let held: (() => void) | undefined;
    let calls = 0;
    slow.answer = async () => {
      calls += 1;
      if (calls === 1) await new Promise<void>((resolve) => (held = resolve));
      return calls === 1 ? 500 : 200;
    };
    const asked = await caller.send(say(REQUEST), { taskPushNotificationConfig: { url: slow.url } });
    await caller.send(answer(asked, { costCentre: 'CC-4410' }));
    await ended(caller, asked.id);
    expect(slow.told()).toEqual(['1 SUBMITTED']);
    held?.();
    await until('the failure', async () => target.local.log.counted('PushesFailed') > 0);
    target.local.clock.advance(10_000);
    await until('the end', async () => slow.told().at(-1) === '6 COMPLETED');
    expect(slow.told()).toEqual([
      '1 SUBMITTED',
      '1 SUBMITTED',
      '2 WORKING',
      '3 INPUT_REQUIRED',
      '4 WORKING',
      '5 artifact',
      '6 COMPLETED',
    ]);
    slow.stop();
  });

  test('the card says that notifications are sent', async () => {
    const card = (await (await fetch(`${target.url}/.well-known/agent-card.json`)).json()) as {
      capabilities: { pushNotifications: boolean };
    };
    expect(card.capabilities.pushNotifications).toBe(true);
  });
});
