/** What the page says to the agent and reads from it: messages, errors, streams. */
import { describe, expect, it } from 'vitest';
import type { Task } from '../../core/message.ts';
import { a2aClient, Refused, Unreachable } from '../../inbox/a2a.ts';
import { follow } from '../../inbox/follow.ts';
import { createOutbox, declineOf } from '../../inbox/outbox.ts';
import { labelOf, plainText } from '../../inbox/plain-text.ts';
import { byDue, openQuestion } from '../../inbox/question.ts';
import { type ServerEvent, serverEvents } from '../../inbox/sse.ts';
import { timeLeft, urgency } from '../../inbox/time-left.ts';
import { asking, asks, object, task } from './support.ts';

const counted = () => {
  let made = 0;
  return () => {
    made += 1;
    return String(made);
  };
};

describe('the outbox', () => {
  it('the same answer to the same question is the same message; another is another', () => {
    const outbox = createOutbox(counted());
    const question = asks(object({ x: {} }));
    const first = outbox.answer(question, { x: { a: 1, b: 2 } });
    expect(first).toEqual({
      messageId: 'inbox-1',
      role: 'ROLE_USER',
      taskId: 't-1',
      contextId: 'c-1',
      parts: [{ data: { questionId: 'q-1', x: { a: 1, b: 2 } }, mediaType: 'application/json' }],
    });
    expect(outbox.answer(question, { x: { b: 2, a: 1 } }).messageId).toBe('inbox-1');
    expect(outbox.answer(question, { x: 2 }).messageId).toBe('inbox-2');
    expect(outbox.answer(question, declineOf(' no ')).parts[0]?.data).toEqual({
      questionId: 'q-1',
      decline: { reason: 'no' },
    });
    expect([outbox.sent('inbox-2'), outbox.sent('q-1')]).toEqual([true, false]);
  });

  it('the ids of its messages outlive a reload, and nothing else does; the newest 200 of them', () => {
    let kept = '';
    const memory = {
      load: () => kept,
      save(text: string) {
        kept = text;
      },
    };
    const newId = counted();
    const outbox = createOutbox(newId, memory);
    outbox.answer(asks(object({ pin: { type: 'string', writeOnly: true } })), { pin: 'hunter2' });
    expect(kept).toBe('inbox-1');
    const reloaded = createOutbox(newId, memory);
    expect([reloaded.sent('inbox-1'), reloaded.sent('inbox-2')]).toEqual([true, false]);
    // Without the answer itself, which may be a secret, a repeat cannot be told from another answer.
    expect(reloaded.answer(asks(object({ x: {} })), { pin: 'hunter2' }).messageId).toBe('inbox-2');
    for (let n = 0; n < 199; n += 1) reloaded.answer(asks(object({ x: {} })), { n });
    expect(kept.split('\n')).toHaveLength(200);
    expect(createOutbox(newId, memory).sent('inbox-1')).toBe(false);
    expect(createOutbox(newId, memory).sent('inbox-2')).toBe(true);
  });

  it.each(['', '\n', 'inbox-1\n\n', '<b>', 'x'.repeat(1_000_000)])(
    'a memory that holds %j is no reason to fail',
    (kept) => {
      const outbox = createOutbox(counted(), { load: () => kept, save: () => {} });
      expect([outbox.sent(''), outbox.sent('b')]).toEqual([false, false]);
    },
  );

  it('an agent that asks in words is answered in words', () => {
    const asked = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'Where to?' }] } as const;
    const question = openQuestion(task('TASK_STATE_INPUT_REQUIRED', [], asked));
    expect(question).toMatchObject({ questionId: undefined, text: 'Where to?', expiresAtMs: Number.NaN });
    expect(createOutbox(counted()).answer(question!, { text: 'Lisbon' }).parts).toEqual([{ text: 'Lisbon' }]);
  });
});

const say = (messageId: string, text: string) => ({ messageId, role: 'ROLE_USER' as const, parts: [{ text }] });

describe('reading a question', () => {
  it('nothing in it is believed to have its type', () => {
    const odd = {
      expires: 5,
      answerSchema: [],
      errors: [null, { message: 5 }, { message: 'a' }],
      prefill: 'x',
      attempt: -1,
    };
    expect(openQuestion(asking(odd))).toMatchObject({
      expiresAtMs: Number.NaN,
      schema: { properties: { text: {} } },
      errors: [{ pointer: '', message: 'a' }],
      prefill: {},
      attempt: 1,
    });
  });

  it.each([
    [[say('m-1', 'File my \u202ereceipt\nfrom Tuesday')], 'File my receipt'],
    [[say('m-1', 'x'.repeat(200))], `${'x'.repeat(99)}…`],
    // The oldest of them may be an answer.
    [Array.from({ length: 20 }, (_, n) => say(`m-${n}`, 'File my receipt')), ''],
    [[{ ...say('q-1', 'Which?'), role: 'ROLE_AGENT' as const }], ''],
    [[], ''],
  ])('%#: the first line of the request tells one task from another', (history, request) => {
    expect(openQuestion({ ...asking({}), history })?.request).toBe(request);
  });

  it('the list is sorted by due, those without a time last', () => {
    const due = (taskId: string, expiresAtMs: number) => ({ ...asks({}), taskId, expiresAtMs });
    const sorted = [due('a', Number.NaN), due('c', 5), due('b', 5), due('d', 1)].sort(byDue);
    expect(sorted.map(({ taskId }) => taskId)).toEqual(['d', 'b', 'c', 'a']);
  });

  it('text is stripped of what hides or turns other text', () => {
    expect(plainText(' a\u0000\u202eb\r\nc\u2066\u001b[31m ')).toBe('ab\nc');
    expect(plainText('a\u200b\u200e\u061cb\u00ad\u3164\u{e0041}c\ud800d 👩‍👩‍👧')).toBe('abcd 👩‍👩‍👧');
    expect(plainText('x'.repeat(30), 10)).toBe('xxxxxxxxx…');
    expect(plainText(5)).toBe('');
    expect(labelOf('')).toBe('');
  });

  it.each([
    [2 * 86_400_000 + 3 * 3_600_000, '2 days 3 h left', 'calm'],
    [86_400_000, '1 day left', 'calm'],
    [3_661_000, '1 h 1 min left', 'calm'],
    [754_000, '12 min 34 s left', 'soon'],
    [999, '0 s left', 'soon'],
    [0, 'time is up', 'over'],
    [-5, 'time is up', 'over'],
  ])('%i ms: %s', (left, text, how) => {
    expect([timeLeft(1_000_000 + left, 1_000_000), urgency(1_000_000 + left, 1_000_000)]).toEqual([text, how]);
  });
});

async function* bytes(...pieces: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield new TextEncoder().encode(piece);
}

describe('server-sent events', () => {
  it('are put together from any pieces; comments are none', async () => {
    const events: ServerEvent[] = [];
    for await (const event of serverEvents(
      bytes(': hi\n', '\nid: 2\nda', 'ta: {"a":\ndata: 1}\n\n: x\n\nevent: error\r\ndata:b\r\n\r\ndata: cut'),
    )) {
      events.push(event);
    }
    expect(events).toEqual([
      { type: 'message', id: '2', data: '{"a":\n1}' },
      { type: 'error', id: undefined, data: 'b' },
    ]);
  });
});

describe('speaking A2A', () => {
  const answering = (...responses: readonly (Response | Error)[]) => {
    const requests: { url: string; init: RequestInit }[] = [];
    const left = [...responses];
    const a2a = a2aClient({
      base: 'https://agent.example/a2a',
      token: () => 'tok',
      fetch: async (url, init) => {
        requests.push({ url: String(url), init: init ?? {} });
        const next = left.shift();
        if (next instanceof Error || next === undefined) throw next ?? new Error('no more');
        return next;
      },
    });
    return { a2a, requests };
  };

  it('names the version and the caller, and asks for open questions page by page', async () => {
    const pages = [
      { tasks: [task('TASK_STATE_INPUT_REQUIRED', [])], nextPageToken: 'n/2' },
      { tasks: [task('TASK_STATE_INPUT_REQUIRED', [])], nextPageToken: '' },
    ];
    const { a2a, requests } = answering(...pages.map((page) => Response.json(page)));
    expect(await a2a.waitingTasks()).toHaveLength(2);
    expect(requests.map(({ url }) => url)).toEqual([
      'https://agent.example/a2a/tasks?status=TASK_STATE_INPUT_REQUIRED&pageSize=100&historyLength=20',
      'https://agent.example/a2a/tasks?status=TASK_STATE_INPUT_REQUIRED&pageSize=100&historyLength=20&pageToken=n%2F2',
    ]);
    expect(requests[0]?.init).toMatchObject({
      headers: { 'A2A-Version': '1.0', Authorization: 'Bearer tok' },
      credentials: 'omit',
      redirect: 'error',
    });
  });

  it('tells a refusal, with its reason, from no answer', async () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'TASK_NOT_FOUND' }];
    const { a2a } = answering(
      Response.json({ error: { code: 404, message: 'No such task', details } }, { status: 404 }),
      new Response('<html>', { status: 502 }),
      new TypeError('failed to fetch'),
      new Response('{"id":'),
    );
    await expect(a2a.task('x')).rejects.toMatchObject({ name: 'Refused', status: 404, reason: 'TASK_NOT_FOUND' });
    await expect(a2a.task('x')).rejects.toMatchObject({ name: 'Refused', status: 502, reason: '' });
    await expect(a2a.task('x')).rejects.toBeInstanceOf(Unreachable);
    await expect(a2a.task('x')).rejects.toBeInstanceOf(Unreachable);
  });
});

describe('following a task', () => {
  const open = asking({});
  const done = task('TASK_STATE_COMPLETED', []);
  const event = (id: string, body: object): ServerEvent => ({ type: 'message', id, data: JSON.stringify(body) });
  const status = (state: Task['status']['state']) => ({ statusUpdate: { status: { state } } });

  async function followed(reads: readonly (Task | Error)[], streams: readonly (readonly (ServerEvent | Error)[])[]) {
    const log: string[] = [];
    const left = { reads: [...reads], streams: [...streams] };
    const a2a = {
      async task() {
        const next = left.reads.shift();
        if (next instanceof Error || !next) throw next ?? new Error('no more');
        return next;
      },
      async *events(_id: string, lastEventId: string | undefined) {
        log.push(`from ${lastEventId ?? 'now'}`);
        for (const one of left.streams.shift() ?? []) {
          if (one instanceof Error) throw one;
          yield one;
        }
      },
    };
    const followedTo = follow(a2a, 't-1', {
      onTask: ({ status: { state } }) => log.push(state.replace('TASK_STATE_', '')),
      onConnection: (connected) => log.push(connected ? 'connected' : 'lost'),
      sleep: async (ms) => void log.push(`sleep ${ms}`),
      streaming: true,
      signal: new AbortController().signal,
    });
    await followedTo.catch((error: unknown) => log.push(`threw ${(error as Error).name}`));
    return log;
  }

  it('takes a broken stream up at the newest event it had', async () => {
    const log = await followed(
      [open, open, done],
      [[event('3', { task: open }), new Unreachable('cut')], [event('4', status('TASK_STATE_COMPLETED'))]],
    );
    expect(log).toEqual([
      'INPUT_REQUIRED',
      'connected',
      'from now',
      'lost',
      'sleep 500',
      'INPUT_REQUIRED',
      'connected',
      'from 3',
      'COMPLETED',
    ]);
  });

  it('a change between the reading and the stream is not missed', async () => {
    const moved = { ...open, status: { ...open.status, timestamp: '2026-11-30T10:00:00.000Z' } };
    expect(await followed([open, done], [[event('4', { task: moved })]])).toEqual([
      'INPUT_REQUIRED',
      'connected',
      'from now',
      'COMPLETED',
    ]);
  });

  it('a task that ended before the subscription is read once more; one that is not there ends it', async () => {
    const ended = new Refused(400, 'UNSUPPORTED_OPERATION', 'ended');
    expect(await followed([open, done], [[ended]])).toEqual([
      'INPUT_REQUIRED',
      'connected',
      'from now',
      'sleep 500',
      'COMPLETED',
    ]);
    expect(await followed([new Refused(404, 'TASK_NOT_FOUND', 'none')], [])).toEqual(['threw Refused']);
  });

  it('waits longer from failure to failure', async () => {
    const log = await followed([new Unreachable('a'), new Unreachable('b'), new Refused(503, '', 'c'), done], []);
    expect(log).toEqual(['lost', 'sleep 500', 'lost', 'sleep 1000', 'sleep 2000', 'COMPLETED']);
  });
});
