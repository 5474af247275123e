/** The loop against an agent of the official SDK that asks in words only: issue 6, items 1 and 3. */
import { afterEach, describe, expect, test } from 'vitest';
import {
  askHuman,
  connect,
  fromContext,
  fromPolicy,
  GaveUpError,
  type OpenQuestion,
  runTask,
} from '../../client/index.ts';
import { hastyClock } from './support/agents.ts';
import { faultyFetch } from './support/faulty-fetch.ts';
import { colourAndSize, type SdkAgent, startSdkAgent } from './support/sdk-agent.ts';

let agent: SdkAgent;
afterEach(() => agent.stop());

describe.each([true, false])('an agent of the official SDK (streaming: %s)', (streaming) => {
  const open = async (fetch = globalThis.fetch) => {
    agent = await startSdkAgent(colourAndSize, { streaming });
    return connect(agent.url, { fetch });
  };

  test('the words go to the person, the answer is a text part, and the artifacts come back', async () => {
    const asked: OpenQuestion[] = [];
    const outcome = await runTask(await open(), 'Paint it', {
      resolvers: [
        fromContext({ colour: 'blue' }),
        fromPolicy([{ answer: 'red' }, { text: 'colour', answer: 'green' }]),
        askHuman((question) => {
          asked.push(question);
          return { text: asked.length === 1 ? 'white' : 'large' };
        }),
      ],
    });
    expect(outcome).toMatchObject({ kind: 'completed', artifacts: [{ parts: [{ text: 'done: large' }] }] });
    expect(agent.heard).toEqual(['Paint it', 'white', 'large']);
    expect(asked).toMatchObject([
      { kind: 'free-text', text: 'Which colour?', agent: { name: 'Words only', url: agent.url } },
      { kind: 'free-text', text: 'white it is. Which size?' },
    ]);
    expect(asked[0]?.key).not.toBe(asked[1]?.key);
  });

  test('a policy answers words only by a rule that says so', async () => {
    const outcome = await runTask(await open(), 'Paint it', {
      resolvers: [
        fromPolicy([
          { freeText: true, text: 'COLOUR?', answer: 'green' },
          { freeText: true, answer: 'small' },
        ]),
      ],
    });
    expect(outcome.kind).toBe('completed');
    expect(agent.heard).toEqual(['Paint it', 'green', 'small']);
  });

  test('a decline cancels the task, since there is no other way to say it', async () => {
    const outcome = await runTask(await open(), 'Paint it', { resolvers: [() => ({ decline: {} })] });
    expect(outcome).toMatchObject({ kind: 'declined', task: { status: { state: 'TASK_STATE_CANCELED' } } });
    expect(agent.heard).toEqual(['Paint it']);
  });

  test('data is no answer to words, and gives up like any other', async () => {
    const outcome = await runTask(await open(), 'Paint it', { resolvers: [() => ({ answer: { colour: 'red' } })] });
    expect(outcome).toMatchObject({ kind: 'needs-input', question: { text: 'Which colour?' } });
    await agent.stop();
    const error = await runTask(await open(), 'Paint it', {
      maxRounds: 1,
      resolvers: [() => ({ text: 'red' })],
    }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(GaveUpError);
    expect(error).toMatchObject({ canceled: true, rounds: 1 });
  });

  test('a lost response: the task is looked at before anything is sent twice', async () => {
    const net = faultyFetch();
    const client = await open(net.fetch);
    net.lose('"white"');
    const outcome = await runTask(client, 'Paint it', {
      clock: hastyClock,
      resolvers: [(question) => ({ text: question.text.includes('colour') ? 'white' : 'large' })],
    });
    expect(outcome.kind).toBe('completed');
    expect(agent.heard).toEqual(['Paint it', 'white', 'large']);
  });
});

test('an agent that asks the same words again and again is given up, and the answers are not lost on it', async () => {
  agent = await startSdkAgent(() => ({ state: 'TASK_STATE_INPUT_REQUIRED', parts: [{ text: 'And?' }] }));
  const run = runTask(await connect(agent.url), 'Hello', { resolvers: [() => ({ text: 'this' })] });
  await expect(run).rejects.toBeInstanceOf(GaveUpError);
  expect(agent.heard).toEqual(['Hello', 'this', 'this', 'this']);
});

test('a task without streaming or a question: failed is told with the agent’s words, cleaned', async () => {
  agent = await startSdkAgent(() => ({ state: 'TASK_STATE_FAILED', parts: [{ text: 'no\u001b[2J paint' }] }), {
    streaming: false,
  });
  expect(await runTask(await connect(agent.url), 'Hello')).toMatchObject({ kind: 'failed', text: 'no paint' });
});
