/** What a resolver may say to a question, and what of it goes out (issue 6, item 1; docs/question-extension.md). */
import { afterEach, describe, expect, test } from 'vitest';
import {
  askHuman,
  connect,
  FilePendingStore,
  InvalidAnswerError,
  type Resolution,
  resumeTask,
  runTask,
  type TaskUpdate,
} from '../../client/index.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hastyClock, type LocalAgent, startAgent } from './support/agents.ts';
import { faultyFetch } from './support/faulty-fetch.ts';

let agent: LocalAgent;
afterEach(() => agent.stop());

/** Reads texts itself, and takes any property besides. */
function dateAgent() {
  return startAgent({
    async run(turn) {
      const { day } = await turn.ask('day', {
        text: 'Which day?',
        schema: { type: 'object', properties: { day: { type: 'string', format: 'date' } }, required: ['day'] },
        parseText: (text) => (text.includes('tomorrow') ? { day: '2026-12-01' } : { day: 'never' }),
      });
      await turn.artifact({ name: 'day', text: day });
    },
  });
}

const asIs: Resolution = { text: 'the day after, no: tomorrow', asIs: true };

describe('text as it is, for agents that read texts themselves', () => {
  test('goes out as it stands, with the question that it is meant for; without `asIs` it would not fit', async () => {
    agent = await dateAgent();
    const net = faultyFetch();
    const client = await connect(agent.url, { fetch: net.fetch });
    const outcome = await runTask(client, 'Book', {
      resolvers: [() => ({ text: 'the day after, no: tomorrow' }), askHuman(() => asIs)],
    });
    expect(outcome).toMatchObject({ kind: 'completed', artifacts: [{ parts: [{ text: '2026-12-01' }] }] });
    const answers = net.sent.filter(({ body }) => body.includes('tomorrow'));
    expect(answers).toHaveLength(1);
    expect(JSON.parse(answers[0]?.body ?? '').params.message).toMatchObject({
      parts: [{ text: 'the day after, no: tomorrow' }],
      metadata: { 'https://askback.dev/a2a/extensions/question/v1': { questionId: expect.stringMatching(/^q-/) } },
    });
  });

  test('answers a task that was left', async () => {
    agent = await dateAgent();
    const folder = await mkdtemp(join(tmpdir(), 'askback-replies-'));
    const pending = new FilePendingStore(folder);
    const client = await connect(agent.url);
    const left = await runTask(client, 'Book', { pending });
    if (left.kind !== 'needs-input') throw new Error(left.kind);
    const empty = resumeTask(client, pending, left.taskId, { text: ' ', asIs: true });
    await expect(empty).rejects.toBeInstanceOf(InvalidAnswerError);
    expect((await resumeTask(client, pending, left.taskId, asIs)).kind).toBe('completed');
    await rm(folder, { recursive: true });
  });
});

describe('what must not go out', () => {
  test('an answer that holds a decline is no answer, though the schema takes any property', async () => {
    agent = await dateAgent();
    const updates: TaskUpdate[] = [];
    const outcome = await runTask(await connect(agent.url), 'Book', {
      clock: hastyClock,
      onUpdate: (update) => updates.push(update),
      resolvers: [() => ({ answer: { day: '2026-12-01', decline: { reason: 'x' } } })],
    });
    expect(outcome.kind).toBe('needs-input');
    expect(JSON.stringify(updates)).not.toContain('decline');
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a number', 7],
    ['an unknown word', 'maybe'],
    ['a decline of null', { decline: null }],
    ['a reason that is no text', { decline: { reason: 7 } }],
    ['a text that is none', { text: 7 }],
    ['an answer that is no object', { answer: 'x' }],
    ['an empty object', {}],
  ])('%s counts as pass', async (_what, said) => {
    agent = await dateAgent();
    const client = await connect(agent.url);
    const resolver = () => said as Resolution;
    for (const one of [resolver, askHuman(resolver, 2)]) {
      expect((await runTask(client, 'Book', { resolvers: [one] })).kind).toBe('needs-input');
    }
  });
});
