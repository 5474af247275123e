/** Letting go of a task loses nothing: neither what happens while it is written down, nor what cannot be (issue 6, item 2). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connect, FilePendingStore, type PendingStore, resumeTask, runTask } from '../../client/index.ts';
import { hastyClock } from './support/agents.ts';
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
  expect(outcome).toMatchObject({
    kind: 'needs-input',
    taskId: 't-1',
    saved: false,
    saveError: 'ENOSPC: no space left on device',
  });
});

test('without a store there is no error to tell', async () => {
  const task = stubTask('INPUT_REQUIRED', questionParts());
  agent = await startStubAgent(() => ({ result: { task } }));
  const outcome = await runTask(await connect(agent.url), 'Go');
  expect(outcome).toMatchObject({ kind: 'needs-input', saved: false });
  expect(outcome).not.toHaveProperty('saveError');
  expect(agent.methods()).toEqual(['SendMessage']);
});

describe('a refusal to an agent that reads words only, which is told by a cancel', () => {
  const words = stubTask('INPUT_REQUIRED', [{ text: 'Shall I?' }]);
  const decline = { decline: {} };

  test('that is not taken: the question is open for the next one at once', async () => {
    agent = await startStubAgent(({ method }) => {
      if (method === 'CancelTask') return { error: { code: -32002, message: 'not cancelable' } };
      return { result: method === 'GetTask' ? words : { task: words } };
    });
    const pending = new FilePendingStore(folder);
    const client = await connect(agent.url);
    await runTask(client, 'Go', { pending });
    await expect(resumeTask(client, pending, 't-1', decline)).rejects.toThrow(/not cancelable/);
    expect((await pending.get('t-1'))?.task.state).toBe('waiting');
  });

  test('that takes its time is followed to its end', async () => {
    agent = await startStubAgent(({ method, n }) => {
      if (method === 'CancelTask')
        return { result: stubTask('WORKING', [], { artifacts: [{ artifactId: 'a', parts: [] }] }) };
      if (method === 'GetTask') return { result: stubTask(n < 3 ? 'WORKING' : 'CANCELED') };
      return { result: { task: words } };
    });
    const outcome = await runTask(await connect(agent.url), 'Go', { clock: hastyClock, resolvers: [() => decline] });
    expect(outcome).toMatchObject({ kind: 'declined', task: { status: { state: 'TASK_STATE_CANCELED' } } });
  });

  test('that changes nothing is no end, least of all a completed one', async () => {
    agent = await startStubAgent(({ method }) => ({ result: method === 'SendMessage' ? { task: words } : words }));
    const run = runTask(await connect(agent.url), 'Go', { clock: hastyClock, resolvers: [() => decline] });
    await expect(run).rejects.toMatchObject({ name: 'AgentMisbehavedError' });
  });
});

test('giving up without being able to cancel leaves the question to whoever can answer it', async () => {
  const task = stubTask('INPUT_REQUIRED', questionParts());
  agent = await startStubAgent(({ method }) => {
    if (method === 'CancelTask') return { error: { code: -32002, message: 'not cancelable' } };
    return { result: method === 'GetTask' ? task : { task } };
  });
  const pending = new FilePendingStore(folder);
  const client = await connect(agent.url);
  expect((await runTask(client, 'Go', { pending })).kind).toBe('needs-input');
  const run = resumeTask(client, pending, 't-1', [() => ({ answer: { city: 'Lisbon' } })], { maxRounds: 0 });
  await expect(run).rejects.toMatchObject({ name: 'GaveUpError', canceled: false });
  expect((await pending.get('t-1'))?.task).toMatchObject({ state: 'waiting', question: { questionId: 'q-1' } });
});

test.each([3, 4, 5])(
  'a store that fails from its write number %i on takes no result away once the answer is out',
  async (from) => {
    let answered = false;
    agent = await startStubAgent(({ method, params }) => {
      if (JSON.stringify(params).includes('Lisbon')) answered = true;
      const task = answered ? stubTask('COMPLETED') : stubTask('INPUT_REQUIRED', questionParts());
      return { result: method === 'GetTask' ? task : { task } };
    });
    const files = new FilePendingStore(folder);
    let writes = 0;
    const pending: PendingStore = {
      get: (id) => files.get(id),
      list: () => files.list(),
      async write(task, expected) {
        writes += 1;
        if (writes >= from) throw new Error('ENOSPC: no space left on device');
        return files.write(task, expected);
      },
    };
    const client = await connect(agent.url);
    await runTask(client, 'Go', { pending });
    const outcome = await resumeTask(client, pending, 't-1', { answer: { city: 'Lisbon' } });
    expect(outcome.kind).toBe('completed');
    // Whoever looks next finds out how it ended.
    expect(['claimed', 'working', 'done']).toContain((await files.get('t-1'))?.task.state);
  },
);

test('a store that fails before the answer is out keeps it from going out', async () => {
  const task = stubTask('INPUT_REQUIRED', questionParts());
  agent = await startStubAgent(({ method }) => ({ result: method === 'GetTask' ? task : { task } }));
  const files = new FilePendingStore(folder);
  const client = await connect(agent.url);
  await runTask(client, 'Go', { pending: files });
  const pending: PendingStore = {
    get: (id) => files.get(id),
    list: () => files.list(),
    write: () => Promise.reject(new Error('ENOSPC')),
  };
  await expect(resumeTask(client, pending, 't-1', { answer: { city: 'Lisbon' } })).rejects.toThrow('ENOSPC');
  expect(agent.methods().filter((method) => method === 'SendMessage')).toHaveLength(1);
});
