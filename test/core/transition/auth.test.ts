/** What an authorisation writes, in literal values (design section 12; S33). */
import { describe, expect, it } from 'vitest';
import { transition } from '../../../core/transition/transition.ts';
import {
  authId,
  authRequired,
  COMMANDS,
  claimOf,
  moved,
  must,
  requireAuth,
  START_MS,
  TASK_ID,
  TOKEN,
  working,
} from './fixtures.ts';

const DAY_MS = 86_400_000;
const EXPIRES_MS = START_MS + 1_000 + DAY_MS;
const granted = moved(authRequired, COMMANDS.grant, START_MS + 2_000);
const claimed = moved(granted, claimOf(2), START_MS + 3_000);
const use = { type: 'use-auth', token: TOKEN, call: 1, result: { ok: { event: 'E-1' } } } as const;

describe('require-auth', () => {
  const result = must(transition(working, requireAuth, START_MS + 1_000));

  it('has the task wait without a worker, with an expiry, in one write', () => {
    expect(result.head.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
    expect(result.head.turn).toEqual({ n: 1, phase: 'idle', attempts: 0 });
    expect(result.head.auth).toEqual({
      call: 1,
      name: 'calendar',
      ask: 1,
      authId: 'a-abcdefghijklmnop-1',
      expiresAtMs: EXPIRES_MS,
      onExpire: 'fail',
    });
    expect(result.head.dueMs).toBe(EXPIRES_MS);
    expect(result.effects).toEqual([
      { kind: 'set-timer', taskId: TASK_ID, ask: 1, timer: 'expire', atMs: EXPIRES_MS },
      { kind: 'count', metric: 'AuthsRequired' },
    ]);
  });

  it('says what is needed, to whom and until when, in its status message', () => {
    expect(result.head.log.at(-1)).toMatchObject({
      generation: 3,
      state: 'TASK_STATE_AUTH_REQUIRED',
      message: {
        value: {
          messageId: 'a-abcdefghijklmnop-1',
          role: 'ROLE_AGENT',
          parts: [
            { text: 'Sign in, so that the trip can be put into your calendar.' },
            {
              data: {
                authId: 'a-abcdefghijklmnop-1',
                expires: '2026-12-01T12:00:01.000Z',
                callbackUrl: requireAuth.callbackUrl,
                request: { scope: 'write' },
              },
              mediaType: 'application/json',
            },
          ],
          extensions: ['https://askback.dev/a2a/extensions/question/v1'],
        },
      },
    });
  });

  it.each([
    [{ text: ' ' }, 'requireAuth "calendar": text must say what is needed and why'],
    [{ request: 'x'.repeat(4_096) }, 'requireAuth "calendar": request: expected at most 4096 bytes of JSON'],
    [{ expiresInMs: 999 }, 'requireAuth "calendar": expiresIn must be from 1 seconds to 30 days'],
    [{ expiresInMs: 30 * DAY_MS + 1 }, 'requireAuth "calendar": expiresIn must be from 1 seconds to 30 days'],
  ])('tells the author what is wrong: %j', (wrong, text) => {
    const spec = { ...requireAuth.spec, ...wrong };
    expect(() => transition(working, { ...requireAuth, spec }, START_MS)).toThrow(text);
  });

  it('is never open longer than its bound', () => {
    const spec = { ...requireAuth.spec, expiresByMs: START_MS + 60_000 };
    expect(moved(working, { ...requireAuth, spec }).auth?.expiresAtMs).toBe(START_MS + 60_000);
  });

  it('counts among the questions of a task, of which there are 100', () => {
    const full = { ...working, used: { ...working.used, asks: 100 } };
    expect(() => transition(full, requireAuth, START_MS)).toThrow('a task may ask at most 100 questions');
  });
});

describe('grant', () => {
  it('is taken once, and says nothing: no message, no entry in the history', () => {
    expect(granted).toMatchObject({
      status: { state: 'TASK_STATE_WORKING' },
      turn: { n: 2, phase: 'requested' },
      secrets: true,
      staleTimers: [1],
      calls: [{ kind: 'auth', call: 1, name: 'calendar', ask: 1, authId, outcome: 'granted', secret: 'secret-1' }],
    });
    expect(granted).not.toHaveProperty('auth');
    expect(granted.log.at(-1)).toEqual({ seq: 4, atMs: START_MS + 2_000, generation: 4, state: 'TASK_STATE_WORKING' });
    expect(transition(granted, COMMANDS.grant, START_MS + 2_000)).toEqual({ ok: false, rejection: 'auth-closed' });
  });

  it('puts the credential into an item of its own and not into the head', () => {
    const { children, head } = must(transition(authRequired, COMMANDS.grant, START_MS + 2_000));
    expect(children).toEqual([{ kind: 'secret', id: 'secret-1', sealed: 'sealed' }]);
    expect(JSON.stringify(head)).not.toContain('sealed');
  });

  it('is refused for another authorisation, and when the expiry has come (invariants 6 and 7)', () => {
    const other = { ...COMMANDS.grant, authId: 'a-abcdefghijklmnop-2' };
    expect(transition(authRequired, other, START_MS)).toEqual({ ok: false, rejection: 'auth-closed' });
    expect(transition(authRequired, COMMANDS.grant, EXPIRES_MS)).toEqual({ ok: false, rejection: 'overdue' });
    expect(transition(authRequired, COMMANDS.grant, EXPIRES_MS - 1).ok).toBe(true);
  });
});

describe('what the code makes of a credential', () => {
  const used = must(transition(claimed, use, START_MS + 4_000));

  it('is recorded in the head, and the credential is deleted', () => {
    expect(used.head.calls).toMatchObject([{ kind: 'auth', call: 1, result: { ok: { value: { event: 'E-1' } } } }]);
    expect(used.effects).toContainEqual({ kind: 'drop-secret', taskId: TASK_ID, id: 'secret-1' });
  });

  it('deletes it once more with the next write, for the first deletion may have been lost', () => {
    const next = must(transition(used.head, { ...COMMANDS.ask, call: 2 }, START_MS + 5_000));
    expect(next.effects).toContainEqual({ kind: 'drop-secret', taskId: TASK_ID, id: 'secret-1' });
    expect(next.head.calls[0]).not.toHaveProperty('secret');
  });

  it('is taken once: whoever comes back from the dead finds it used', () => {
    expect(() => transition(used.head, use, START_MS + 5_000)).toThrow('was granted and not used');
  });

  it('keeps a credential that waits for its use in the head, whatever else is moved out', () => {
    const full = Array.from(
      { length: 6 },
      (_, n) => ({ kind: 'artifact', call: n + 2, name: 'x'.repeat(900) }) as const,
    );
    const crowded = { ...claimed, calls: [...claimed.calls, ...full] };
    const after = must(transition(crowded, { type: 'emit', token: TOKEN, events: [] }, START_MS + 4_000));
    expect(after.head.calls[0]).toMatchObject({ kind: 'auth', secret: 'secret-1' });
    expect(after.children).not.toEqual([]);
  });
});

describe('without a credential', () => {
  it('a decline goes on and is recorded as one', () => {
    const declined = moved(authRequired, { ...COMMANDS['decline-auth'], reason: 'not my calendar' }, START_MS + 2_000);
    expect(declined.calls).toMatchObject([{ kind: 'auth', outcome: 'declined', declineReason: 'not my calendar' }]);
    expect(declined.log.at(-1)).toMatchObject({ received: { value: { messageId: 'm-6' } } });
  });

  it('its expiry fails the task with a clear reason, and cancels it where the author says so', () => {
    const failed = moved(authRequired, { type: 'do-due' }, EXPIRES_MS);
    expect(failed.status.state).toBe('TASK_STATE_FAILED');
    expect(failed.log.at(-1)?.message).toMatchObject({
      value: {
        parts: [{ text: 'No authorisation for "calendar" arrived before it expired at 2026-12-01T12:00:01.000Z.' }],
        metadata: { 'https://askback.dev/a2a/extensions/question/v1': { reason: 'AUTH_EXPIRED', authId } },
      },
    });
    const spec = { ...requireAuth.spec, onExpire: 'cancel' } as const;
    const canceled = moved(moved(working, { ...requireAuth, spec }), { type: 'do-due' }, EXPIRES_MS);
    expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
  });

  it('with "resume" the code is told, and so is the history', () => {
    const spec = { ...requireAuth.spec, onExpire: 'resume' } as const;
    const told = moved(moved(working, { ...requireAuth, spec }), { type: 'do-due' }, EXPIRES_MS);
    expect(told).toMatchObject({
      status: { state: 'TASK_STATE_WORKING' },
      turn: { n: 2, phase: 'requested' },
      calls: [{ kind: 'auth', outcome: 'expired' }],
    });
    expect(told.log.at(-1)?.message).toMatchObject({
      value: { metadata: { 'https://askback.dev/a2a/extensions/question/v1': { reason: 'AUTH_EXPIRED_RESUMED' } } },
    });
  });

  it('a decline and an expiry release what was held, in the same write; a grant does not', () => {
    const seat = { call: 9, n: 1, name: 'seat', state: 'held', untilMs: EXPIRES_MS + 60_000 } as const;
    const holding = {
      ...moved(working, { ...requireAuth, spec: { ...requireAuth.spec, onExpire: 'resume' } }),
      holds: [seat],
    };
    expect(moved(holding, COMMANDS.grant, START_MS + 2_000).holds).toEqual([seat]);
    const releasing = [{ name: 'seat', state: 'releasing', undo: { why: 'question' } }];
    expect(moved(holding, COMMANDS['decline-auth'], START_MS + 2_000).holds).toMatchObject(releasing);
    expect(moved(holding, { type: 'do-due' }, EXPIRES_MS).holds).toMatchObject(releasing);
  });

  it('a cancel takes the timer and whatever secret there is with it', () => {
    const { head, effects } = must(transition(authRequired, { type: 'cancel' }, START_MS + 2_000));
    expect(head).not.toHaveProperty('auth');
    expect(effects).toEqual([
      { kind: 'delete-timer', taskId: TASK_ID, ask: 1, timer: 'expire' },
      { kind: 'drop-secrets', taskId: TASK_ID },
    ]);
    expect(transition(authRequired, { type: 'cancel' }, EXPIRES_MS)).toEqual({ ok: false, rejection: 'overdue' });
  });
});
