/** What goes wrong around the program: busy agents, endless lists, a folder that cannot be written (issue 6, item 5). */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { questionParts, type StubAgent, startStubAgent, stubTask } from '../support/stub-agent.ts';
import { FakeWorld } from './fake-world.ts';

let agent: StubAgent;
let world: FakeWorld;
beforeEach(async () => {
  world = await FakeWorld.open();
});
afterEach(async () => {
  await agent?.stop();
  await world.close();
});

const asks = stubTask('INPUT_REQUIRED', questionParts());

describe('inbox', () => {
  it('does not follow a list that goes on for ever without a task', async () => {
    agent = await startStubAgent(({ n }) => ({ result: { tasks: [], nextPageToken: `page-${n}` } }));
    const { code, err } = await world.run(['inbox', agent.url], { signal: AbortSignal.timeout(10_000) });
    expect(code).toBe(0);
    expect(agent.requests.length).toBeLessThanOrEqual(100);
    expect(err).toContain('the agent lists more than is shown');
  });

  it('stops where a page names itself as the next one', async () => {
    agent = await startStubAgent(() => ({ result: { tasks: [asks], nextPageToken: 'same' } }));
    const { code, objects } = await world.run(['inbox', agent.url, '--json'], { signal: AbortSignal.timeout(10_000) });
    expect(code).toBe(0);
    expect(agent.requests).toHaveLength(2);
    expect((objects.at(-1) as unknown as { questions: unknown[] }).questions).toHaveLength(1);
  });
});

describe('inbox of a stranger', () => {
  it('spends seconds on schemas, not minutes: the rest is listed in its words', async () => {
    const tasks = Array.from({ length: 30 }, (_, n) => ({ ...asks, id: `t-${n}` }));
    agent = await startStubAgent(() => ({ result: { tasks, nextPageToken: '' } }));
    let nowMs = 0;
    // Every look at the clock is a second later.
    const { objects } = await world.run(['inbox', agent.url, '--json'], { now: () => (nowMs += 1_000) });
    const { questions } = objects.at(-1) as unknown as { questions: { question: { kind: string; text: string } }[] };
    expect(questions).toHaveLength(30);
    expect(questions.filter(({ question }) => question.kind === 'question').length).toBeLessThan(10);
    expect(new Set(questions.map(({ question }) => question.text))).toEqual(new Set(['Which city?']));
  });
});

describe('decline', () => {
  it('of a credential that the agent gives no id for: refused, and how to end the task', async () => {
    agent = await startStubAgent(() => ({ result: stubTask('AUTH_REQUIRED', [{ text: 'Log in' }]) }));
    const { code, err } = await world.run(['decline', 't-1', '--url', agent.url]);
    expect(code).toBe(9);
    expect(err).toContain('says of no way to decline it\nTo end the task: askback cancel t-1\n');
  });
});

describe('watch', () => {
  it.each([429, 500, 503])('goes on after %i', async (status) => {
    agent = await startStubAgent(({ n }) =>
      n === 2 ? { status, body: 'busy' } : { result: stubTask(n < 3 ? 'WORKING' : 'COMPLETED') },
    );
    const { code, err } = await world.run(['watch', 't-1', '--url', agent.url]);
    expect(code).toBe(0);
    expect(err).toContain('the agent is there again');
  });

  it('ends at once where the agent refuses', async () => {
    agent = await startStubAgent(({ n }) =>
      n === 1 ? { result: stubTask('WORKING') } : { error: { code: -32001, message: 'gone' } },
    );
    expect((await world.run(['watch', 't-1', '--url', agent.url])).code).toBe(9);
  });
});

it.each([
  ['another task', { ...asks, id: 't-2' }],
  ['a task without a state', { id: 't-1', contextId: 'c' }],
])('%s in place of the one that was named is not answered, nor watched', async (_what, task) => {
  agent = await startStubAgent(() => ({ result: task }));
  for (const args of [
    ['answer', 't-1', 'Lisbon'],
    ['watch', 't-1'],
    ['decline', 't-1'],
  ]) {
    const { code, err } = await world.run([...args, '--url', agent.url]);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/another task than the one asked for|without id or state/),
    });
  }
  expect(new Set(agent.methods())).toEqual(new Set(['GetTask']));
});

describe('a question that was left here and is over', () => {
  it.each([
    ['answer', ['answer', 't-1', 'Lisbon'], 9],
    ['decline', ['decline', 't-1'], 9],
    ['watch', ['watch', 't-1'], 0],
  ])('is no longer in the inbox once %s has seen that', async (_what, args, code) => {
    let over = false;
    agent = await startStubAgent(({ method }) => {
      const task = over ? stubTask('COMPLETED') : asks;
      return { result: method === 'SendMessage' ? { task } : task };
    });
    await world.run(['send', agent.url, 'go']);
    const questions = async () => (await world.run(['inbox', '--json'])).objects.at(-1)?.questions;
    expect(await questions()).toHaveLength(1);
    over = true;
    expect((await world.run([...args])).code).toBe(code);
    expect(await questions()).toEqual([]);
  });
});

describe('a state folder that cannot be written', () => {
  const env = async () => {
    const file = join(world.folder, 'a-file');
    await writeFile(file, '');
    return { ASKBACK_STATE_DIR: file };
  };

  it('send ends as it would, says that the question is not kept, and how to answer it all the same', async () => {
    agent = await startStubAgent(({ method }) => ({ result: method === 'GetTask' ? asks : { task: asks } }));
    const ran = await world.run(['send', agent.url, 'go', '--json'], { env: await env() });
    expect(ran.code).toBe(3);
    expect(ran.objects.at(-1)).toMatchObject({ outcome: 'needs-input', saved: false, saveError: expect.any(String) });
    const { err } = await world.run(['send', agent.url, 'go'], { env: await env() });
    expect(err).toContain('could not be kept here');
    expect(err).toContain(`askback answer --url ${agent.url} t-1`);
  });

  it('answer says which folder it needs', async () => {
    agent = await startStubAgent(() => ({ result: asks }));
    const ran = await world.run(['answer', 't-1', 'Lisbon', '--url', agent.url], { env: await env() });
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('ASKBACK_STATE_DIR');
  });
});

describe('the command line', () => {
  it('takes --json for a text after two dashes', async () => {
    agent = await startStubAgent(() => ({ result: { task: stubTask('COMPLETED') } }));
    const { out, err } = await world.run(['send', agent.url, '--', '--json']);
    expect(out).toBe('');
    expect(err).toContain('completed');
    expect(JSON.stringify(agent.requests[0]?.params)).toContain('"text":"--json"');
  });

  it.each([
    [['send', 'URL'], /nothing to send/],
    [['send', 'URL', 'x', '--data', '{nope'], /--data is no JSON/],
    [['send', 'URL', 'x', '--data', '@/nowhere'], /cannot be read/],
    [['send', 'URL', 'x', '--file', '/nowhere'], /cannot be read/],
    [['send', 'URL', 'x', '--file', '/'], /cannot be read/],
    [['send', 'URL', 'x', '--policy', '/nowhere'], /the policy \/nowhere cannot be read: there is no such file/],
    [['send', 'URL', 'x', '--max-rounds', '0'], /whole number/],
    [['send', 'URL', 'x', '--bearer-env', 'NONE'], /no token in the variable NONE/],
    [['send', 'ftp://x', 'x'], /no address/],
    [['send', 'http://user:word@x', 'x'], /must not hold credentials/],
    [['answer', 't-1', 'x', '--text', 'y', '--url', 'URL'], /exclude each other/],
    [['answer', 't-1', '--text', ' ', '--url', 'URL'], /expected words/],
    [['nonsense'], /unknown command/],
    [['send', 'URL', 'x', '--nonsense'], /unknown option/],
  ])('%j: exit code 2, a reason on standard error, nothing sent', async (args, reason) => {
    agent = await startStubAgent(() => ({ result: asks }));
    const ran = await world.run(args.map((arg) => (arg === 'URL' ? agent.url : arg)));
    expect({ code: ran.code, out: ran.out }).toEqual({ code: 2, out: '' });
    expect(ran.err).toMatch(reason);
    expect(agent.methods().filter((method) => method !== 'GetTask')).toEqual([]);
  });

  it('--text sends words as they are', async () => {
    agent = await startStubAgent(({ method }) => {
      if (method === 'SendMessage') return { result: { task: stubTask('COMPLETED') } };
      return { result: agent.methods().includes('SendMessage') ? stubTask('COMPLETED') : asks };
    });
    const ran = await world.run(['answer', 't-1', '--text', '  by the river ', '--url', agent.url]);
    expect(ran.code).toBe(0);
    const sent = agent.requests.find(({ method }) => method === 'SendMessage');
    expect(sent?.params.message).toMatchObject({ parts: [{ text: '  by the river ' }] });
  });
});
