/** What receivers of push notifications are told, and what is kept of their secrets (A2A 4.3; design section 9). */
import { describe, expect, it } from 'vitest';
import { RetryableError } from '../../../core/errors.ts';
import { cancelTask } from '../../../core/operations/cancel-task.ts';
import { deletePushConfig } from '../../../core/operations/delete-push-config.ts';
import { getPushConfig } from '../../../core/operations/get-push-config.ts';
import { getTask } from '../../../core/operations/get-task.ts';
import { eventOf, HOOK, pushWorld } from './push-world.ts';
import { tinyAgent } from './tiny-agent.ts';
import { alice, answerTo, request, text } from './world.ts';

const SECRETS = { token: 'tok-4711', authentication: { scheme: 'Bearer', credentials: 'cred-0815' } };

describe('R40: what a receiver is told', () => {
  it('of a task that it was registered with: everything, once, in order', async () => {
    const { send, settle, told, push, deps } = pushWorld();
    const { id } = await send(request, { url: HOOK, ...SECRETS });
    await settle();
    expect(told()).toEqual(['1 SUBMITTED', '2 WORKING', '3 INPUT_REQUIRED']);
    await send(answerTo(await getTask(deps, alice, { id }), { costCentre: 'CC-4410' }));
    await settle();
    expect(told().slice(3)).toEqual(['4 WORKING', '5 artifact expense', '6 COMPLETED']);
    const [first] = push.webhooks.posts;
    expect(first).toMatchObject({
      url: HOOK,
      headers: { Authorization: 'Bearer cred-0815', 'X-A2A-Notification-Token': 'tok-4711' },
    });
  });

  it('the start of a task that had taken messages by then: told at once', async () => {
    const never = new Promise<never>(() => undefined);
    const { send, turns, pokes, told, deps } = pushWorld({
      ...tinyAgent({ settings: { onMessage: 'queue' } }),
      run: () => never,
    });
    const { id } = await send(request, { id: 'w', url: HOOK });
    await send({ messageId: 'm-2', taskId: id, parts: [text('and the one from Monday')] });
    await pokes();
    void turns();
    await deps.clock.advance(0);
    await pokes();
    expect(told()).toEqual(['1 SUBMITTED', '2 WORKING']);
  });

  it('R61: the question itself: text, data part with id, schema, options and expiry', async () => {
    const { send, settle, push } = pushWorld();
    await send(request, { url: HOOK });
    await settle();
    const event = eventOf(push.webhooks.posts[2]!);
    if (!('statusUpdate' in event)) throw new Error('not a status');
    const { taskId, contextId, status } = event.statusUpdate;
    const { messageId, role, parts } = status.message!;
    const { expires, ...question } = parts[1]!.data as { expires: string };
    expect({ taskId, contextId, state: status.state }).toEqual({
      taskId: expect.stringMatching(/^[a-z2-7]{26}$/),
      contextId: expect.stringMatching(/^ctx-/),
      state: 'TASK_STATE_INPUT_REQUIRED',
    });
    expect({ messageId, role, text: parts[0]?.text }).toEqual({
      messageId: `q-${taskId.slice(0, 16)}-1`,
      role: 'ROLE_AGENT',
      text: 'Which cost centre should this expense be charged to?',
    });
    expect(Date.parse(expires)).toBe(1_800_000_000_000 + 86_400_000);
    expect(question).toEqual({
      questionId: `q-${taskId.slice(0, 16)}-1`,
      name: 'cost-centre',
      answerSchema: {
        type: 'object',
        required: ['costCentre'],
        properties: { costCentre: { type: 'string', pattern: '^CC-[0-9]{4}$' } },
      },
      options: ['CC-4410', 'CC-4420'],
      attempt: 1,
      maxAttempts: 3,
    });
  });

  it('of a task that was there: what comes after the registration', async () => {
    const { send, register, settle, told, deps } = pushWorld();
    const { id } = await send(request);
    await settle();
    await register(id);
    await settle();
    expect(told()).toEqual([]);
    await send(answerTo(await getTask(deps, alice, { id }), { costCentre: 'CC-4410' }));
    await settle();
    expect(told()).toEqual(['4 WORKING', '5 artifact expense', '6 COMPLETED']);
  });

  it('with an answer that brings the config: the answer is told of', async () => {
    const { send, settle, told, deps } = pushWorld();
    const { id } = await send(request);
    await settle();
    const answer = answerTo(await getTask(deps, alice, { id }), { costCentre: 'CC-4410' });
    await send(answer, { url: HOOK });
    await settle();
    expect(told()).toEqual(['4 WORKING', '5 artifact expense', '6 COMPLETED']);
    await send(answer, { url: HOOK });
    await settle();
    expect(told()).toHaveLength(3);
  });

  it('nothing that happened while it was being registered is missed', async () => {
    const { send, register, settle, turns, told, deps } = pushWorld();
    const { id } = await send(request);
    let once = false;
    deps.store.before = async (op) => {
      if (op !== 'save' || once) return;
      once = true;
      await turns();
    };
    await register(id);
    await settle();
    expect(told()).toEqual(['2 WORKING', '3 INPUT_REQUIRED']);
  });

  it('nor is it when the first poke is lost: the sweeper looks (invariant 3)', async () => {
    const { send, register, settle, turns, sweep, told, push, deps } = pushWorld();
    const { id } = await send(request);
    let once = false;
    deps.store.before = async (op) => {
      if (op !== 'save' || once) return;
      once = true;
      await turns();
    };
    push.queue.failures = 1;
    await register(id);
    await settle();
    expect(told()).toEqual([]);
    await deps.clock.advance(120_000);
    await sweep();
    await settle();
    expect(told()).toEqual(['2 WORKING', '3 INPUT_REQUIRED']);
  });

  it('of a message that was refused: nothing, and a repeated first message registers once (R82)', async () => {
    const { send, settle, told, push } = pushWorld();
    const [a, b] = await Promise.all([send(request, { url: HOOK }), send(request, { url: HOOK })]);
    expect(a.id).toBe(b.id);
    await send(request, { url: HOOK });
    await settle();
    expect(told()).toEqual(['1 SUBMITTED', '2 WORKING', '3 INPUT_REQUIRED']);
    expect(push.store.dump().split('\n')).toHaveLength(1);
  });

  it('a repeat of a first message that brings a config registers it', async () => {
    const { send, settle, told, deps } = pushWorld();
    const { id } = await send(request);
    await settle();
    await deps.clock.advance(1_000);
    await send(request, { url: HOOK });
    await cancelTask(deps, alice, { id });
    await settle();
    expect(told()).toEqual(['4 CANCELED']);
  });

  it('nothing after it was deleted, also when a sender is at work (3.1.10)', async () => {
    const { send, settle, told, deps, push, config } = pushWorld();
    const { id: taskId } = await send(request, { id: 'w', url: HOOK });
    push.webhooks.answer = async () => {
      await deletePushConfig(deps, alice, { taskId, id: 'w' });
      return { ok: true };
    };
    await settle();
    expect(told()).toEqual(['1 SUBMITTED']);
    expect(config('w')).toBeUndefined();
    expect(deps.store.peek(taskId)?.push).toBeUndefined();
  });

  it('of an ended task: nothing more, and the config can still be read', async () => {
    const { send, register, settle, told, deps } = pushWorld();
    const { id: taskId } = await send(request);
    await cancelTask(deps, alice, { id: taskId });
    const { id } = await register(taskId);
    await settle();
    expect(told()).toEqual([]);
    expect(await getPushConfig(deps, alice, { taskId, id })).toMatchObject({ url: HOOK });
  });
});

describe('a receiver that registered in A2A 0.3', () => {
  it('is told the task as it is now, in 0.3, once for what came together', async () => {
    const { send, settle, push, deps } = pushWorld();
    const { id } = await send(request, { url: HOOK, protocol: '0.3', token: 'tok-1' });
    await settle();
    await send(answerTo(await getTask(deps, alice, { id }), { costCentre: 'CC-4410' }));
    await settle();
    const bodies = push.webhooks.posts.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
    expect(bodies.map(({ kind, id: taskId, status }) => [kind, taskId, (status as { state: string }).state])).toEqual([
      ['task', id, 'input-required'],
      ['task', id, 'completed'],
    ]);
    expect(push.webhooks.posts[0]?.headers).toMatchObject({
      'Content-Type': 'application/json',
      'X-A2A-Notification-Token': 'tok-1',
    });
  });
});

describe('R45: secrets', () => {
  it('are stored encrypted, bound to their place, and stand in no log', async () => {
    const { send, settle, push, deps, config } = pushWorld();
    push.webhooks.answer = () => ({ ok: false, why: 'answered 500' });
    await send(request, { id: 'w', url: HOOK, ...SECRETS });
    await settle();
    const everything = [push.store.dump(), deps.store.dump(), JSON.stringify([deps.log.lines, push.queue.sent])].join();
    for (const secret of ['tok-4711', 'cred-0815']) expect(everything).not.toContain(secret);
    expect(JSON.stringify(deps.log.lines)).not.toContain(HOOK);
    const head = deps.store.heads()[0]!;
    const sealed = config('w')?.sealed ?? '';
    expect(await deps.cipher.open(sealed, `${head.taskId}/push/w`)).toBe(
      '{"token":"tok-4711","credentials":"cred-0815"}',
    );
    await expect(deps.cipher.open(sealed, `${head.taskId}/push/x`)).rejects.toThrow();
  });

  it('that cannot be read any more count as a failed delivery, and nothing is sent without them', async () => {
    const { send, settle, push, deps, config } = pushWorld();
    await send(request, { id: 'w', url: HOOK, ...SECRETS });
    deps.cipher.open = () => Promise.reject(new Error('other key'));
    await settle();
    expect(push.webhooks.posts).toEqual([]);
    expect(config('w')?.failing).toMatchObject({ attempts: 1, why: 'its secrets cannot be read' });
  });

  it('whose key cannot be had just now say nothing about the receiver: the poke comes again', async () => {
    const { send, settle, push, deps, config } = pushWorld();
    await send(request, { id: 'w', url: HOOK, ...SECRETS });
    deps.cipher.open = () => Promise.reject(new RetryableError('STORE_UNAVAILABLE', 'the secret key cannot be read'));
    await expect(settle()).rejects.toThrow('the secret key cannot be read');
    expect(push.webhooks.posts).toEqual([]);
    expect(config('w')?.failing).toBeUndefined();
  });
});

describe('budgets (design section 13)', () => {
  it('a task that nobody registered for costs no call more', async () => {
    const { send, turns, push } = pushWorld();
    const touched: string[] = [];
    push.store.before = (op) => void touched.push(op);
    await send(request);
    await turns();
    expect(touched).toEqual([]);
    expect(push.queue.sent).toEqual([]);
  });

  it('one event to one receiver: 2 reads of the head, 1 read and 2 writes of the config', async () => {
    const { send, register, settle, pokes, push, deps } = pushWorld();
    const { id } = await send(request);
    await settle();
    await register(id, SECRETS);
    await settle();
    await cancelTask(deps, alice, { id });
    deps.store.calls.length = 0;
    const calls: string[] = [];
    push.store.before = (op) => void calls.push(op);
    await pokes();
    expect(deps.store.calls.map(({ op }) => op)).toEqual(['load', 'load']);
    expect(calls).toEqual(['get', 'put', 'put', 'get']);
  });
});
