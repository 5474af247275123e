/** The commands in --json and plain form against the real local runtime with the expense agent. */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isLocal } from '../../e2e/support/target.ts';
import { FakeWorld, type Ran } from './fake-world.ts';
import { last, onExpenseAgent, RECEIPT } from './on-expense-agent.ts';

const place = onExpenseAgent();

const askedTask = async (...more: string[]) =>
  String(last(await place.world.run(['send', place.target.url, RECEIPT, '--json', ...more])).taskId);

describe.runIf(isLocal)('send and answer with --json', () => {
  it('one object a line: the task, its states, the question, the result; then the same for the answer', async () => {
    const sent = await place.world.run(['send', place.target.url, RECEIPT, '--json'], { typed: [] });
    expect(sent.code).toBe(3);
    expect(sent.out.trim().split('\n')).toHaveLength(sent.objects.length);
    const id = String(last(sent).taskId);
    expect(sent.objects[0]).toEqual({
      type: 'task',
      taskId: id,
      contextId: expect.any(String),
      agent: { name: 'Expense agent', url: place.target.url },
    });
    expect(sent.objects.filter(({ type }) => type === 'status').map(({ state }) => state)).toEqual([
      'submitted',
      'working',
      'input-required',
    ]);
    const question = {
      kind: 'question',
      questionId: `q-${id.slice(0, 16)}-1`,
      name: 'cost-centre',
      text: 'Which cost centre should this expense be charged to?',
      schema: {
        type: 'object',
        properties: { costCentre: { type: 'string', pattern: '^CC-[0-9]{4}$' } },
        required: ['costCentre'],
      },
      options: {
        costCentre: [
          { value: 'CC-4410', label: 'CC-4410' },
          { value: 'CC-4420', label: 'CC-4420' },
        ],
      },
      allowOther: false,
      expires: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      attempt: 1,
      maxAttempts: 3,
    };
    expect(sent.objects.at(-2)).toEqual({ type: 'question', taskId: id, question });
    expect(last(sent)).toEqual({
      type: 'result',
      outcome: 'needs-input',
      exitCode: 3,
      taskId: id,
      contextId: expect.any(String),
      question,
      saved: true,
    });

    const answered = await place.world.run(['answer', id.slice(0, 8), 'CC-4410', '--json']);
    expect(answered.code).toBe(0);
    expect(last(answered)).toEqual({
      type: 'result',
      outcome: 'completed',
      exitCode: 0,
      taskId: id,
      contextId: expect.any(String),
      artifacts: [
        {
          artifactId: expect.any(String),
          name: 'expense',
          parts: [
            {
              data: expect.objectContaining({ expenseId: 'EXP-000001', costCentre: 'CC-4410' }),
              mediaType: 'application/json',
            },
          ],
        },
      ],
    });
    expect(last(await place.world.run(['inbox', '--json'])).questions).toEqual([]);
  });

  it('a wrong answer is refused here and costs no attempt', async () => {
    const id = await askedTask();
    const wrong = await place.world.run(['answer', id, 'engineering']);
    expect(wrong.code).toBe(2);
    expect(wrong.err).toBe(
      'askback: costCentre: expected one of 1 (CC-4410), 2 (CC-4420)\nNothing was sent; the question is still open.\n',
    );
    expect(last(await place.world.run(['inbox', place.target.url, '--json'])).questions).toMatchObject([
      { taskId: id, question: { attempt: 1 }, source: 'agent' },
    ]);
  });

  it('files and data go along; the same --message-id makes one task', async () => {
    const file = join(place.world.folder, 'receipt.png');
    await writeFile(file, Buffer.from('89504e47', 'hex'));
    const args = ['send', place.target.url, '-', '--file', file, '--message-id', 'once', '--json'];
    const [first, second] = [
      await place.world.run(args, { input: `${RECEIPT}\n` }),
      await place.world.run(args, { input: `${RECEIPT}\n` }),
    ];
    expect(last(second).taskId).toBe(last(first).taskId);
    const history = last(await place.world.run(['history', String(last(first).taskId), '--json']));
    expect((history.messages as { message: { parts: unknown } }[])[0]?.message.parts).toEqual([
      { text: RECEIPT },
      { raw: 'iVBORw==', filename: 'receipt.png', mediaType: 'image/png' },
    ]);
  });

  it('decline tells the agent, and ends with 0', async () => {
    const id = await askedTask();
    const declined = await place.world.run(['decline', id, '--reason', 'not mine', '--json']);
    expect(declined.code).toBe(0);
    expect(last(declined)).toMatchObject({ outcome: 'declined', exitCode: 0 });
    expect((await place.world.run(['history', id])).out).toContain('"reason": "not mine"');
  });
});

describe.runIf(isLocal)('tasks that are known', () => {
  it('keep where they are and the name of the variable, never the token; files are for their owner only', async () => {
    const env = { WHO: 'alice-token' };
    const sent = await place.world.run(['send', place.target.url, RECEIPT, '--bearer-env', 'WHO', '--json'], { env });
    const id = String(last(sent).taskId);
    expect((await place.world.run(['history', id], { env })).code).toBe(0);
    expect((await place.world.run(['history', id])).err).toContain('no token in the variable WHO');
    const state = join(place.world.folder, 'state');
    const files = (await readdir(state, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThanOrEqual(2);
    for (const { parentPath, name } of files) {
      expect(await readFile(join(parentPath, name), 'utf8')).not.toContain('alice-token');
      expect((await stat(join(parentPath, name))).mode & 0o077).toBe(0);
    }
  });

  it('are found by the first six characters, not by five, and with --url without being known', async () => {
    const id = await askedTask();
    expect((await place.world.run(['history', id.slice(0, 6)])).code).toBe(0);
    const short = await place.world.run(['history', id.slice(0, 5)]);
    expect(short.code).toBe(2);
    expect(short.err).toBe(
      `askback: "${id.slice(0, 5)}" is too short to name a task\nGive its id, or the first 6 characters of it or more; askback inbox lists the open questions.\n`,
    );
    const elsewhere = await FakeWorld.open();
    expect((await elsewhere.run(['history', id])).code).toBe(2);
    expect((await elsewhere.run(['history', id, '--url', place.target.url])).code).toBe(0);
    for (const command of ['history', 'cancel', 'answer', 'watch']) {
      const begun = await elsewhere.run([command, id.slice(0, 8), '--url', place.target.url]);
      expect(begun.code).toBe(9);
      expect(begun.err).toContain('With --url the whole id is needed. An agent shows a task to its owner only');
    }
    await elsewhere.close();
  });

  it('that an agent lists are known from then on', async () => {
    const id = await askedTask();
    const elsewhere = await FakeWorld.open();
    expect((await elsewhere.run(['inbox', place.target.url])).out).toContain(
      `${id}  Expense agent (${place.target.url})  23 h 59 min left`,
    );
    const answered = await elsewhere.run(['answer', id, '2']);
    expect(answered.code).toBe(0);
    expect(answered.out).toContain('"costCentre": "CC-4420"');
    await elsewhere.close();
  });
});

describe.runIf(isLocal)('watch', () => {
  it('follows a task through its question to its end, though every stream is cut after one event', async () => {
    const id = await askedTask();
    let streams = 0;
    const cutting: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (!response.headers.get('content-type')?.includes('event-stream')) return response;
      streams += 1;
      return new Response(firstEvents(response), { headers: response.headers, status: response.status });
    };
    let answered: Promise<Ran> | undefined;
    const onWrite = (text: string) => {
      if (text.includes('"type":"question"')) answered ??= place.world.run(['answer', id, '1', '--json']);
    };
    const watched = await place.world.run(['watch', id, '--json'], { fetch: cutting, onWrite });
    expect((await answered)?.code).toBe(0);
    expect(watched.code).toBe(0);
    expect(streams).toBeGreaterThan(0);
    expect(watched.objects.map(({ type }) => type).filter((type) => type === 'question')).toHaveLength(1);
    expect(last(watched)).toMatchObject({ outcome: 'completed', artifacts: [{ name: 'expense' }] });
  });

  it('goes on after the agent was away, and says so', async () => {
    const id = await askedTask();
    await place.world.run(['answer', id, '1']);
    let away = 3;
    const flaky: typeof fetch = async (input, init) => {
      if (!String(input).includes('agent-card') && away > 0) {
        away -= 1;
        throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
      }
      return fetch(input, init);
    };
    const watched = await place.world.run(['watch', id], { fetch: flaky });
    expect(watched.code).toBe(0);
    expect(watched.err).toContain(`${place.target.url} cannot be reached (reset); trying again`);
    expect(watched.err).toContain('the agent is there again');
  });
});

describe.runIf(isLocal)('the rest', () => {
  it('card --json has the card as it stands', async () => {
    const shown = last(await place.world.run(['card', place.target.url, '--json']));
    expect(shown).toMatchObject({ type: 'card', exitCode: 0, card: { name: 'Expense agent' } });
  });

  it('history --json has each message with its time and sender', async () => {
    const id = await askedTask();
    expect(last(await place.world.run(['history', id, '--json']))).toMatchObject({
      type: 'history',
      taskId: id,
      status: { state: 'input-required', timestamp: expect.any(String) },
      messages: [
        { at: expect.any(String), from: 'caller' },
        { at: expect.any(String), from: 'agent' },
      ],
    });
  });

  it('redrive keeps its own command line', async () => {
    expect((await place.world.run(['redrive', 'some-stack', '--dry-run'])).code).toBe(3);
  });

  it.each(['card', 'send', 'inbox', 'answer', 'decline', 'cancel', 'history', 'watch'])(
    'askback %s --help has examples and ends with 0',
    async (command) => {
      const { code, out } = await place.world.run([command, '--help']);
      expect(code).toBe(0);
      expect(out).toContain(`Examples:\n  $ askback ${command}`);
    },
  );

  it('without a command it shows what there is, on standard error, and ends with 2', async () => {
    const { code, out, err } = await place.world.run([]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('Usage: askback');
  });
});

/** The stream up to its first event, cut in the middle of what follows. */
function firstEvents(response: Response): ReadableStream<Uint8Array> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let seen = '';
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      seen += Buffer.from(value).toString();
      controller.enqueue(value);
      if (!seen.includes('\n\n')) return;
      await reader.cancel();
      controller.error(new TypeError('terminated'));
    },
  });
}
