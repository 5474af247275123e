/** Letting go of a task loses nothing: neither what happens while it is written down, nor what cannot be (issue 6, item 2). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connect, FilePendingStore, type PendingStore, runTask } from '../../client/index.ts';
import { questionParts, type StubAgent, startStubAgent, stubTask } from './support/stub-agent.ts';

let agent: StubAgent;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'askback-detach-'));
});
afterEach(async () => {
  await agent.stop();
  await rm(folder, { recursive: true, force: true });
});

test('a question that is settled while it is written down is not waited for: its notification came too early', async () => {
  agent = await startStubAgent(({ method }) =>
    method === 'GetTask'
      ? { result: stubTask('COMPLETED') }
      : { result: { task: stubTask('INPUT_REQUIRED', questionParts()) } },
  );
  const pending = new FilePendingStore(folder);
  const outcome = await runTask(await connect(agent.url), 'Go', { pending });
  expect(outcome.kind).toBe('completed');
  expect(await pending.list()).toEqual([]);
  expect((await pending.get('t-1'))?.task.state).toBe('done');
});

test('an authorisation that is given while it is written down is not waited for either', async () => {
  agent = await startStubAgent(({ method }) =>
    method === 'GetTask'
      ? { result: stubTask('COMPLETED') }
      : { result: { task: stubTask('AUTH_REQUIRED', [{ text: 'Log in' }]) } },
  );
  const pending = new FilePendingStore(folder);
  expect((await runTask(await connect(agent.url), 'Go', { pending })).kind).toBe('completed');
  expect(await pending.list()).toEqual([]);
});

test('a store that fails does not take the outcome away: not saved, and why', async () => {
  const task = stubTask('INPUT_REQUIRED', questionParts());
  agent = await startStubAgent(({ method }) => ({ result: method === 'GetTask' ? task : { task } }));
  const full = new Error('ENOSPC: no space left on device');
  const pending: PendingStore = {
    get: async () => undefined,
    list: async () => [],
    write: () => Promise.reject(full),
  };
  const outcome = await runTask(await connect(agent.url), 'Go', { pending });
  expect(outcome).toMatchObject({ kind: 'needs-input', taskId: 't-1', saved: false, saveError: full });
});

test('without a store there is no error to tell', async () => {
  const task = stubTask('INPUT_REQUIRED', questionParts());
  agent = await startStubAgent(() => ({ result: { task } }));
  const outcome = await runTask(await connect(agent.url), 'Go');
  expect(outcome).toMatchObject({ kind: 'needs-input', saved: false });
  expect(outcome).not.toHaveProperty('saveError');
  expect(agent.methods()).toEqual(['SendMessage']);
});
