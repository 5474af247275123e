/** Streams that stay open, that close, and that break: found out, not configured (issue 6, item 3). */
import { afterEach, expect, test } from 'vitest';
import { connect, type Outcome, runTask, type TaskUpdate } from '../../client/index.ts';
import { hastyClock, type LocalAgent, startAgent } from './support/agents.ts';
import { faultyFetch } from './support/faulty-fetch.ts';

let agent: LocalAgent;
afterEach(() => agent.stop());

function twoQuestions(inputRequired: 'close' | 'stay-open') {
  return startAgent({
    streams: { inputRequired },
    async run(turn) {
      turn.progress('looking');
      const colour = await turn.ask('colour', { text: 'Which colour?', schema: { enum: ['red', 'blue'] } });
      await turn.artifact({ name: 'sketch', text: `a ${colour} sketch` });
      const size = await turn.ask('size', { text: 'Which size?', schema: { type: 'integer' } });
      await turn.artifact({ name: 'paint', text: `${colour} ${size}` });
    },
  });
}

const answers = [
  (question: { text: string }) => ({ answer: { value: question.text === 'Which colour?' ? 'red' : 3 } }),
];

function artifactTexts(outcome: Outcome) {
  return outcome.kind === 'completed' ? outcome.artifacts.map(({ parts }) => parts[0]?.text) : outcome;
}

function generation(update: TaskUpdate): number {
  const told = Object.values(update)[0] as { metadata: Record<string, { generation: number }> };
  return told.metadata['https://askback.dev/a2a/extensions/question/v1']?.generation ?? Number.NaN;
}

/** Which operations went out, in order. */
function operations(net: ReturnType<typeof faultyFetch>) {
  return net.sent.flatMap(({ body }) => (body === '' ? [] : [(JSON.parse(body) as { method: string }).method]));
}

test('a stream that stays open is read on; the answers go out beside it', async () => {
  agent = await twoQuestions('stay-open');
  const net = faultyFetch();
  const outcome = await runTask(await connect(agent.url, { fetch: net.fetch }), 'Paint', { resolvers: answers });
  expect(artifactTexts(outcome)).toEqual(['a red sketch', 'red 3']);
  expect(operations(net)).toEqual(['SendStreamingMessage', 'SendMessage', 'SendMessage', 'GetTask']);
});

test('a stream that closes at the question: the answer is a new SendStreamingMessage on the same task', async () => {
  agent = await twoQuestions('close');
  const net = faultyFetch();
  const outcome = await runTask(await connect(agent.url, { fetch: net.fetch }), 'Paint', { resolvers: answers });
  expect(artifactTexts(outcome)).toEqual(['a red sketch', 'red 3']);
  expect(operations(net)).toEqual([...Array(3).fill('SendStreamingMessage'), 'GetTask']);
});

test('a stream that breaks is taken up again after the newest event, and every event is told once', async () => {
  agent = await twoQuestions('close');
  const net = faultyFetch();
  // The task, and one event more.
  net.cut('"Paint"', 2);
  net.cut('"red"', 2);
  net.cut('"value":3', 1);
  const updates: TaskUpdate[] = [];
  const outcome = await runTask(await connect(agent.url, { fetch: net.fetch }), 'Paint', {
    clock: hastyClock,
    resolvers: answers,
    onUpdate: (update) => updates.push(update),
  });
  expect(artifactTexts(outcome)).toEqual(['a red sketch', 'red 3']);
  const subscribed = net.sent.filter(({ body }) => body.includes('SubscribeToTask'));
  expect(subscribed.map(({ headers }) => headers['last-event-id'])).toEqual(['2', '6', '8']);
  const events = updates.filter((update) => !('task' in update)).map(generation);
  expect(events).toEqual([...new Set(events)].sort((one, other) => one - other));
  // Generation 1 is the task; the move that an answer makes is told by the task that comes first on its stream.
  const told = new Set(updates.map(generation));
  expect([...told].sort((one, other) => one - other)).toEqual(Array.from({ length: told.size }, (_, n) => n + 1));
  expect(told.size).toBeGreaterThan(8);
});

test('when streams bring nothing, the task is polled', async () => {
  agent = await twoQuestions('close');
  const net = faultyFetch();
  net.cut('"Paint"', 1);
  net.lose('SubscribeToTask', 2);
  const outcome = await runTask(await connect(agent.url, { fetch: net.fetch }), 'Paint', { clock: hastyClock });
  expect(outcome).toMatchObject({ kind: 'needs-input', question: { text: 'Which colour?' } });
  expect(operations(net).filter((operation) => operation !== 'GetTask')).toEqual([
    'SendStreamingMessage',
    ...Array(2).fill('SubscribeToTask'),
  ]);
  expect(operations(net)).toContain('GetTask');
});

test('a question that is settled elsewhere while a person thinks is taken away from them', async () => {
  agent = await twoQuestions('stay-open');
  const client = await connect(agent.url);
  let reason: unknown;
  const outcome = await runTask(client, 'Paint', {
    resolvers: [
      async ({ taskId }, { signal }) => {
        await client.cancelTask({ id: taskId, tenant: '', metadata: undefined });
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        reason = signal.reason;
        return { answer: { value: 'red' } };
      },
    ],
  });
  expect(outcome.kind).toBe('canceled');
  expect(String(reason)).toContain('settled elsewhere');
});
