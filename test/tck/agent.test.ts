/** The conformance agent does what the kit's scenario files say, so that a run of the kit is a run against that agent. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Runtime, startRuntime } from '../../local/runtime.ts';
import { wire } from '../e2e/support/bindings.ts';
import { QuietLog } from '../fakes/quiet-log.ts';
import agent from './agent.ts';
import oldAgent from './agent-0.3.ts';
import strictAgent from './strict-agent.ts';

let data: string;
let runtime: Runtime;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'askback-tck-'));
  runtime = await startRuntime({ port: 0, data, agent, log: new QuietLog() });
});
afterAll(async () => {
  await runtime.stop();
  await rm(data, { recursive: true, force: true });
});

const send = (messageId: string, text = 'TCK', taskId?: string) =>
  wire('JSONRPC', runtime.url).send({ messageId, role: 'ROLE_USER', parts: [{ text }], ...(taskId ? { taskId } : {}) });

const FILE = { raw: 'dGNr', mediaType: 'text/plain', filename: 'output.txt' };

describe('scenarios', () => {
  it.each<[string, string, readonly object[] | undefined]>([
    ['tck-complete-task-1', 'TASK_STATE_COMPLETED', undefined],
    ['tck-artifact-text-1', 'TASK_STATE_COMPLETED', [{ text: 'Generated text content' }]],
    ['tck-artifact-file-1', 'TASK_STATE_COMPLETED', [FILE]],
    [
      'tck-artifact-file-url-1',
      'TASK_STATE_COMPLETED',
      [{ url: 'https://example.com/output.txt', mediaType: 'text/plain', filename: 'output.txt' }],
    ],
    [
      'tck-artifact-data-1',
      'TASK_STATE_COMPLETED',
      [{ data: { key: 'value', count: 42 }, mediaType: 'application/json' }],
    ],
    ['tck-input-required-1', 'TASK_STATE_INPUT_REQUIRED', undefined],
    ['tck-reject-task-1', 'TASK_STATE_REJECTED', undefined],
    ['tck-stream-001', 'TASK_STATE_COMPLETED', [{ text: 'Stream hello from TCK' }]],
    ['tck-stream-002', 'TASK_STATE_COMPLETED', undefined],
    ['tck-stream-003', 'TASK_STATE_COMPLETED', [{ text: 'Stream task lifecycle' }]],
    ['tck-stream-ordering-001', 'TASK_STATE_COMPLETED', [{ text: 'Ordered output' }]],
    ['tck-stream-artifact-text-1', 'TASK_STATE_COMPLETED', [{ text: 'Streamed text content' }]],
    ['tck-stream-artifact-file-1', 'TASK_STATE_COMPLETED', [FILE]],
    ['tck-stream-artifact-chunked-1', 'TASK_STATE_COMPLETED', [{ text: 'chunk-1 ' }, { text: 'chunk-2' }]],
    ['anything else', 'TASK_STATE_COMPLETED', undefined],
  ])('%s', async (messageId, state, parts) => {
    const { task } = await send(messageId);
    expect(task?.status.state).toBe(state);
    expect(task?.artifacts?.[0]?.parts).toEqual(parts);
  });

  it('tck-message-response is a message', async () => {
    const response = await fetch(`${runtime.url}/message:send`, {
      method: 'POST',
      headers: { 'A2A-Version': '1.0', 'Content-Type': 'application/json' },
      body: JSON.stringify({
        message: { messageId: 'tck-message-response-1', role: 'ROLE_USER', parts: [{ text: 'x' }] },
      }),
    });
    expect(await response.json()).toMatchObject({ message: { parts: [{ text: 'Direct message response' }] } });
  });

  it('the kit sends one id for many tasks', async () => {
    const [one, other] = [await send('tck-input-required-2'), await send('tck-input-required-2')];
    expect(one.task?.id).not.toBe(other.task?.id);
  });

  it('a history is built up answer by answer', async () => {
    const { task } = await send('tck-input-required-3');
    const again = await send('tck-input-required-3', 'TCK history message 1', task?.id);
    expect(again.task?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const done = await send('tck-complete-task-3', 'TCK complete after history', task?.id);
    expect(done.task?.status.state).toBe('TASK_STATE_COMPLETED');
  });
});

describe('its variants', () => {
  it('one requires an extension, one speaks 0.3', () => {
    expect(agent.settings).toMatchObject({ idempotency: 'off', protocolVersions: ['1.0'] });
    expect(strictAgent.card.extensions).toEqual([{ uri: 'urn:a2a:tck:required-extension', required: true }]);
    expect(oldAgent.settings.protocolVersions).toEqual(['1.0', '0.3']);
    expect(oldAgent.extendedCard).toBeUndefined();
  });
});
