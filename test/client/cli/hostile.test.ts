/** What strangers write never reaches the terminal as more than text, in any command (issue 6, items 4 and 5). */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../client/index.ts';
import { type StubAgent, startStubAgent } from '../support/stub-agent.ts';
import { FakeWorld, type Ran } from './fake-world.ts';

/** A colour, an erased screen (in one and in two characters), a title, a bell, a reversed line, an invisible letter. */
const EVIL = '\u001b[31m\u009b2J\u001b]0;owned\u0007\u202egnp.exe\u200b\u0085';
/** Controls but line feed, and marks of direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const UNFIT = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069]/;

const evil = (text: string) => `${text}${EVIL}`;

const schema: JsonObject = {
  type: 'object',
  title: evil('title'),
  properties: {
    [evil('city')]: { type: 'string', title: evil('City'), description: evil('Where') },
    [evil('list')]: { type: 'array', items: { enum: [evil('a')] } },
    size: { enum: [evil('small'), evil('large')] },
  },
  required: [evil('city'), evil('list'), 'size'],
};

function message(more: JsonObject): JsonObject {
  return { messageId: evil('m'), role: 'ROLE_AGENT', ...more };
}

const question: JsonObject = message({
  parts: [
    { text: evil('Which?') },
    {
      data: {
        questionId: evil('q'),
        answerSchema: schema,
        attempt: 2,
        maxAttempts: 3,
        errors: [{ pointer: `/${evil('city')}`, message: evil('wrong') }],
        prefill: { [evil('list')]: [evil('a')] },
      },
    },
  ],
});

const TASK = evil('t-1');
const status = (state: string, told: JsonObject = question) => ({
  state: `TASK_STATE_${state}`,
  message: told,
  timestamp: evil('2026'),
});
const artifacts = [
  {
    artifactId: evil('a'),
    name: evil('result'),
    description: evil('all of it'),
    parts: [
      { text: evil('text') },
      { data: { [evil('key')]: evil('value') } },
      { url: evil('https://x/'), filename: evil('f'), mediaType: evil('text/plain') },
      { raw: 'aGk=', filename: evil('../f'), mediaType: evil('image/png') },
    ],
  },
];
const asking: JsonObject = { id: TASK, contextId: evil('c'), status: status('INPUT_REQUIRED') };
const failed = message({
  parts: [{ text: evil('no') }],
  metadata: { 'https://askback.dev/a2a/extensions/question/v1': { reason: 'X', recordedAt: evil('now') } },
});

let agent: StubAgent;
let world: FakeWorld;
let now: JsonObject;
beforeEach(async () => {
  now = asking;
  world = await FakeWorld.open();
  agent = await startStubAgent(
    ({ method }) => {
      switch (method) {
        case 'GetTask':
          return { result: { ...now, history: [question, failed], ...(now === asking ? {} : { artifacts }) } };
        case 'ListTasks':
          return { result: { tasks: [now], totalSize: 1, pageSize: 100, nextPageToken: '' } };
        case 'CancelTask':
          return { error: { code: -32002, message: evil('not cancelable') } };
        default:
          return { result: { task: now } };
      }
    },
    {
      card: {
        name: evil('Agent'),
        description: evil('does'),
        version: evil('1'),
        documentationUrl: evil('https://x/'),
        securitySchemes: { [evil('scheme')]: { httpAuthSecurityScheme: { scheme: evil('bearer') } } },
        skills: [{ id: evil('s'), name: evil('skill'), description: evil('d'), tags: [], examples: [evil('e')] }],
      },
    },
  );
});
afterEach(async () => {
  await agent.stop();
  await world.close();
});

function expectFit({ out, err, told }: Ran): void {
  for (const text of [out, err, ...told]) expect(text).not.toMatch(UNFIT);
}

describe('words with control sequences, bidi marks and invisible letters', () => {
  const ended = (state: string) => ({ ...asking, status: status(state, failed) });
  const ODD = ended(evil('ODD'));

  it.each<[string, string[], JsonObject]>([
    ['card', ['card', 'URL'], asking],
    ['a question that nobody answers', ['send', 'URL', 'go'], asking],
    ['a task that completed', ['send', 'URL', 'go'], ended('COMPLETED')],
    ['a task that failed', ['send', 'URL', 'go'], ended('FAILED')],
    ['a task that wants a credential', ['send', 'URL', 'go'], ended('AUTH_REQUIRED')],
    ['a state that there is not', ['send', 'URL', 'go'], ODD],
    ['inbox', ['inbox', 'URL'], asking],
    ['an answer without a value', ['answer', TASK, '--url', 'URL'], asking],
    ['an answer for several fields', ['answer', TASK, 'x', '--url', 'URL'], asking],
    ['an answer that does not fit', ['answer', TASK, '--data', '{"size":1}', '--url', 'URL'], asking],
    ['decline', ['decline', TASK, '--url', 'URL'], asking],
    ['cancel', ['cancel', TASK, '--url', 'URL'], asking],
    ['history', ['history', TASK, '--url', 'URL'], asking],
    ['watch', ['watch', TASK, '--url', 'URL'], ended('REJECTED')],
    ['a task that is not known', ['answer', TASK], asking],
  ])('%s, for people and as JSON', async (_what, args, task) => {
    now = task;
    const given = args.map((arg) => (arg === 'URL' ? agent.url : arg));
    const stop = AbortSignal.timeout(3_000);
    for (const more of [[], ['--json']]) {
      const ran = await world.run([...given, ...more], { signal: stop });
      expectFit(ran);
      // A state that there is not is neither an end nor a question: it is followed until Ctrl-C.
      expect(ran.code === 130).toBe(task === ODD);
    }
  });

  it('at the prompts of a form', async () => {
    const ran = await world.run(['send', agent.url, 'go'], { typed: ['Lisbon', '[]', '7', 'ctrl-c'] });
    expectFit(ran);
    expect(ran.told.length).toBeGreaterThan(2);
  });
});

it('a stream that is no JSON is not printed by the libraries underneath', async () => {
  const poison = 'data: {\u001b]0;owned\u0007\u001b[2J\n\n';
  const streaming = await startStubAgent(
    () => (response) => response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(poison),
    { streaming: true, binding: 'HTTP+JSON' },
  );
  const program = fileURLToPath(new URL('../../../client/askback.ts', import.meta.url));
  const node = ['--conditions=askback-source', '--import', 'tsx', program, 'send', streaming.url, 'go'];
  const env = { ...process.env, ASKBACK_STATE_DIR: world.folder };
  const { code, all } = await new Promise<{ code: unknown; all: string }>((resolve) => {
    execFile(process.execPath, node, { env }, (error, out, err) => resolve({ code: error?.code, all: out + err }));
  });
  expect(code).toBe(8);
  expect(all).not.toMatch(UNFIT);
  await streaming.stop();
});

it('results that are nested beyond measure: said for people, an error as JSON', async () => {
  const depth = 50_000;
  const data = `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const done = JSON.stringify({
    ...asking,
    status: status('COMPLETED', failed),
    artifacts: [{ artifactId: 'a', parts: [{ data: 7 }] }],
  });
  const deep = await startStubAgent(({ method }) => (response) => {
    const task = done.replace('"data":7', `"data":${data}`);
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(
      `{"jsonrpc":"2.0","id":${method === 'GetTask' ? 2 : 1},"result":${method === 'GetTask' ? task : `{"task":${task}}`}}`,
    );
  });
  const shown = await world.run(['send', deep.url, 'go']);
  expect({ code: shown.code, out: shown.out }).toEqual({
    code: 0,
    out: 'a\n  (data that is nested too deeply to be shown)\n',
  });
  const json = await world.run(['send', deep.url, 'go', '--json']);
  expect(json.code).toBe(1);
  expect(json.objects.at(-1)).toMatchObject({ type: 'error', message: expect.stringContaining('nested too deeply') });
  await deep.stop();
});

it('results are written whole, however long', async () => {
  const text = `${'line of a report\n'.repeat(20_000)}end`;
  now = { ...asking, status: status('COMPLETED', failed) };
  artifacts.splice(0, 1, { ...(artifacts[0] as (typeof artifacts)[0]), parts: [{ text }] });
  const { out } = await world.run(['send', agent.url, 'go']);
  expect(out.split('\n').filter((line) => line === '  line of a report')).toHaveLength(20_000);
  expect(out).toContain('  end\n');
});
