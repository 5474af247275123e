/**
 * Sizes (design, sections 4 and 6; R76): what is over a limit gets a clear error before anything is written, and what is
 * large but allowed is stored whole and given back whole. Through the api function, over the fakes.
 */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import type { Task } from '../../core/message.ts';
import type { LogEntry, TaskHead } from '../../core/task.ts';
import { apiHandler } from '../../functions/api.ts';
import { tinyAgent } from '../core/operations/tiny-agent.ts';
import { next, submittedHead } from '../support/heads.ts';
import { ALICE, HELLO, KIB, system } from './api-over-fakes.ts';
import { gatewayEvent, lambdaContext } from './events.ts';

function nested(depth: number): JsonObject {
  let value: JsonObject = { end: true };
  for (let level = 1; level < depth; level++) value = { inner: value };
  return value;
}

describe('over a limit: a clear error, and nothing is written (R76)', () => {
  const many = (count: number) => Array.from({ length: count }, (_, n) => `urn:x:${n}`);
  const TOO_LONG = 'must not be longer than';
  it.each<[string, JsonObject, string]>([
    ['101 parts', { parts: many(101).map((text) => ({ text })) }, 'must not have more than 100 parts'],
    ['a long message id', { messageId: 'x'.repeat(129) }, `message.messageId: ${TOO_LONG} 128 characters`],
    ['a long context id', { contextId: 'x'.repeat(129) }, `message.contextId: ${TOO_LONG} 128 characters`],
    ['a long task id', { taskId: 'x'.repeat(129) }, `message.taskId: ${TOO_LONG} 128 characters`],
    [
      'large metadata',
      { metadata: { x: 'x'.repeat(16 * KIB) } },
      'message.metadata: must not be larger than 16384 bytes',
    ],
    [
      'large metadata of a part',
      { parts: [{ text: 'x', metadata: { x: 'x'.repeat(16 * KIB) } }] },
      'message.parts[0].metadata: must not be larger than 16384 bytes',
    ],
    ['a long file name', { parts: [{ text: 'x', filename: 'x'.repeat(2_049) }] }, `${TOO_LONG} 2048 characters`],
    ['a long media type', { parts: [{ text: 'x', mediaType: 'x'.repeat(256) }] }, `${TOO_LONG} 255 characters`],
    ['a long URL', { parts: [{ url: `https://x/${'x'.repeat(2_048)}` }] }, `${TOO_LONG} 2048 characters`],
    ['101 extensions', { extensions: many(101) }, 'must not have more than 100 items'],
    ['101 referenced tasks', { referenceTaskIds: many(101) }, 'must not have more than 100 items'],
    ['data that is too deep', { parts: [{ data: nested(66) }] }, 'must not be nested deeper than 64 levels'],
  ])('%s', async (_what, message, description) => {
    const { deps, send } = system();
    const { status, error } = await send(message);
    expect(status).toBe(400);
    expect(error?.message).toContain(description);
    expect(error?.details[0]).toMatchObject({ reason: 'INVALID_PARAMS' });
    expect(deps.store.calls).toEqual([]);
    expect(deps.store.dump()).toBe('');
  });

  it('a request of more than 5,500 KiB is a 413 that names the limit', async () => {
    const { deps, send } = system();
    const { status, error } = await send({ parts: [{ text: 'x'.repeat(5_500 * KIB) }] });
    expect(status).toBe(413);
    expect(error?.details[0]).toMatchObject({ reason: 'REQUEST_TOO_LARGE', metadata: { maxBytes: '5632000' } });
    expect(deps.store.calls).toEqual([]);
  });

  it('a caller whose name no head can hold is told so', async () => {
    const { deps, call } = system();
    const long = { tenant: 'local', principal: 'x'.repeat(1_100) };
    const { status, error } = await call('POST', '/message:send', { message: { messageId: 'm-1', ...HELLO } }, long);
    expect([status, error?.message]).toEqual([403, "The caller's identity is longer than 1024 bytes"]);
    expect(deps.store.calls).toEqual([]);
  });

  const queueing = () => system(tinyAgent({ settings: { onMessage: 'queue' } }));

  it('a message of more than 1,000 KiB to a task that is not asking', async () => {
    const { deps, send } = queueing();
    const { task } = await send({});
    const before = deps.store.dump();
    const large = await send({ messageId: 'm-2', taskId: task?.id ?? '', parts: [{ text: 'x'.repeat(1_000 * KIB) }] });
    expect(large.status).toBe(400);
    expect(large.error?.message).toContain('has at most 1024000 bytes');
    expect(deps.store.dump()).toBe(before);
  });

  it('the 21st unread message', async () => {
    const { deps, send } = queueing();
    const { task } = await send({});
    for (let n = 1; n <= 20; n++) await send({ messageId: `unread-${n}`, taskId: task?.id ?? '' });
    const before = deps.store.dump();
    const { status, error } = await send({ messageId: 'unread-21', taskId: task?.id ?? '' });
    expect([status, error?.message]).toEqual([400, `Task ${task?.id} holds 20 unread messages`]);
    expect(deps.store.dump()).toBe(before);
  });

  it('the 1,001st message; the task can still be read and canceled', async () => {
    const { deps, call, send, deliver } = system();
    const { task } = await send({});
    await deliver();
    const id = task?.id ?? '';
    const head = deps.store.peek(id) as TaskHead;
    await deps.store.save(head, next(head, { used: { ...head.used, messages: 1_000 } }));
    const before = deps.store.dump();
    const { status, error } = await send({ messageId: 'm-2', taskId: id, parts: [{ text: 'CC-4410' }] });
    expect(status).toBe(400);
    expect(error?.message).toContain('1000 messages');
    expect(deps.store.dump()).toBe(before);
    expect((await call('GET', `/tasks/${id}`)).task?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect((await call('POST', `/tasks/${id}:cancel`)).task?.status.state).toBe('TASK_STATE_CANCELED');
  });
});

describe('an answer that is too large (R76)', () => {
  it('of 1 MB is refused with the limit and asked again; the task can be answered, read and canceled', async () => {
    const { deps, call, send, deliver } = system();
    const { task } = await send({});
    await deliver();
    const id = task?.id ?? '';
    const large = { costCentre: 'x'.repeat(1_000_000) };
    const again = await send({ messageId: 'm-2', taskId: id, parts: [{ data: large }] });
    expect(again.task?.status.message?.parts[1]?.data).toMatchObject({
      attempt: 2,
      errors: [{ pointer: '', message: 'expected at most 65536 bytes of JSON' }],
    });
    expect(deps.store.heads()).toHaveLength(1);
    expect((await call('GET', `/tasks/${id}`)).task?.history?.[2]?.parts).toEqual([{ data: large }]);
    const good = await send({ messageId: 'm-3', taskId: id, parts: [{ data: { costCentre: 'CC-4410' } }] });
    expect(good.task?.status.state).toBe('TASK_STATE_WORKING');
  });
});

describe('large but allowed', () => {
  it('a message of 5 MB makes a task, is kept outside the head, and comes back as it went', async () => {
    const { deps, call, send, deliver } = system();
    const raw = Buffer.alloc(3_900_000, 'ab').toString('base64');
    const { task } = await send({ parts: [{ text: 'File this' }, { raw }] });
    await deliver();
    const id = task?.id ?? '';
    expect(JSON.stringify(deps.store.peek(id)).length).toBeLessThan(2_500);
    const { history } = (await call('GET', `/tasks/${id}`)).task ?? {};
    expect(history?.[0]?.parts[1]).toEqual({ raw });
  });

  it('more history than one response carries is not even read; the newest of it is what comes', async () => {
    const { deps, call } = system();
    const id = 'large-history';
    const blob = (n: number) => ({ messageId: `m-${n}`, role: 'ROLE_USER', parts: [{ text: 'x'.repeat(2_500_000) }] });
    const entries: LogEntry[] = Array.from({ length: 8 }, (_, n) => ({
      seq: n + 1,
      atMs: 1_800_000_000_000 + n,
      received: { blob: `hash-${n + 1}`, bytes: 2_500_060 },
    }));
    const head = submittedHead(id, { owner: '5:local:alice', seq: 8, log: entries });
    const children = entries.map((_, n) => ({
      kind: 'blob' as const,
      hash: `hash-${n + 1}`,
      json: JSON.stringify(blob(n + 1)),
    }));
    await deps.store.create(head, children);
    deps.store.calls.length = 0;
    const { task } = await call('GET', `/tasks/${id}`);
    expect(task?.history?.map((message) => message.messageId)).toEqual(['m-7', 'm-8']);
    expect(deps.store.calls.map((one) => one.op)).toEqual(['load', 'blob', 'blob']);
  });

  it('a history of 2,400 entries costs GetTask one read of old entries for 100 messages, and none for 0', async () => {
    const { deps, call } = system();
    const entry = (seq: number): LogEntry => ({
      seq,
      atMs: 1_800_000_000_000 + seq,
      received: { value: { messageId: `m-${seq}`, role: 'ROLE_USER', parts: [{ text: 'hi' }] } },
    });
    const chunks = Array.from({ length: 599 }, (_, chunk) => ({
      kind: 'log' as const,
      chunk,
      entries: [1, 2, 3, 4].map((n) => entry(chunk * 4 + n)),
    }));
    const log = [2_397, 2_398, 2_399, 2_400].map(entry);
    await deps.store.create(submittedHead('long', { owner: '5:local:alice', seq: 2_400, log }), chunks);
    const costs = async (query: string) => {
      deps.store.calls.length = 0;
      const event = gatewayEvent({
        method: 'GET',
        path: '/tasks/long',
        query: { historyLength: [query] },
        authorizer: ALICE,
      });
      const { body } = await apiHandler(deps)(event, lambdaContext());
      const { history = [] } = JSON.parse(String(body)) as Task;
      return [history.length, history[0]?.messageId, deps.store.calls.map((one) => one.op)];
    };
    expect(await costs('0')).toEqual([0, undefined, ['load']]);
    expect(await costs('4')).toEqual([4, 'm-2397', ['load']]);
    expect(await costs('100')).toEqual([100, 'm-2301', ['load', 'logBefore']]);
    expect(await costs('5000')).toEqual([2_400, 'm-1', ['load', 'logBefore']]);
    expect((await call('GET', '/tasks/long')).task?.history).toHaveLength(100);
  });
});
