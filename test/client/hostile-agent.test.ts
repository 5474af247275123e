/** Agents that lie, loop, flood and stall: what the loop makes of them (issue 6, items 1, 3 and 4). */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { connect, FilePendingStore, GaveUpError, resumeTask, runTask } from '../../client/index.ts';
import { hastyClock } from './support/agents.ts';
import { QUESTION_EXTENSION, questionParts, type StubAgent, startStubAgent, stubTask } from './support/stub-agent.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let agent: StubAgent;
afterEach(() => agent?.stop());

const lisbon = () => ({ answer: { city: 'Lisbon' } });
const asks = (more: Parameters<typeof questionParts>[0] = {}) => stubTask('INPUT_REQUIRED', questionParts(more));

test('another task in place of the one that was read is no result', async () => {
  agent = await startStubAgent(({ method }) =>
    method === 'GetTask'
      ? { result: { ...stubTask('COMPLETED'), id: 't-2' } }
      : { result: { task: stubTask('COMPLETED') } },
  );
  await expect(runTask(await connect(agent.url), 'Go')).rejects.toMatchObject({ name: 'AgentMisbehavedError' });
});

test('another task in place of the one that was canceled is no end', async () => {
  agent = await startStubAgent(({ method }) =>
    method === 'CancelTask'
      ? { result: { ...stubTask('CANCELED'), id: 't-2' } }
      : { result: { task: stubTask('INPUT_REQUIRED', [{ text: 'Go on?' }]) } },
  );
  const run = runTask(await connect(agent.url), 'Go', { resolvers: [() => ({ decline: {} })] });
  await expect(run).rejects.toMatchObject({ name: 'AgentMisbehavedError' });
});

test('a question that changes on every look is asked a bounded number of times', async () => {
  let n = 0;
  const event = (id: number) => ({
    statusUpdate: {
      taskId: 't-1',
      contextId: 'c-1',
      status: {
        state: 'TASK_STATE_INPUT_REQUIRED',
        message: { messageId: `m-${id}`, role: 'ROLE_AGENT', parts: questionParts({ questionId: `q-${id}` }) },
      },
    },
  });
  agent = await startStubAgent(
    ({ method }) =>
      method === 'CancelTask'
        ? { result: stubTask('CANCELED') }
        : { events: Array.from({ length: 500 }, () => event(++n)), then: 'silence' },
    { streaming: true },
  );
  let asked = 0;
  const run = runTask(await connect(agent.url), 'Go', {
    clock: hastyClock,
    resolvers: [
      (_question, { signal }) => {
        asked += 1;
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve('pass'), { once: true }));
      },
    ],
  });
  await expect(run).rejects.toBeInstanceOf(GaveUpError);
  expect(asked).toBeLessThanOrEqual(25);
});

test('a stream that tells of another task is not followed', async () => {
  agent = await startStubAgent(
    () => ({
      events: [{ task: stubTask('WORKING') }, { task: { ...stubTask('COMPLETED'), id: 't-2' } }],
      then: 'silence',
    }),
    { streaming: true },
  );
  await expect(runTask(await connect(agent.url), 'Go')).rejects.toMatchObject({ name: 'AgentMisbehavedError' });
});

test('data that is nested beyond measure is no question, and breaks nothing', async () => {
  const depth = 50_000;
  const data = `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const parts = [{ text: 'Which?' }, { data: 7 }];
  const task = JSON.stringify(stubTask('INPUT_REQUIRED', parts, { message: { messageId: '' } }));
  agent = await startStubAgent(() => (response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(`{"jsonrpc":"2.0","id":1,"result":{"task":${task.replace('"data":7', `"data":${data}`)}}}`);
  });
  const outcome = await runTask(await connect(agent.url), 'Go');
  expect(outcome).toMatchObject({ kind: 'needs-input', question: { kind: 'free-text', text: 'Which?' } });
});

test('an answer without an end is cut off', async () => {
  agent = await startStubAgent(({ method }) =>
    method === 'GetTask'
      ? (response) => {
          response.writeHead(200, { 'Content-Type': 'application/json' });
          const chunk = 'x'.repeat(1_000_000);
          const more = () => {
            while (!response.destroyed && response.write(chunk));
            if (!response.destroyed) response.once('drain', more);
          };
          response.write('{"jsonrpc":"2.0","id":1,"result":{"id":"');
          more();
        }
      : { result: { task: stubTask('WORKING') } },
  );
  const run = runTask(await connect(agent.url), 'Go', { clock: hastyClock });
  await expect(run).rejects.toThrow(/larger than/);
  await expect(run).rejects.toMatchObject({ name: 'AgentMisbehavedError' });
}, 60_000);

test('an agent that takes a request and never answers is unreachable in the end', async () => {
  agent = await startStubAgent(({ method }) =>
    method === 'GetTask' ? () => {} : { result: { task: stubTask('WORKING') } },
  );
  const waits: number[] = [];
  const clock = {
    now: () => 0,
    sleep: (ms: number) => {
      waits.push(ms);
      return new Promise<void>((resolve) => setTimeout(resolve, ms === 60_000 ? 50 : 1));
    },
  };
  const run = runTask(await connect(agent.url), 'Go', { clock });
  await expect(run).rejects.toMatchObject({ name: 'AgentUnreachableError', taskId: 't-1' });
  expect(waits).toEqual([250, 60_000, 250, 60_000, 1_000, 60_000, 4_000, 60_000]);
});

describe('what is no A2A', () => {
  test.each<[string, Parameters<typeof startStubAgent>[0]]>([
    ['HTML', () => ({ status: 200, headers: { 'Content-Type': 'text/html' }, body: '<html>\u001b[31mHi</html>' })],
    ['500 with HTML', () => ({ status: 500, body: '<html>' })],
    ['502 with a megabyte of controls', () => ({ status: 502, body: '\u001b[2J'.repeat(250_000) })],
    ['429', () => ({ status: 429, body: 'slow down' })],
    ['408', () => ({ status: 408, body: '' })],
    ['nothing', () => ({ status: 200, headers: { 'Content-Type': 'application/json' }, body: '' })],
    ['null', () => ({ result: null })],
    ['a number', () => ({ result: 7 })],
    ['a task without a state', () => ({ result: { task: { id: 't-1', contextId: 'c' } } })],
    ['a task without an id', () => ({ result: { task: { ...stubTask('COMPLETED'), id: '' } } })],
    ['parts that are none', () => ({ result: { task: stubTask('INPUT_REQUIRED', [null, 7]) } })],
  ])('%s: a typed error or an outcome', async (_what, answer) => {
    agent = await startStubAgent(answer);
    const run = runTask(await connect(agent.url), 'Go', { clock: hastyClock });
    const end = await run.then(
      ({ kind }) => kind,
      ({ name }: Error) => name,
    );
    expect(['AgentUnreachableError', 'AgentMisbehavedError', 'needs-input']).toContain(end);
    const { message } = await run.then(
      () => ({ message: '' }),
      (error: Error) => error,
    );
    expect(message.length).toBeLessThan(1_000);
    expect(message).not.toContain('\u001b');
  });

  test.each<[string, unknown[], 'end' | 'break' | 'silence']>([
    ['breaks in the middle of an event', [{ task: stubTask('WORKING') }], 'break'],
    ['repeats itself and ends', Array(50).fill({ task: stubTask('WORKING') }), 'end'],
    ['goes back from its end', [{ task: stubTask('COMPLETED') }, { task: stubTask('WORKING') }], 'silence'],
    ['is silent after the end', [{ task: stubTask('COMPLETED') }], 'silence'],
    ['has no event at all', [], 'end'],
  ])('a stream that %s', async (_what, events, then) => {
    agent = await startStubAgent(
      ({ method }) => (method === 'GetTask' ? { result: stubTask('COMPLETED') } : { events, then }),
      { streaming: true, extensions: [QUESTION_EXTENSION] },
    );
    const run = runTask(await connect(agent.url), 'Go', { clock: hastyClock });
    const end = await run.then(
      ({ kind }) => kind,
      ({ name }: Error) => name,
    );
    expect(end).toBe(events.length === 0 ? 'AgentUnreachableError' : 'completed');
  });

  test('a first message whose stream ends without a word is sent again', async () => {
    agent = await startStubAgent(
      ({ method, n }) =>
        method === 'GetTask'
          ? { result: stubTask('COMPLETED') }
          : { events: n === 1 ? [] : [{ task: stubTask('COMPLETED') }] },
      { streaming: true, extensions: [QUESTION_EXTENSION] },
    );
    expect((await runTask(await connect(agent.url), 'Go', { clock: hastyClock })).kind).toBe('completed');
    const ids = agent.requests
      .filter(({ method }) => method === 'SendStreamingMessage')
      .map(({ params }) => (params.message as { messageId: string }).messageId);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  test('one hundred questions: gives up after maxRounds and cancels', async () => {
    agent = await startStubAgent(({ method, n }) =>
      method === 'CancelTask' ? { result: stubTask('CANCELED') } : { result: { task: asks({ questionId: `q-${n}` }) } },
    );
    const run = runTask(await connect(agent.url), 'Go', { resolvers: [lisbon] });
    await expect(run).rejects.toMatchObject({ name: 'GaveUpError', rounds: 3, canceled: true });
  });
});

describe('what is no A2A, over HTTP+JSON', () => {
  const BASE = 'http://agent.example';
  const CARD = {
    name: 'Stub',
    supportedInterfaces: [{ url: BASE, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' }],
    skills: [],
  };
  /** Whose every call is answered like this. */
  const open = (answer: () => Response, streaming: boolean) =>
    connect(BASE, {
      fetch: async (input) =>
        String(input).endsWith('agent-card.json') ? Response.json({ ...CARD, capabilities: { streaming } }) : answer(),
    });
  const sse = (text: string) => new Response(text, { headers: { 'Content-Type': 'text/event-stream' } });

  // The official client prints what it cannot read.
  beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}));
  afterEach(() => void vi.restoreAllMocks());

  test.each<[string, () => Response]>([
    ['HTML', () => new Response('<html>', { headers: { 'Content-Type': 'text/html' } })],
    ['500 with HTML', () => new Response('<html>', { status: 500 })],
    ['503 without a word', () => new Response(null, { status: 503 })],
    ['429', () => new Response('slow', { status: 429 })],
    ['nothing', () => new Response('')],
    ['null', () => Response.json(null)],
    ['a list', () => Response.json([])],
    ['no task', () => Response.json({ hello: 1 })],
    ['a task without a state', () => Response.json({ task: { id: 't' } })],
    ['a stream that is none', () => sse('hello\n\n')],
    ['a stream of no JSON', () => sse('data: {oops\n\n')],
    ['a stream of null', () => sse('data: null\n\n')],
    ['an error without a reason', () => Response.json({ error: 'no' }, { status: 502 })],
  ])('%s: a typed error', async (_what, answer) => {
    for (const streaming of [true, false]) {
      const run = runTask(await open(answer, streaming), 'Go', { clock: hastyClock });
      const { name } = await run.then(
        ({ kind }) => ({ name: kind as string }),
        (error: Error) => error,
      );
      expect(['AgentUnreachableError', 'AgentMisbehavedError']).toContain(name);
    }
  });
});

describe('a question that expires while a person thinks', () => {
  test('is taken away from them though no stream tells of it; a clock that is ahead is not believed', async () => {
    agent = await startStubAgent(({ method, n }) => {
      if (method !== 'GetTask') return { result: { task: asks({ expires: '1970-01-01T01:00:00Z' }) } };
      if (n < 3) return { result: asks({ expires: '1970-01-01T01:00:00Z' }) };
      return { result: stubTask('FAILED') };
    });
    const waits: number[] = [];
    const clock = {
      now: () => 600_000,
      sleep: (ms: number) => {
        waits.push(ms);
        return new Promise<void>((resolve) => setTimeout(resolve, ms === 60_000 ? 5_000 : 1));
      },
    };
    const outcome = await runTask(await connect(agent.url), 'Go', {
      clock,
      resolvers: [
        (_question, { signal }) =>
          new Promise((resolve) => signal.addEventListener('abort', () => resolve('pass'), { once: true })),
      ],
    });
    expect(outcome.kind).toBe('failed');
    // Fifty minutes and a second; each look may take a minute at most.
    expect(waits.filter((ms) => ms !== 60_000)).toEqual([3_001_000, 10_000, 10_000]);
  });
});

describe('a task that was left', () => {
  test('is taken up though the agent tells of a generation below the one that is known', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'askback-hostile-'));
    const pending = new FilePendingStore(folder);
    const counted = (generation: number) => ({ metadata: { [QUESTION_EXTENSION.uri]: { generation } } });
    agent = await startStubAgent(() => ({ result: stubTask('COMPLETED', [], counted(4)) }));
    const client = await connect(agent.url);
    await pending.write(
      {
        taskId: 't-1',
        contextId: 'c-1',
        agent: { name: 'Stub', url: agent.url },
        state: 'working',
        rounds: 0,
        maxRounds: 3,
        generation: 9,
        savedAtMs: 1,
      },
      undefined,
    );
    expect((await resumeTask(client, pending, 't-1', [])).kind).toBe('completed');
    await rm(folder, { recursive: true });
  });
});
