import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EXIT } from '../../../client/cli/exit-codes.ts';
import { type Runtime, startRuntime } from '../../../local/runtime.ts';
import { ShiftedClock } from '../../e2e/support/shifted-clock.ts';
import { QuietLog } from '../../fakes/quiet-log.ts';
import { askingAgent } from './asking-agent.ts';
import { FakeWorld } from './fake-world.ts';

let data: string;
let runtime: Runtime;
const clock = new ShiftedClock();
let world: FakeWorld;

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'askback-cli-exits-'));
  runtime = await startRuntime({ port: 0, data, agent: askingAgent, clock, log: new QuietLog() });
});
afterAll(async () => {
  await runtime.stop();
  await rm(data, { recursive: true, force: true });
});
beforeEach(async () => {
  world = await FakeWorld.open();
});
afterEach(() => world.close());

const send = (text: string, ...more: string[]) => world.run(['send', runtime.url, text, '--json', ...more]);
const last = (objects: readonly object[]) => objects.at(-1) as Record<string, unknown>;

describe('exit codes (docs/command-line.md) and the object that ends --json', () => {
  it('are these, since scripts count on them', () => {
    expect(EXIT).toEqual({
      completed: 0,
      failed: 1,
      usage: 2,
      needsInput: 3,
      expired: 4,
      declined: 5,
      canceled: 6,
      gaveUp: 7,
      unreachable: 8,
      refused: 9,
      interrupted: 130,
    });
  });

  it('are all in the table of the documentation and in the help', async () => {
    const page = await readFile(new URL('../../../docs/command-line.md', import.meta.url), 'utf8');
    const table = page.split('## Exit codes')[1]?.split('## ')[0] ?? '';
    expect([...table.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code))).toEqual(Object.values(EXIT));
    const { out } = await world.run(['--help']);
    const help = out.split('Ends with:')[1] ?? '';
    expect([...help.matchAll(/(\d+) [a-z]/g)].map(([, code]) => Number(code))).toEqual(Object.values(EXIT));
  });

  it('0: completed, with the artifacts', async () => {
    const { code, objects, err } = await send('echo');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(objects.map(({ type }) => type)).toEqual([
      'task',
      ...objects.slice(1, -1).map(({ type }) => type),
      'result',
    ]);
    expect(last(objects)).toMatchObject({
      type: 'result',
      outcome: 'completed',
      exitCode: 0,
      artifacts: [{ name: 'echo' }],
    });
  });

  it('1: failed, with what the agent says', async () => {
    const { code, objects } = await send('fail');
    expect(code).toBe(1);
    expect(last(objects)).toMatchObject({
      outcome: 'failed',
      exitCode: 1,
      state: 'failed',
      text: 'the printer is on fire',
      reason: 'AGENT_ENDED',
    });
  });

  it.each([
    [['send'], "missing required argument 'url'"],
    [['bogus'], "unknown command 'bogus'"],
    [['send', 'localhost', 'x'], 'localhost is no address of an agent'],
    [['send', 'http://u:p@localhost:1', 'x'], 'an address must not hold credentials'],
    [['send', 'http://localhost:1'], 'there is nothing to send'],
    [['send', 'http://localhost:1', 'x', '--file', 'no-such-file.png'], 'no-such-file.png cannot be read'],
    [['send', 'http://localhost:1', '--data', '{'], '--data is no JSON'],
    [['send', 'http://localhost:1', 'x', '--max-rounds', '0'], '--max-rounds must be a whole number from 1 to 1000'],
    [['send', 'http://localhost:1', 'x', '--bearer-env', 'NOT_SET'], 'no token in the variable NOT_SET'],
    [['answer', 'unknown-task'], 'task unknown-task is not known here'],
  ])('2: a command line that means nothing: %j', async (args, message) => {
    const plain = await world.run(args);
    expect(plain.code).toBe(2);
    expect(plain.err).toContain(message);
    const json = await world.run([...args, '--json']);
    expect(json.code).toBe(2);
    expect(last(json.objects)).toMatchObject({ type: 'error', exitCode: 2 });
    expect(last(json.objects).message).toContain(message);
  });

  it('2: a policy that makes no sense, naming the rule; nothing is sent', async () => {
    const file = join(world.folder, 'rules.json');
    await writeFile(file, '[{"answer": 1, "decline": true}]');
    const { code, err } = await send('soon', '--policy', file);
    expect(code).toBe(2);
    expect(err).toContain('rule 1 says two things: answer and decline');
  });

  it('3: waits for an answer, which stays in the inbox', async () => {
    const { code, objects } = await send('secret', '--detach');
    expect(code).toBe(3);
    expect(last(objects)).toMatchObject({
      outcome: 'needs-input',
      exitCode: 3,
      saved: true,
      question: { kind: 'question', name: 'pin', text: 'What is the PIN?', attempt: 1, maxAttempts: 3 },
    });
    const inbox = await world.run(['inbox', '--json']);
    expect(last(inbox.objects)).toMatchObject({ type: 'inbox', exitCode: 0, questions: [{ source: 'local' }] });
  });

  it('4: nobody answered in time', async () => {
    const asked = await send('soon');
    const { taskId } = last(asked.objects);
    clock.advance(6 * 60_000);
    const { code, objects } = await world.run(['watch', String(taskId), '--json']);
    expect(code).toBe(4);
    expect(last(objects)).toMatchObject({ outcome: 'expired', exitCode: 4, reason: 'QUESTION_EXPIRED' });
  });

  it('5: rejected by the agent, or declined by a rule of ours', async () => {
    expect(await send('reject')).toMatchObject({ code: 5 });
    const file = join(world.folder, 'rules.json');
    await writeFile(file, JSON.stringify([{ question: 'pin', decline: 'no PINs' }]));
    const { code, objects } = await send('secret', '--policy', file);
    expect(code).toBe(5);
    expect(last(objects)).toMatchObject({ outcome: 'declined', exitCode: 5 });
  });

  it('3, then 0: a credential is waited for, and declined as the question extension has it', async () => {
    const asked = await send('credential');
    expect(asked.code).toBe(3);
    expect(last(asked.objects)).toMatchObject({ outcome: 'auth-required', text: 'Sign in to your calendar.' });
    const id = String(last(asked.objects).taskId);
    const declined = await world.run(['decline', id, '--reason', 'not my calendar', '--json']);
    expect(declined.code).toBe(0);
    expect(last(declined.objects)).toMatchObject({ outcome: 'declined', exitCode: 0, taskId: id, state: 'rejected' });
    expect((await world.run(['history', id])).out).toContain('"reason": "not my calendar"');
    const again = await world.run(['decline', id]);
    expect(again.code).toBe(9);
    expect(again.err).toContain('the task asks nothing now: it is rejected');
  });

  it('4: nobody brought the credential in time', async () => {
    const { taskId } = last((await send('credential')).objects);
    clock.advance(61 * 60_000);
    const { code, objects } = await world.run(['watch', String(taskId), '--json']);
    expect(code).toBe(4);
    expect(last(objects)).toMatchObject({ outcome: 'expired', reason: 'AUTH_EXPIRED' });
  });

  it('0: a task that is not known here is declined with --url', async () => {
    const id = String(last((await send('soon')).objects).taskId);
    const elsewhere = await FakeWorld.open();
    const declined = await elsewhere.run(['decline', id, '--url', runtime.url]);
    expect([declined.code, declined.err]).toEqual([0, expect.stringContaining('✗ declined')]);
    await elsewhere.close();
  });

  it('0: a rule gives a secret, and what it said is told without it', async () => {
    const file = join(world.folder, 'rules.json');
    await writeFile(file, JSON.stringify([{ question: 'pin', answer: '4410' }]));
    const { code, objects, out } = await send('secret', '--policy', file);
    expect(code).toBe(0);
    expect(objects.find(({ type }) => type === 'rule')).toMatchObject({ rule: 1, answer: {}, secrets: ['pin'] });
    expect(out).not.toContain('4410');
    const { err } = await world.run(['send', runtime.url, 'secret', '--policy', file]);
    expect(err).toContain('\nanswered by rule 1: pin (not shown)\n');
    expect(err).not.toContain('4410');
  });

  it('6: canceled elsewhere; the one who cancels gets 0', async () => {
    const asked = await send('soon');
    const id = String(last(asked.objects).taskId);
    const canceled = await world.run(['cancel', id, '--json']);
    expect(canceled.code).toBe(0);
    expect(last(canceled.objects)).toMatchObject({ outcome: 'canceled', exitCode: 0, state: 'canceled' });
    expect(await world.run(['watch', id])).toMatchObject({ code: 6 });
    expect((await world.run(['inbox'])).err).toContain('No open questions.');
  });

  it('7: gave up after --max-rounds, and canceled the task', async () => {
    const { code, told } = await world.run(['send', runtime.url, 'forever', '--max-rounds', '2'], {
      typed: ['one', 'two', 'three'],
    });
    expect(code).toBe(7);
    expect(told).toHaveLength(2);
    const rules = join(world.folder, 'rules.json');
    await writeFile(rules, '[{"text": "question", "answer": "one"}]');
    const json = await send('forever', '--policy', rules, '--max-rounds', '1');
    expect(last(json.objects)).toMatchObject({ type: 'error', exitCode: 7, taskId: json.objects[0]?.taskId });
    const history = await world.run(['history', String(json.objects[0]?.taskId), '--json']);
    expect(last(history.objects)).toMatchObject({ status: { state: 'canceled' } });
  });

  it('8: no agent there', async () => {
    const fetchNothing: typeof fetch = () =>
      Promise.reject(
        new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) }),
      );
    const { code, err } = await world.run(['card', 'http://localhost:3999'], { fetch: fetchNothing });
    expect(code).toBe(8);
    expect(err).toBe(
      'askback: http://localhost:3999 cannot be reached (refused)\n' +
        'Is the address right, and the agent running? The same command may be given again.\n',
    );
  });

  it('8: something else is there', async () => {
    const page: typeof fetch = async () => new Response('<html>', { status: 404 });
    const { code, err } = await world.run(['card', 'http://localhost:3999'], { fetch: page });
    expect(code).toBe(8);
    expect(err).toContain('there is no agent at http://localhost:3999');
  });

  it('9: refused: unknown credentials, unknown task, a task that has ended', async () => {
    const login = await world.run(['inbox', runtime.url, '--bearer-env', 'TOKEN'], { env: { TOKEN: 'wrong' } });
    expect(login.code).toBe(9);
    expect(login.err).toContain('does not accept these credentials');
    expect(login.err).not.toContain('wrong');
    const unknown = await world.run(['history', 'not-a-task', '--url', runtime.url]);
    expect(unknown.code).toBe(9);
    expect(unknown.err).toContain('Task not found: not-a-task');
    const done = await send('echo');
    const ended = await world.run(['answer', String(last(done.objects).taskId), 'x']);
    expect(ended.code).toBe(9);
    expect(ended.err).toContain('the task asks nothing now: it is completed');
  });

  it('130: Ctrl-C leaves the question open and says how to go on', async () => {
    const { code, err } = await world.run(['send', runtime.url, 'secret'], { typed: ['ctrl-c'] });
    expect(code).toBe(130);
    expect(err).toMatch(/The task waits for an answer\. To answer: askback answer \w{26}\n$/);
    expect((await world.run(['inbox'])).out).toContain('What is the PIN?');
  });

  it('130: Ctrl-C ends what waits for an agent or for input', async () => {
    const controller = new AbortController();
    const silent: typeof fetch = (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error));
        controller.abort();
      });
    const setup = { signal: controller.signal, fetch: silent };
    expect(await world.run(['card', 'http://localhost:3999'], setup)).toMatchObject({
      code: 130,
      err: 'askback: interrupted\n',
    });
    expect(await world.run(['send', 'http://localhost:3999', '-'], setup)).toMatchObject({ code: 130 });
  });

  it('130: Ctrl-C while the agent works lets go of the task and does not cancel it', async () => {
    const controller = new AbortController();
    const onWrite = (text: string) => {
      if (text.startsWith('Task ')) controller.abort(new Error('Ctrl-C'));
    };
    const { code, err } = await world.run(['send', runtime.url, 'soon'], { signal: controller.signal, onWrite });
    expect(code).toBe(130);
    const id = /To follow it: askback watch (\w{26})\. To end it: askback cancel \1/.exec(err)?.[1];
    expect(await world.run(['history', String(id), '--json'])).toMatchObject({ code: 0 });
    expect((await world.run(['inbox', runtime.url])).out).toContain(String(id));
  });
});
