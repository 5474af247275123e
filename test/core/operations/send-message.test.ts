/** SendMessage on the core with fakes: what each message means, and what it leaves alone. */
import { describe, expect, it } from 'vitest';
import type { ProtocolError } from '../../../core/errors.ts';
import type { Part } from '../../../core/message.ts';
import { cancelTask } from '../../../core/operations/cancel-task.ts';
import { getTask } from '../../../core/operations/get-task.ts';
import { sendMessage } from '../../../core/operations/send-message.ts';
import { tinyAgent } from './tiny-agent.ts';
import { alice, answerTo, request, text, world } from './world.ts';

const bob = { tenant: 'local', principal: 'bob' };
const DAY_MS = 86_400_000;

async function asking(agent = tinyAgent()) {
  const all = world(agent);
  await all.send(request);
  await all.deliver();
  const task = await all.send(request);
  return { ...all, task };
}

async function refusal(run: Promise<unknown>): Promise<ProtocolError> {
  return run.then(
    () => {
      throw new Error('was not refused');
    },
    (error: ProtocolError) => error,
  );
}

describe('the worked example (S28, S29)', () => {
  it('asks, refuses "engineering", accepts CC-4410, completes, and the history has it all in order', async () => {
    const { send, deliver, task, deps, agent } = await asking();
    const again = await send({ messageId: 'm-2', taskId: task.id, parts: [text('engineering')] });
    expect(again.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(again.status.message?.messageId).toMatch(/-2$/);
    expect(again.status.message?.parts[1]?.data).toMatchObject({
      attempt: 2,
      errors: [{ pointer: '/costCentre', message: 'expected one of CC-4410, CC-4420' }],
    });
    await send(answerTo(again, { costCentre: 'CC-4410' }, 'm-3'));
    await deliver();
    const done = await getTask(deps, alice, { id: task.id });
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(done.artifacts).toEqual([
      { artifactId: 'expense', name: 'expense', parts: [{ data: { expenseId: 'EXP-1' } }] },
    ]);
    expect(done.history?.map((message) => message.messageId)).toEqual([
      'm-1',
      task.status.message?.messageId,
      'm-2',
      again.status.message?.messageId,
      'm-3',
    ]);
    expect(agent.filed).toEqual([{ costCentre: 'CC-4410' }]);
  });
});

describe('repeats (S13, R82, R83)', () => {
  it('of the first message find the task and start nothing', async () => {
    const { send, deliver, deps, agent, task } = await asking();
    const version = deps.store.peek(task.id)?.version;
    const repeat = await send(request);
    await deliver();
    expect(repeat.id).toBe(task.id);
    expect(deps.store.peek(task.id)?.version).toBe(version);
    expect(agent.runs).toBe(1);
  });

  it('of an answer return the current task, also after the task has moved on', async () => {
    const { send, deliver, agent, task } = await asking();
    const answer = answerTo(task, { costCentre: 'CC-4410' });
    await send(answer);
    await send(answer);
    await deliver();
    expect((await send(answer)).status.state).toBe('TASK_STATE_COMPLETED');
    expect(agent.filed).toHaveLength(1);
  });

  it('with other content under the same id are refused and change nothing', async () => {
    const { send, deps, task } = await asking();
    const before = deps.store.peek(task.id);
    for (const message of [
      { messageId: 'm-1', parts: [text('something else')] },
      { messageId: 'm-1', taskId: task.id, parts: [text('something else')] },
    ]) {
      expect(await refusal(send(message))).toMatchObject({
        reason: 'INVALID_PARAMS',
        message: 'messageId already used for another message',
      });
    }
    expect(deps.store.peek(task.id)).toEqual(before);
  });

  it('are scoped by owner: the same id of another owner is another task', async () => {
    const { send, task } = await asking();
    expect((await send(request, bob)).id).not.toBe(task.id);
  });

  it('send an owed turn again: its first send may have been lost (R07)', async () => {
    const { deps, send } = world();
    deps.queue.failures = 1;
    await send(request);
    expect(deps.queue.sent).toEqual([]);
    await send(request);
    expect(deps.queue.sent.map(({ message }) => message.turn)).toEqual([1]);
  });

  it('do not exist where the agent has switched idempotency off', async () => {
    const { send } = world(tinyAgent({ settings: { idempotency: 'off' } }));
    expect((await send(request)).id).not.toBe((await send(request)).id);
  });
});

describe('addresses (S2, S3, R22)', () => {
  it('a random task id and another owner are the same not-found (R43)', async () => {
    const { send, deps, task } = await asking();
    const before = deps.store.peek(task.id);
    const random = await refusal(send({ messageId: 'x-1', taskId: 'a'.repeat(26), parts: [text('hi')] }, bob));
    const foreign = await refusal(send(answerTo(task, { costCentre: 'CC-4410' }), bob));
    expect(random).toMatchObject({ reason: 'TASK_NOT_FOUND', message: `Task not found: ${'a'.repeat(26)}` });
    expect(foreign).toMatchObject({ reason: 'TASK_NOT_FOUND', message: `Task not found: ${task.id}` });
    expect(await refusal(getTask(deps, bob, { id: task.id }))).toMatchObject({ reason: 'TASK_NOT_FOUND' });
    expect(await refusal(cancelTask(deps, bob, { id: task.id }))).toMatchObject({ reason: 'TASK_NOT_FOUND' });
    expect(deps.store.peek(task.id)).toEqual(before);
  });

  it('a context that differs is refused with both ids, and the task can still be answered', async () => {
    const { send, task } = await asking();
    const wrong = { ...answerTo(task, { costCentre: 'CC-4410' }), contextId: 'ctx-other' };
    expect(await refusal(send(wrong))).toMatchObject({
      reason: 'INVALID_PARAMS',
      metadata: { contextId: 'ctx-other', taskContextId: task.contextId },
    });
    expect((await send(answerTo(task, { costCentre: 'CC-4410' }))).status.state).toBe('TASK_STATE_WORKING');
  });

  it('a message to a task that has ended is an unsupported operation (R26)', async () => {
    const { send, deps, task } = await asking();
    await cancelTask(deps, alice, { id: task.id });
    expect(await refusal(send(answerTo(task, { costCentre: 'CC-4410' })))).toMatchObject({
      reason: 'UNSUPPORTED_OPERATION',
      metadata: { taskId: task.id, state: 'TASK_STATE_CANCELED' },
    });
  });
});

describe('question ids bind (R47, R57)', () => {
  it.each(['q-unknown-1', 'Q'])(
    'an answer to %s is refused, names the open question and uses no attempt',
    async (questionId) => {
      const { send, deps, task } = await asking();
      const before = deps.store.peek(task.id);
      const message = { messageId: 'x-1', taskId: task.id, parts: [{ data: { questionId, costCentre: 'CC-4410' } }] };
      expect(await refusal(send(message))).toMatchObject({
        reason: 'INVALID_PARAMS',
        metadata: { questionId, openQuestionId: task.status.message?.messageId },
      });
      expect(deps.store.peek(task.id)).toEqual(before);
    },
  );

  it('the loser of two answers gets the task with whose message won; its text is no second answer (R01)', async () => {
    const { send, deliver, deps, agent, task } = await asking();
    await send(answerTo(task, { costCentre: 'CC-4410' }, 'first'));
    const lost = await send(answerTo(task, { costCentre: 'CC-4420' }, 'second'));
    expect(lost.metadata?.['https://askback.dev/a2a/extensions/question/v1']).toMatchObject({ answeredBy: 'first' });
    await deliver();
    const done = await getTask(deps, alice, { id: task.id });
    expect(done.history?.map((message) => message.messageId)).not.toContain('second');
    expect(agent.filed).toEqual([{ costCentre: 'CC-4410' }]);
  });
});

describe('expiry (S30, R48, invariant 7)', () => {
  it('is done by whoever looks first, with no timer fired', async () => {
    const { send, deps, task } = await asking();
    await deps.clock.advance(DAY_MS);
    const seen = await getTask(deps, alice, { id: task.id });
    expect(seen.status.state).toBe('TASK_STATE_FAILED');
    expect(await refusal(send(answerTo(task, { costCentre: 'CC-4410' })))).toMatchObject({
      reason: 'UNSUPPORTED_OPERATION',
    });
    expect(await refusal(cancelTask(deps, alice, { id: task.id }))).toMatchObject({ reason: 'TASK_NOT_CANCELABLE' });
  });
});

describe('declining (R06, R50)', () => {
  it('never runs what the question guarded', async () => {
    const { send, deliver, deps, agent, task } = await asking();
    const questionId = task.status.message?.messageId ?? '';
    await send({
      messageId: 'm-2',
      taskId: task.id,
      parts: [{ data: { questionId, decline: { reason: 'not my money' } } }],
    });
    await deliver();
    expect((await getTask(deps, alice, { id: task.id })).status).toMatchObject({
      state: 'TASK_STATE_REJECTED',
      message: { parts: [{ text: 'the question was declined' }] },
    });
    expect(agent.filed).toEqual([]);
  });
});

describe('the cap (S16)', () => {
  it('fails the task with "no valid answer" at the third bad answer', async () => {
    const { send, task } = await asking();
    for (const n of [1, 2]) await send({ messageId: `bad-${n}`, taskId: task.id, parts: [text('engineering')] });
    const failed = await send({ messageId: 'bad-3', taskId: task.id, parts: [text('engineering')] });
    expect(failed.status.state).toBe('TASK_STATE_FAILED');
    expect(failed.status.message?.parts[0]?.text).toContain('no valid answer');
  });
});

describe('writeOnly answers (design, section 6)', () => {
  const spec = {
    schema: {
      type: 'object',
      required: ['costCentre', 'pin'],
      properties: { costCentre: { type: 'string' }, pin: { type: 'string', writeOnly: true } },
    },
    options: { costCentre: ['CC-4410'] },
  } as const;

  it('reach the agent and nothing else', async () => {
    const { send, deliver, deps, agent, task } = await asking(tinyAgent({ spec }));
    await send(answerTo(task, { costCentre: 'CC-4410', pin: 'swordfish' }));
    await deliver();
    expect(agent.filed).toEqual([{ costCentre: 'CC-4410', pin: 'swordfish' }]);
    const done = await getTask(deps, alice, { id: task.id });
    expect(JSON.stringify(done)).not.toContain('swordfish');
    expect(deps.store.peek(task.id)?.secrets).toBe(true);
    expect(deps.store.childKeys(task.id).filter((key) => key.startsWith('SECRET'))).toEqual([]);
    expect(JSON.stringify(deps.log)).not.toContain('swordfish');
  });
});

describe('messages to a task that is not asking (S18)', () => {
  it('are refused by default', async () => {
    const { send } = world();
    const task = await send(request);
    expect(await refusal(send({ messageId: 'm-2', taskId: task.id, parts: [text('hurry')] }))).toMatchObject({
      reason: 'UNSUPPORTED_OPERATION',
      metadata: { state: 'TASK_STATE_SUBMITTED' },
    });
  });

  it('are kept where the agent says so', async () => {
    const { send, deps } = world(tinyAgent({ settings: { onMessage: 'queue' } }));
    const task = await send(request);
    await send({ messageId: 'm-2', taskId: task.id, parts: [text('hurry')] });
    expect(deps.store.peek(task.id)?.unread).toEqual([2]);
  });
});

describe('a direct reply', () => {
  const replying = (parts: unknown) => world({ ...tinyAgent(), reply: async () => parts as readonly Part[] });

  it('is a message without a task', async () => {
    const { deps } = replying([{ text: 'hello' }]);
    const sent = await sendMessage(deps, alice, { message: { ...request, role: 'ROLE_USER' } });
    expect(sent).toMatchObject({ message: { role: 'ROLE_AGENT', parts: [{ text: 'hello' }] } });
    expect(deps.store.heads()).toEqual([]);
  });

  it.each([[[]], [['hello']], [[{ text: 5 }]], [[{ text: 'a', url: 'b' }]], ['hello']])(
    'that is no message is the fault of the agent, and no task is made of it: %j',
    async (parts) => {
      const { deps } = replying(parts);
      const refused = await refusal(sendMessage(deps, alice, { message: { ...request, role: 'ROLE_USER' } }));
      expect(refused).toMatchObject({ reason: 'INVALID_AGENT_RESPONSE' });
      expect(deps.store.heads()).toEqual([]);
    },
  );
});
