/** What a message came to whose task changed while it was being read (design, section 6; invariant 6). */
import { expect, it } from 'vitest';
import { authMention } from '../../../core/auth-request.ts';
import { answerAuth } from '../../../core/operations/answer-auth.ts';
import { answerQuestion } from '../../../core/operations/answer-question.ts';
import { getTask } from '../../../core/operations/get-task.ts';
import type { TaskHead } from '../../../core/task.ts';
import { world as authWorld } from './auth-world.ts';
import { alice, answerTo, request, world } from './world.ts';

it('an answer to a question whose time passes just then expires it, and is to be looked at anew', async () => {
  const { deps, send, deliver } = world();
  const { id } = await send(request);
  await deliver();
  const answer = answerTo(await getTask(deps, alice, { id }), { costCentre: 'CC-4420' });
  const asking = deps.store.peek(id) as TaskHead;
  await deps.clock.advanceTo(asking.ask?.expiresAtMs as number);
  const looked = await answerQuestion(deps, asking, { ...answer, role: 'ROLE_USER' });
  expect(looked).toMatchObject({ decided: false, head: { status: { state: 'TASK_STATE_FAILED' } } });
  expect(deps.store.peek(id)?.status.state).toBe('TASK_STATE_FAILED');
});

it('a decline of an authorisation whose time passes just then is no decline of it', async () => {
  const { deps, waiting } = authWorld();
  const { id, place } = await waiting();
  const before = deps.store.peek(id) as TaskHead;
  await deps.clock.advanceTo(before.auth?.expiresAtMs as number);
  const message = {
    messageId: 'm-2',
    role: 'ROLE_USER' as const,
    taskId: id,
    parts: [{ data: { authId: place.id, decline: {} } }],
  };
  const mention = authMention(id, message);
  if (!mention) throw new Error('the message names no authorisation');
  const looked = await answerAuth(deps, before, message, mention);
  expect(looked).toMatchObject({ decided: false, head: { status: { state: 'TASK_STATE_FAILED' } } });
  expect(deps.store.peek(id)?.status.state).toBe('TASK_STATE_FAILED');
});
