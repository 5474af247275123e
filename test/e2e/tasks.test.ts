/** Who sees a task, what it keeps, and that its work does not hang on the caller. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BINDINGS, type Reply, wire } from './support/bindings.ts';
import { answer, expense, history, question, REQUEST, say, statusText, taskOf } from './support/expense.ts';
import { isLocal, openTarget, type Target, type User, until } from './support/target.ts';

let target: Target;
beforeAll(async () => {
  target = await openTarget();
});
afterAll(() => target?.stop());

const as = (user: User, binding: (typeof BINDINGS)[number] = 'JSONRPC') => wire(binding, target.url, target.as(user));

describe('the agent card', () => {
  test('is public, names both bindings, the extension and where it is, and may be kept', async () => {
    const response = await fetch(`${target.url}/.well-known/agent-card.json`);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toMatch(/max-age=\d+/);
    const card = await response.json();
    expect(card).toMatchObject({
      name: 'Expense agent',
      supportedInterfaces: [
        { url: target.url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url: target.url, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
        { url: target.url, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
        { url: target.url, protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' },
      ],
      skills: [{ id: 'file-expense' }],
    });
    const etag = response.headers.get('etag') ?? '';
    const again = await fetch(`${target.url}/.well-known/agent-card.json`, { headers: { 'If-None-Match': etag } });
    expect(again.status).toBe(304);
  });
});

describe.each(BINDINGS)('R43: another owner sees what a random id shows (%s)', (binding) => {
  const RANDOM = 'abcdefghijklmnopqrstuvwxyz';
  const shape = (reply: Reply, id: string) => JSON.parse(JSON.stringify(reply).replaceAll(id, '<id>'));

  test.each<User>(['bob', 'other-alice'])('%s', async (user) => {
    const mine = taskOf(await as('alice', binding).send(say(REQUEST)));
    const stranger = as(user, binding);
    const { questionId } = question(mine);
    const attempts = [
      (id: string) => stranger.get(id),
      (id: string) => stranger.cancel(id),
      (id: string) => stranger.send(say('CC-4410', { taskId: id })),
      (id: string) => stranger.send(answer(mine, { questionId, costCentre: 'CC-4410' }, { taskId: id })),
    ];
    for (const attempt of attempts) {
      const reply = await attempt(mine.id);
      expect(reply.error?.reason).toBe('TASK_NOT_FOUND');
      expect(shape(reply, mine.id)).toEqual(shape(await attempt(RANDOM), RANDOM));
    }
    expect(taskOf(await as('alice', binding).get(mine.id))).toEqual(mine);
  });
});

describe.each(BINDINGS)('R26: a task that has ended takes no answer (%s)', (binding) => {
  test('completed, canceled, failed and rejected', async () => {
    const a2a = as('alice', binding);
    const completed = taskOf(await a2a.send(say(REQUEST)));
    await a2a.send(answer(completed, { costCentre: 'CC-4410' }));
    const canceled = taskOf(await a2a.send(say(REQUEST)));
    await a2a.cancel(canceled.id);
    const failed = taskOf(await a2a.send(say(REQUEST)));
    for (const text of ['a', 'b', 'c']) await a2a.send(say(text, { taskId: failed.id }));
    const rejected = taskOf(await as('carol', binding).send(say(REQUEST)));
    expect([rejected.status.state, statusText(rejected)]).toEqual([
      'TASK_STATE_REJECTED',
      'You have no cost centre to charge an expense to.',
    ]);
    for (const [task, user] of [
      [completed, 'alice'],
      [canceled, 'alice'],
      [failed, 'alice'],
      [rejected, 'carol'],
    ] as const) {
      const reply = await as(user, binding).send(say('CC-4410', { taskId: task.id, contextId: task.contextId }));
      expect([reply.status, reply.error?.code, reply.error?.reason]).toEqual(
        binding === 'JSONRPC' ? [200, -32004, 'UNSUPPORTED_OPERATION'] : [400, 400, 'UNSUPPORTED_OPERATION'],
      );
    }
    expect(taskOf(await a2a.get(completed.id)).artifacts).toHaveLength(1);
  });
});

test('a caller with one cost centre is not asked', async () => {
  const done = taskOf(await as('bob').send(say(REQUEST)));
  expect(done.status.state).toBe('TASK_STATE_COMPLETED');
  expect(expense(done)).toMatchObject({ costCentre: 'CC-4430' });
  expect(history(done)).toEqual([['ROLE_USER', REQUEST]]);
});

test('a receipt file is kept as a reference beside the expense', async () => {
  const image = {
    raw: Buffer.from('not really an image').toString('base64'),
    mediaType: 'image/jpeg',
    filename: 'taxi.jpg',
  };
  const done = taskOf(await as('bob').send(say('', { parts: [{ text: REQUEST }, image] })));
  expect(expense(done)?.receipt).toEqual({ mediaType: 'image/jpeg', filename: 'taxi.jpg', bytes: 19 });
});

describe.each(BINDINGS)('R87: history over three rounds (%s)', (binding) => {
  test('absent, 0, 2 and 100', async () => {
    const a2a = as('alice', binding);
    const asked = taskOf(await a2a.send(say('File my receipt')));
    const details = { amount: 5, currency: 'EUR', date: '2026-11-24', vendor: 'bus' };
    const second = taskOf(await a2a.send(answer(asked, details)));
    const third = taskOf(await a2a.send(say('engineering', { taskId: asked.id })));
    const done = taskOf(await a2a.send(answer(third, { costCentre: 'CC-4410' })));
    const whole = [
      ['ROLE_USER', 'File my receipt'],
      ['ROLE_AGENT', question(asked).questionId],
      ['ROLE_USER', { questionId: question(asked).questionId, ...details }],
      ['ROLE_AGENT', question(second).questionId],
      ['ROLE_USER', 'engineering'],
      ['ROLE_AGENT', question(third).questionId],
      ['ROLE_USER', { questionId: question(third).questionId, costCentre: 'CC-4410' }],
    ];
    expect(history(done)).toEqual(whole);
    expect(history(taskOf(await a2a.get(done.id)))).toEqual(whole);
    expect(history(taskOf(await a2a.get(done.id, 100)))).toEqual(whole);
    expect(history(taskOf(await a2a.get(done.id, 2)))).toEqual(whole.slice(5));
    expect(history(taskOf(await a2a.get(done.id, 0)))).toEqual([]);
    expect((await a2a.get(done.id, -1)).error?.reason).toBe('INVALID_PARAMS');
  });
});

test('R34: a caller who leaves in the middle cancels nothing', async () => {
  const a2a = as('alice');
  const message = say(REQUEST);
  const leave = new AbortController();
  const sent = fetch(target.url, {
    method: 'POST',
    headers: { 'A2A-Version': '1.0', 'Content-Type': 'application/json', ...target.as('alice') },
    body: a2a.body(message),
    signal: leave.signal,
  }).catch(() => 'gone');
  setTimeout(() => leave.abort(), 5);
  await sent;
  // If the request had not yet arrived, this is its first delivery; otherwise it is a repeat. Either way, one task.
  const asked = taskOf(await a2a.send(message));
  expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  expect(history(asked)).toHaveLength(2);
});

describe('returnImmediately', () => {
  test('the task comes back before its turn has ended', async () => {
    const task = taskOf(await as('alice').send(say(REQUEST), { returnImmediately: true }));
    expect(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING']).toContain(task.status.state);
  });

  test.runIf(isLocal)('R80: the work runs from the queue and finishes without further requests', async () => {
    const before = (await target.local.ledger()).length;
    await as('bob').send(say(REQUEST), { returnImmediately: true });
    await until('the expense', async () => (await target.local.ledger()).length === before + 1);
  });
});
