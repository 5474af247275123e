/** The booking example over HTTP: a seat is kept while the passenger is asked for (design, section 12). */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import bookingAgent from '../../examples/booking-agent/agent.ts';
import { type Runtime, startRuntime } from '../../local/runtime.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Task } from '../../core/message.ts';

let data = '';
let runtime: Runtime;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'askback-booking-'));
  runtime = await startRuntime({ port: 0, data, agent: bookingAgent });
});
afterAll(async () => {
  await runtime.stop();
  await rm(data, { recursive: true, force: true });
});

async function call(path: string, body: JsonObject): Promise<Task> {
  const response = await fetch(`${runtime.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/a2a+json', 'a2a-version': '1.0' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { task?: Task };
  expect(response.status, JSON.stringify(answer)).toBe(200);
  return answer.task ?? (answer as unknown as Task);
}

const send = (messageId: string, message: JsonObject): Promise<Task> =>
  call('/message:send', { message: { messageId, role: 'ROLE_USER', ...message } });
const begin = (messageId: string): Promise<Task> =>
  send(messageId, { parts: [{ text: 'A seat to Vienna for Ada Lovelace' }] });
const answer = (task: Task, messageId: string, values: JsonObject): Promise<Task> =>
  send(messageId, {
    taskId: task.id,
    parts: [{ data: { questionId: task.status.message?.messageId ?? '', ...values } }],
  });
const held = async (): Promise<string[]> => (await readdir(join(data, 'seats', 'held'))).sort();

describe('the booking example (section 12)', () => {
  it('asks once for what is missing, books the seat that it kept, and keeps it', async () => {
    const asked = await begin('m-1');
    expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(asked.status.message?.parts[0]?.text).toBe('Please give: passport (number of the passport).');
    expect(await held()).toEqual(['11A']);
    const done = await answer(asked, 'm-2', { passport: 'P1234567' });
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(done.artifacts?.[0]?.parts[0]?.data).toEqual({ ticket: 'T-11A', seat: '11A', name: 'Ada Lovelace' });
    expect(await held()).toEqual(['11A']);
  });

  it.each([
    ['a decline', (task: Task) => answer(task, 'm-4', { decline: {} }), 'TASK_STATE_REJECTED'],
    ['a cancel', (task: Task) => call(`/tasks/${task.id}:cancel`, {}), 'TASK_STATE_CANCELED'],
  ] as const)('lets the seat go after %s (R85)', async (how, end, state) => {
    const asked = await begin(`m-before-${how.replace(' ', '-')}`);
    expect(await held()).toEqual(['11A', '11B']);
    expect((await end(asked)).status.state).toBe(state);
    await vi.waitFor(async () => expect(await held()).toEqual(['11A']), { timeout: 5_000 });
  });
});
