/** Streams over HTTP, as the official client sees them on both bindings, and as bytes where the client hides them. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { StreamResponse } from '../../core/message.ts';
import { type Caller, connect } from '../../local/official-client.ts';
import { BINDINGS, type Binding, wire } from './support/bindings.ts';
import { answer, question, REQUEST, say } from './support/expense.ts';
import { type GatedTarget, openGated } from './support/gated.ts';
import { isLocal, openTarget, streams, type Target } from './support/target.ts';

const EXTENSION = 'https://askback.dev/a2a/extensions/question/v1';

/** `task INPUT_REQUIRED`, `status WORKING`, `artifact expense`, each with its generation. */
function brief(event: StreamResponse): string {
  if ('message' in event) return 'message';
  const inner = 'task' in event ? event.task : 'statusUpdate' in event ? event.statusUpdate : event.artifactUpdate;
  const { generation } = (inner.metadata?.[EXTENSION] ?? {}) as { generation?: number };
  if ('artifactUpdate' in event) return `${generation} artifact ${event.artifactUpdate.artifact.name}`;
  const status = 'task' in event ? event.task.status : event.statusUpdate.status;
  return `${generation} ${'task' in event ? 'task' : 'status'} ${status.state.replace('TASK_STATE_', '')}`;
}

async function all(stream: AsyncIterable<StreamResponse>): Promise<StreamResponse[]> {
  const events = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** Reads the given number of events, then leaves. */
async function first(stream: AsyncIterable<StreamResponse>, count: number): Promise<StreamResponse[]> {
  const events = [];
  for await (const event of stream) if (events.push(event) === count) break;
  return events;
}

function taskOf(event: StreamResponse | undefined) {
  if (!event || !('task' in event)) throw new Error(`expected a task: ${JSON.stringify(event)}`);
  return event.task;
}

describe.runIf(streams).each(BINDINGS)('the expense agent with the official client (%s)', (binding) => {
  let target: Target;
  let caller: Caller;
  beforeAll(async () => {
    target = await openTarget();
    caller = await connect(target.url, binding, target.as('alice'));
  });
  afterAll(() => target?.stop());

  test('sendMessageStream: from the request to the question, and from the answer to the end (R30, R61)', async () => {
    const asked = await all(caller.stream(say(REQUEST)));
    expect(asked.map(brief)).toEqual(['1 task SUBMITTED', '2 status WORKING', '3 status INPUT_REQUIRED']);
    const { id, contextId } = taskOf(asked[0]);
    const last = asked.at(-1);
    const status = last && 'statusUpdate' in last ? last.statusUpdate.status : undefined;
    expect(status?.message?.parts[1]?.data).toMatchObject({
      questionId: `q-${id.slice(0, 16)}-1`,
      options: ['CC-4410', 'CC-4420'],
      answerSchema: { required: ['costCentre'] },
      expires: expect.stringMatching(/Z$/),
    });
    expect(status?.message?.parts[0]?.text).toBe('Which cost centre should this expense be charged to?');

    const task = await caller.get(id);
    expect(task.contextId).toBe(contextId);
    const done = await all(caller.stream(answer(task, { costCentre: 'CC-4410' })));
    expect(done.map(brief)).toEqual(['4 task WORKING', '5 artifact expense', '6 status COMPLETED']);
  });

  test('R29: subscribing to a paused task, answered by another connection', async () => {
    const task = await caller.send(say(REQUEST));
    const subscription = caller.subscribe(task.id)[Symbol.asyncIterator]();
    const snapshot = taskOf((await subscription.next()).value);
    expect(question(snapshot)).toEqual(question(task));
    await caller.send(answer(task, { costCentre: 'CC-4410' }));
    const rest = [];
    for (let next = await subscription.next(); !next.done; next = await subscription.next()) rest.push(next.value);
    expect(rest.map(brief)).toEqual(['4 status WORKING', '5 artifact expense', '6 status COMPLETED']);
  });

  test('R08: an answer from inside the handler of the question event is accepted', async () => {
    const request = say(REQUEST);
    for await (const event of caller.stream(request)) {
      if (!('statusUpdate' in event) || event.statusUpdate.status.state !== 'TASK_STATE_INPUT_REQUIRED') continue;
      const task = await caller.get(event.statusUpdate.taskId);
      expect((await caller.send(answer(task, { costCentre: 'CC-4420' }))).status.state).toBe('TASK_STATE_COMPLETED');
    }
  });

  test('R32: resubscribing with Last-Event-ID: the task, what was missed, nothing twice, to the end', async () => {
    const started = await first(caller.stream(say(REQUEST)), 1);
    const { id } = taskOf(started[0]);
    const asked = await caller.send(say(REQUEST, { messageId: 'other' }));
    expect(asked.id).not.toBe(id);
    const resumed = await all(caller.subscribe(id, { lastEventId: '1' }));
    expect(resumed.map(brief).slice(-2)).toEqual(['2 status WORKING', '3 status INPUT_REQUIRED']);
    await caller.send(answer(await caller.get(id), { costCentre: 'CC-4410' }));
    const replayed = await all(caller.subscribe(id, { lastEventId: '3' }));
    expect(replayed.map(brief)).toEqual([
      '6 task COMPLETED',
      '4 status WORKING',
      '5 artifact expense',
      '6 status COMPLETED',
    ]);
    await expect(all(caller.subscribe(id))).rejects.toThrow(/has ended/);
  });

  test('R29, R43: not found, and somebody else’s, are errors before the stream', async () => {
    const task = await caller.send(say(REQUEST));
    const bob = await connect(target.url, binding, target.as('bob'));
    await expect(all(caller.subscribe('abcdefghijklmnopqrstuvwxyz'))).rejects.toThrow(/not found/i);
    await expect(all(bob.subscribe(task.id))).rejects.toThrow(/not found/i);
  });

  test('R26: streaming to a task that has ended is refused', async () => {
    const task = await caller.send(say(REQUEST));
    await caller.cancel(task.id);
    await expect(all(caller.stream(answer(task, { costCentre: 'CC-4410' })))).rejects.toThrow(/has ended/);
  });

  test('R34: a caller who leaves changes nothing; only CancelTask cancels', async () => {
    const leave = new AbortController();
    const started = await first(caller.stream(say(REQUEST), { signal: leave.signal }), 1);
    leave.abort();
    const { id } = taskOf(started[0]);
    const again = await first(caller.subscribe(id), 1);
    expect(taskOf(again[0]).id).toBe(id);
    const asked = await all(caller.subscribe(id, { lastEventId: '1' }));
    expect(asked.map(brief).at(-1)).toBe('3 status INPUT_REQUIRED');
    await caller.send(answer(await caller.get(id), { costCentre: 'CC-4410' }));
    expect((await caller.get(id)).status.state).toBe('TASK_STATE_COMPLETED');
  });
});

/** A stream as it is on the wire. */
async function open(target: GatedTarget, path: string, init: RequestInit): Promise<Raw> {
  const headers = { 'A2A-Version': '1.0', 'Content-Type': 'application/json', ...init.headers };
  const response = await fetch(`${target.url}${path}`, { ...init, headers });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    response,
    /** What comes next, up to and with `end`. */
    async until(end) {
      while (!text.includes(end)) {
        const next = await reader?.read();
        if (!next || next.done) throw new Error(`ended: ${text}`);
        text += next.value;
      }
      const length = text.indexOf(end) + end.length;
      const read = text.slice(0, length);
      text = text.slice(length);
      return read;
    },
    async rest() {
      for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) text += next.value;
      return text;
    },
    close: async () => reader?.cancel(),
  };
}

interface Raw {
  readonly response: Response;
  until(end: string): Promise<string>;
  rest(): Promise<string>;
  close(): Promise<void> | undefined;
}

describe.runIf(isLocal)('the bytes, with an agent that waits for us', () => {
  let target: GatedTarget;
  beforeEach(async () => {
    target = await openGated();
  });
  afterEach(() => target?.stop());
  const start = () => {
    const body = JSON.stringify({ message: say('Go') });
    return open(target, '/message:stream', { method: 'POST', body });
  };
  const idOf = (text: string) => /"task":\{"id":"([a-z2-7]+)"/.exec(text)?.[1] ?? '';

  test('R37: events arrive one by one, when they happen', async () => {
    const stream = await start();
    expect(stream.response.status).toBe(200);
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
    expect(await stream.until('\n\n')).toMatch(/^id: 1\ndata: \{"task":/);
    expect(await stream.until('\n\n')).toMatch(/^id: 2\ndata: .*"TASK_STATE_WORKING"/);
    for (const n of [1, 2, 3]) {
      target.step();
      const event = await stream.until('\n\n');
      expect(event).toMatch(new RegExp(`^id: ${n + 2}\\ndata: .*"step ${n}"`));
    }
    target.step();
    expect(await stream.until('\n\n')).toMatch(/^id: 6\ndata: \{"artifactUpdate":.*"as far as this"/);
    target.step();
    expect(await stream.rest()).toMatch(/^id: 7\ndata: .*"TASK_STATE_INPUT_REQUIRED".*\n\n$/);
  });

  test('R30, R37: heartbeats while nothing happens, a clean end that says how to go on, and it goes on', async () => {
    const stream = await start();
    const id = idOf(await stream.until('\n\n'));
    expect(await stream.until('\n\n')).toMatch(/^id: 2\n/);
    for (let n = 1; n < 56; n += 1) {
      target.clock.advance(15_000);
      expect(await stream.until('\n\n')).toBe(': heartbeat\n\n');
    }
    target.clock.advance(15_000);
    expect(await stream.rest()).toMatch(
      /: this connection ends, the task does not: subscribe with Last-Event-ID 2\n\n$/,
    );
    const headers = { 'Last-Event-ID': '2' };
    const resumed = await open(target, `/tasks/${id}:subscribe`, { method: 'GET', headers });
    expect(await resumed.until('\n\n')).toMatch(/^data: \{"task":/);
    target.step();
    expect(await resumed.until('\n\n')).toMatch(/^id: 3\ndata: .*"step 1"/);
    await resumed.close();
  });

  test.each<Binding>(['JSONRPC', 'HTTP+JSON'])(
    'R35: 40 s of silence are kept alive with white space (%s)',
    async (binding) => {
      const body = wire(binding, target.url).body(say('Go'));
      const sending = open(target, binding === 'JSONRPC' ? '/' : '/message:send', { method: 'POST', body });
      // The agent is at its first gate; the response begins when the first blank is due.
      const list = wire('JSONRPC', target.url);
      let begun = false;
      void sending.then(() => {
        begun = true;
      });
      while (!begun) {
        target.clock.advance(1_000);
        await list.get(randomUUID());
      }
      const response = await sending;
      expect(response.response.status).toBe(200);
      expect(await response.until(' ')).toBe(' ');
      target.clock.advance(15_000);
      expect(await response.until(' ')).toBe(' ');
      for (let n = 0; n < 5; n += 1) target.step();
      const answer = JSON.parse(await response.rest()) as { result?: { task: unknown }; task?: unknown };
      expect(answer.result?.task ?? answer.task).toMatchObject({
        status: { state: 'TASK_STATE_INPUT_REQUIRED', message: { parts: [{ text: 'Shall I go on?' }, {}] } },
      });
    },
  );
});
