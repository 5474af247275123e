/** A sub-agent in auth-required: required of this task's own caller, handed on, never recorded (design 12). */
import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent/define-agent.ts';
import type { DelegateOptions } from '../../agent/delegate.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { FakeTask, type Left } from './fake-host.ts';
import { FakeSubAgent } from './fake-sub-agent.ts';
import { PLAIN_CARD } from '../support/plain-card.ts';

const START_MS = 1_800_000_000_000;
const CALLBACK = 'https://expenses.example/callbacks/auth/t/a-1/token';

function play(options: Partial<DelegateOptions> = { restateAuth: () => ({ text: 'Please sign in to the bank.' }) }) {
  const task = new FakeTask();
  task.nowMs = START_MS;
  const sub = new FakeSubAgent();
  const errors: unknown[] = [];
  const agent = defineAgent({
    card: PLAIN_CARD,
    agents: { expenses: sub },
    run: async (turn) => {
      try {
        await turn.delegate('filing', { agent: 'expenses', message: 'File it', ...options });
      } catch (error) {
        errors.push(error);
      }
    },
  });
  return { task, sub, errors, turn: (): Promise<Left> => task.turn(agent) };
}

function requires(sub: FakeSubAgent, data: JsonObject = { authId: 'a-1', callbackUrl: CALLBACK }): void {
  const parts = [{ text: 'Bank db-7 wants a token' }, { data, mediaType: 'application/json' }];
  sub.set(sub.id, 'TASK_STATE_AUTH_REQUIRED', { messageId: 'a-1', role: 'ROLE_AGENT', parts });
}

describe('an authorisation that a sub-agent asks for', () => {
  it('is required of the caller in this agent’s words, and the credential handed on to the sub-agent', async () => {
    const { task, sub, turn } = play();
    await turn();
    requires(sub);
    expect(await turn()).toMatchObject({ left: 'required', spec: { text: 'Please sign in to the bank.' } });
    task.grant({ token: 'secret-1' });
    sub.set(sub.id, 'TASK_STATE_WORKING');
    expect(await turn()).toMatchObject({ left: 'parked' });
    expect(sub.authorized).toEqual([{ url: CALLBACK, credential: { token: 'secret-1' } }]);
    expect(JSON.stringify([...task.records])).not.toContain('secret-1');
    expect(JSON.stringify(sub.taken)).not.toContain('secret-1');
    await turn();
    expect(sub.authorized).toHaveLength(1);
  });

  it('ends before the sub-agent’s own, by the same margin as a question', async () => {
    const { sub, turn } = play();
    await turn();
    requires(sub, { authId: 'a-1', callbackUrl: CALLBACK, expires: new Date(START_MS + 600_000).toISOString() });
    expect(await turn()).toMatchObject({ spec: { expiresByMs: START_MS + 540_000 } });
  });

  it.each<[string, Json, Json | undefined]>([
    ['a little', { scopes: ['read'] }, { scopes: ['read'] }],
    ['more than an author may say', { scopes: ['x'.repeat(4_096)] }, undefined],
  ])('that says %s of what it needs can be handed on as it is: nobody fails by it', async (_what, request, handed) => {
    const { sub, turn } = play({ restateAuth: (asked) => ({ text: 'Sign in.', request: asked.request }) });
    await turn();
    requires(sub, { authId: 'a-1', callbackUrl: CALLBACK, request });
    const left = await turn();
    expect(left).toMatchObject({ left: 'required' });
    expect((left as { readonly spec: { readonly request?: Json } }).spec.request).toEqual(handed);
  });

  it('is not relayed where the author has no words for it: the sub-task is canceled', async () => {
    const { task, sub, errors, turn } = play({});
    await turn();
    requires(sub);
    expect(await turn()).toEqual({ left: 'returned' });
    expect(errors).toMatchObject([{ name: 'DelegateError', reason: 'it asks for an authorisation' }]);
    expect(task.closed).toEqual(['cancel 1']);
  });

  it('without an address of ours only means: look again', async () => {
    const { task, sub, turn } = play();
    await turn();
    sub.says('TASK_STATE_AUTH_REQUIRED', 'Go to https://bank.example');
    await turn();
    task.grant('done');
    expect(await turn()).toMatchObject({ left: 'parked' });
    expect(sub.authorized).toEqual([]);
    sub.completes({});
    expect(await turn()).toEqual({ left: 'returned' });
  });

  it('that is declined is declined below', async () => {
    const { task, sub, turn } = play();
    await turn();
    requires(sub);
    await turn();
    sub.onAnswer = () => sub.says('TASK_STATE_REJECTED', 'Declined.');
    task.declineAuth('not my bank');
    await turn();
    expect(sub.taken.at(-1)?.parts).toEqual([
      { data: { authId: 'a-1', decline: { reason: 'not my bank' } }, mediaType: 'application/json' },
    ]);
  });

  it('is not lost where the sub-agent is away: the attempt fails, and the next one hands it on', async () => {
    const { task, sub, errors, turn } = play();
    await turn();
    requires(sub);
    await turn();
    task.grant({ token: 'secret-1' });
    sub.faults = [1, 2, 3].map(() => ({ retryable: true, message: 'down, and had secret-1' }));
    const { error } = (await turn()) as { readonly error: Error };
    // It is logged.
    expect([error.name, error.message, error.cause]).toEqual([
      'AttemptFailed',
      'the credential could not be handed on: down, and had [credential]',
      undefined,
    ]);
    expect(errors).toEqual([]);
    sub.set(sub.id, 'TASK_STATE_WORKING');
    expect(await turn()).toMatchObject({ left: 'parked' });
    expect(sub.authorized).toEqual([{ url: CALLBACK, credential: { token: 'secret-1' } }]);
  });

  it('that came too late leads to another look', async () => {
    const { task, sub, errors, turn } = play();
    await turn();
    requires(sub);
    await turn();
    task.grant('late');
    sub.faults = [{ retryable: false, message: 'gone: late' }];
    sub.says('TASK_STATE_FAILED', 'expired');
    await turn();
    expect(JSON.stringify([...task.records])).toContain('gone: [credential]');
    expect(errors).toMatchObject([{ state: 'TASK_STATE_FAILED' }]);
  });

  it('restated with what is no part of it is a fault of the author', async () => {
    const restateAuth = () => ({ text: 'Please let finance file it.', scope: 'file' });
    const { sub, turn } = play({ restateAuth });
    await turn();
    sub.says('TASK_STATE_AUTH_REQUIRED', 'Log in.');
    expect(await turn()).toMatchObject({
      left: 'threw',
      error: { reason: 'BAD_CALL', message: 'delegate "filing": restateAuth: "scope" is not an option' },
    });
  });
});
