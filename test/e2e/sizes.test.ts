/** R76: what is larger than one DynamoDB item, over HTTP and through the DynamoDB code. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defineAgent } from '../../agent/index.ts';
import { connect } from '../../local/official-client.ts';
import { type Runtime, startRuntime } from '../../local/runtime.ts';
import { QuietLog } from '../fakes/quiet-log.ts';
import { BINDINGS, wire } from './support/bindings.ts';
import { question, say, taskOf } from './support/expense.ts';

/** Says how much it was sent, asks whether that is enough, and gives it back. */
const scribe = defineAgent({
  card: {
    name: 'Scribe',
    description: 'Gives back what it was given',
    version: '1.0.0',
    skills: [{ id: 'copy', name: 'Copy', description: 'Copies', tags: ['copy'] }],
    defaultInputModes: ['text/plain', 'application/octet-stream', 'application/json'],
  },
  async run(turn) {
    const bytes = turn.request.parts.reduce((sum, { raw = '' }) => sum + Buffer.from(raw, 'base64').length, 0);
    const { enough } = await turn.ask('enough', {
      text: `${bytes} bytes. Enough?`,
      schema: { type: 'object', properties: { enough: { type: 'string', maxLength: 60_000 } }, required: ['enough'] },
    });
    await turn.artifact({ name: 'copy', text: 'c'.repeat(450_000) });
    await turn.artifact({ name: 'answer', data: { characters: enough.length } });
  },
});

let folder: string;
let runtime: Runtime;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'askback-sizes-'));
  runtime = await startRuntime({ port: 0, data: folder, agent: scribe, log: new QuietLog() });
});
afterAll(async () => {
  await runtime?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe.each(BINDINGS)('R76: large values (%s)', (binding) => {
  const raw = Buffer.alloc(3_900_000, 'askback').toString('base64');

  test('a message of 5 MB, answers of 60 KB and artifacts of 450 KB are kept and come back whole', async () => {
    const client = await connect(runtime.url, binding);
    const message = say('', { parts: [{ raw, mediaType: 'application/octet-stream' }] });
    const asked = await client.send(message, { historyLength: 0 });
    expect(asked.status.message?.parts[0]?.text).toBe('3900000 bytes. Enough?');
    const { questionId } = question(asked);
    const reply = { messageId: randomUUID(), role: 'ROLE_USER', taskId: asked.id } as const;
    const parts = [{ data: { questionId, enough: 'e'.repeat(60_000) }, mediaType: 'application/json' }];
    const done = await client.send({ ...reply, parts }, { historyLength: 0 });
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(done.artifacts?.[0]?.parts[0]?.text).toHaveLength(450_000);
    expect(done.artifacts?.[1]?.parts[0]?.data).toEqual({ characters: 60_000 });
    const { history = [] } = await client.get(asked.id);
    expect(history.map((one) => one.messageId)).toEqual([message.messageId, questionId, reply.messageId]);
    expect(history[0]?.parts).toEqual(message.parts);
    expect(history[2]?.parts).toEqual(parts);
  });

  test('more than 5,500 KiB is a 413 that names the limit, and makes no task', async () => {
    const client = await connect(runtime.url, binding);
    const before = (await client.list()).totalSize;
    const a2a = wire(binding, runtime.url);
    const reply = await a2a.raw(a2a.body(say('x'.repeat(5_500 * 1_024))));
    expect([reply.status, reply.error?.reason]).toEqual([413, 'REQUEST_TOO_LARGE']);
    expect(reply.error?.metadata.maxBytes).toBe('5632000');
    expect((await client.list()).totalSize).toBe(before);
  });

  test('an answer that is too large uses an attempt, and the task is answered, read and canceled as ever', async () => {
    const a2a = wire(binding, runtime.url);
    const asked = taskOf(await a2a.send(say('hello')));
    const large = { data: { enough: 'e'.repeat(1_000_000) }, mediaType: 'application/json' };
    const again = taskOf(await a2a.send(say('', { taskId: asked.id, parts: [large] })));
    expect(question(again)).toMatchObject({
      attempt: 2,
      errors: [{ message: 'expected at most 65536 bytes of JSON' }],
    });
    expect(taskOf(await a2a.get(asked.id)).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(taskOf(await a2a.cancel(asked.id)).status.state).toBe('TASK_STATE_CANCELED');
  });
});
