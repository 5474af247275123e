/** Callers of A2A 0.3: the worked example with the official SDK's 0.3 transports, on both bindings (R90). */
import {
  CancelTaskRequest,
  GetTaskRequest,
  SendMessageRequest,
  SubscribeToTaskRequest,
  type Task as SdkTask,
  TaskPushNotificationConfig,
  TaskState,
} from '@a2a-js/sdk';
import { DefaultAgentCardResolver, type Transport } from '@a2a-js/sdk/client';
import { isLegacyAgentCard, LegacyJsonRpcTransport, LegacyRestTransport } from '@a2a-js/sdk/compat/v0_3/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLocal, openTarget, streams, type Target } from './support/target.ts';

let target: Target;
beforeAll(async () => {
  target = await openTarget();
});
afterAll(() => target.stop());

const TRANSPORTS = { JSONRPC: LegacyJsonRpcTransport, 'HTTP+JSON': LegacyRestTransport } as const;

/** With the caller's credentials, and no version: that is what a client of 0.3 sends. */
function transport(binding: keyof typeof TRANSPORTS): Transport {
  const fetchImpl: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.delete('A2A-Version');
    return fetch(input, { ...init, headers: { ...Object.fromEntries(headers), ...target.as('alice') } });
  };
  return new TRANSPORTS[binding]({ endpoint: target.url, fetchImpl });
}

function asTask(result: object): SdkTask {
  if (!('status' in result)) throw new Error('the agent answered with a message, not with a task');
  return result as SdkTask;
}

/** The data of the question that the task asks. */
function question(task: SdkTask): Record<string, unknown> {
  const [data] = (task.status?.message?.parts ?? []).flatMap(({ content }) =>
    content?.$case === 'data' ? [content] : [],
  );
  return data?.value as Record<string, unknown>;
}

describe.each(Object.keys(TRANSPORTS) as (keyof typeof TRANSPORTS)[])('%s', (binding) => {
  const id = (name: string) => `v03-${binding}-${name}`;
  const send = async (name: string, part: object, taskId?: string, configuration: object = {}) =>
    asTask(
      await transport(binding).sendMessage(
        SendMessageRequest.fromJSON({
          message: { messageId: id(name), role: 'ROLE_USER', parts: [part], ...(taskId ? { taskId } : {}) },
          configuration: { returnImmediately: false, ...configuration },
        }),
      ),
    );
  const asking = (name: string) => send(name, { text: 'File my taxi receipt from Tuesday, 42 euros' });

  it('asks, refuses a bad answer, takes a good one, and shows it all', async () => {
    const first = await asking('m-1');
    expect(first.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(question(first)).toMatchObject({ attempt: 1, options: ['CC-4410', 'CC-4420'] });
    const second = await send('m-2', { text: 'engineering' }, first.id);
    expect(question(second)).toMatchObject({ errors: [{ message: 'expected one of CC-4410, CC-4420' }] });
    const answer = { questionId: question(second).questionId, costCentre: 'CC-4410' };
    const done = await send('m-3', { data: answer }, first.id);
    expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    const read = await transport(binding).getTask(GetTaskRequest.fromJSON({ id: first.id }));
    expect(read.history.map(({ messageId }) => messageId.replace(/^q-.*-/, 'q-'))).toEqual([
      id('m-1'),
      'q-1',
      id('m-2'),
      'q-2',
      id('m-3'),
    ]);
    expect(read.artifacts[0]?.parts[0]?.content).toMatchObject({ $case: 'data', value: { costCentre: 'CC-4410' } });
  });

  it('does not wait unless it is asked to', async () => {
    const task = await send('m-4', { text: 'File my taxi receipt from Tuesday, 42 euros' }, undefined, {
      returnImmediately: true,
    });
    expect([TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING]).toContain(task.status?.state);
  });

  it.runIf(streams)('streams, and subscribes to what another asked', async () => {
    const states: (TaskState | undefined)[] = [];
    let taskId = '';
    const request = SendMessageRequest.fromJSON({
      message: {
        messageId: id('m-5'),
        role: 'ROLE_USER',
        parts: [{ text: 'File my taxi receipt from Tuesday, 42 euros' }],
      },
    });
    for await (const { payload } of transport(binding).sendMessageStream(request)) {
      if (payload?.$case === 'task') taskId = payload.value.id;
      if (payload?.$case === 'task' || payload?.$case === 'statusUpdate') states.push(payload.value.status?.state);
    }
    expect(states.at(-1)).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    const stream = transport(binding).resubscribeTask(SubscribeToTaskRequest.fromJSON({ id: taskId }));
    const { value } = await stream.next();
    expect(value?.payload).toMatchObject({ $case: 'task', value: { id: taskId } });
    await stream.return?.();
  });

  it('cancels; errors keep their kind', async () => {
    const { id: taskId } = await asking('m-6');
    const canceled = await transport(binding).cancelTask(CancelTaskRequest.fromJSON({ id: taskId }));
    expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    await expect(send('m-7', { text: 'CC-4410' }, taskId)).rejects.toThrow('has ended and takes no messages');
    const unknown = GetTaskRequest.fromJSON({ id: 'nope' });
    await expect(transport(binding).getTask(unknown)).rejects.toMatchObject({ name: 'TaskNotFoundError' });
  });

  it.runIf(isLocal)('registers, reads, lists and deletes push notification configs', async () => {
    const { id: taskId } = await asking('m-8');
    const config = {
      taskId,
      id: 'c1',
      url: 'http://localhost:9/hook',
      authentication: { scheme: 'Bearer', credentials: 'secret' },
    };
    const made = await transport(binding).createTaskPushNotificationConfig(TaskPushNotificationConfig.fromJSON(config));
    expect(made).toMatchObject({ id: 'c1', url: 'http://localhost:9/hook' });
    const name = { taskId, id: 'c1', tenant: '' };
    const read = await transport(binding).getTaskPushNotificationConfig(name);
    // R45: what is secret is not shown again.
    expect(read).toMatchObject({ id: 'c1', authentication: { scheme: 'Bearer' } });
    expect(JSON.stringify(read)).not.toContain('secret');
    const list = { taskId, pageSize: 0, pageToken: '', tenant: '' };
    expect((await transport(binding).listTaskPushNotificationConfig(list)).configs).toHaveLength(1);
    await transport(binding).deleteTaskPushNotificationConfig(name);
    expect((await transport(binding).listTaskPushNotificationConfig(list)).configs).toHaveLength(0);
  });
});

describe('the card', () => {
  it('is read by the official client as one of 1.0, which offers 0.3 as well', async () => {
    const card = await new DefaultAgentCardResolver({ legacyCompat: { enabled: true } }).resolve(`${target.url}/`);
    expect(
      card.supportedInterfaces.map(({ protocolBinding, protocolVersion }) => [protocolBinding, protocolVersion]),
    ).toEqual([
      ['JSONRPC', '1.0'],
      ['HTTP+JSON', '1.0'],
      ['JSONRPC', '0.3'],
      ['HTTP+JSON', '0.3'],
    ]);
    const raw = (await (await fetch(`${target.url}/.well-known/agent-card.json`)).json()) as Record<string, unknown>;
    expect(isLegacyAgentCard(raw)).toBe(false);
    // To a reader that knows nothing of 1.0 it is a card of 0.3.
    const { supportedInterfaces: _unknown, ...old } = raw;
    expect(isLegacyAgentCard(old)).toBe(true);
    expect(old).toMatchObject({ url: target.url, preferredTransport: 'JSONRPC', protocolVersion: '0.3.0' });
  });
});
