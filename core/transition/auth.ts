/**
 * What becomes of an authorisation that a task waits for: it is required, granted (once), declined by its caller, or
 * expires; and the code makes a result of the credential. The head knows that there is a credential, never which.
 */
import { type AuthRecord, authIdOf, type OpenAuth, openAuth } from '../auth-request.ts';
import { AgentFault } from '../errors.ts';
import { limits } from '../limits.ts';
import type { CallRecord, TaskHead } from '../task.ts';
import { unreachable } from '../unreachable.ts';
import type { Of, Rejection, Transition } from './command.ts';
import {
  closeWait,
  type Draft,
  draftOf,
  emit,
  keep,
  moveTo,
  remember,
  request,
  rest,
  type StatusReason,
  set,
  statusText,
} from './draft.ts';
import { finish } from './finish.ts';
import { checkHolds, releaseHolds } from './holds.ts';
import { done, waitsForUse } from './move-out.ts';
import { setTimers } from './timers.ts';

export function requireAuth(draft: Draft, command: Of<'require-auth'>): void {
  emit(draft, command.events);
  const { head } = draft;
  if (head.used.asks >= limits.asksPerTask) {
    throw new AgentFault('LIMIT_EXCEEDED', `a task may ask at most ${limits.asksPerTask} questions`);
  }
  const ask = head.used.asks + 1;
  if (command.authId !== authIdOf(head.taskId, ask)) throw new Error(`${command.authId} is not the next authorisation`);
  const { auth, message } = openAuth(command.spec, {
    taskId: head.taskId,
    contextId: head.contextId,
    call: command.call,
    ask,
    nowMs: draft.nowMs,
    callbackUrl: command.callbackUrl,
  });
  checkHolds(draft, command.spec.name, auth.expiresAtMs);
  // From here on: who loses the race for the grant may leave its credential behind, whoever wins.
  set(draft, { auth, used: { ...head.used, asks: ask }, secrets: true });
  moveTo(draft, 'TASK_STATE_AUTH_REQUIRED', { message });
  rest(draft);
  draft.effects.push(...setTimers(head.taskId, auth, draft.nowMs));
  draft.effects.push({ kind: 'count', metric: 'AuthsRequired' });
}

/** Why nothing can be done about this authorisation now; undefined: it can. As for questions, the clock decides. */
function closedTo({ auth }: TaskHead, authId: string, nowMs: number): Rejection | undefined {
  if (auth?.authId !== authId) return 'auth-closed';
  return auth.expiresAtMs <= nowMs ? 'overdue' : undefined;
}

/** The state changes and nothing is said: neither history nor event tells what was granted. */
export function grant(head: TaskHead, command: Of<'grant'>, nowMs: number): Transition {
  const closed = closedTo(head, command.authId, nowMs);
  if (closed) return { ok: false, rejection: closed };
  const draft = draftOf(head, nowMs);
  const { secret } = command;
  draft.children.push({ kind: 'secret', ...secret });
  goOn(draft, head.auth as OpenAuth, { outcome: 'granted', secret: secret.id });
  moveTo(draft, 'TASK_STATE_WORKING');
  draft.effects.push({ kind: 'count', metric: 'AuthsGranted' });
  return done(draft);
}

export function declineAuth(head: TaskHead, command: Of<'decline-auth'>, nowMs: number): Transition {
  const closed = closedTo(head, command.authId, nowMs);
  if (closed) return { ok: false, rejection: closed };
  if (head.used.messages >= limits.messagesPerTask) return { ok: false, rejection: 'too-many-messages' };
  const draft = draftOf(head, nowMs);
  const { reason } = command;
  goOn(draft, head.auth as OpenAuth, {
    outcome: 'declined',
    ...(reason === undefined ? {} : { declineReason: reason }),
  });
  remember(draft, command.mark);
  moveTo(draft, 'TASK_STATE_WORKING', { received: command.message });
  draft.effects.push({ kind: 'count', metric: 'AuthsDeclined' });
  return done(draft);
}

/** Expired is never shown as declined (R50). */
export function expireAuth(draft: Draft, auth: OpenAuth): void {
  draft.effects.push({ kind: 'count', metric: 'AuthsExpired' });
  const what = `No authorisation for "${auth.name}" arrived before it expired at ${new Date(auth.expiresAtMs).toISOString()}.`;
  const told = (text: string, reason: StatusReason['reason']) =>
    statusText(draft.head, text, { reason, authId: auth.authId });
  switch (auth.onExpire) {
    case 'resume': {
      const message = told(`${what} The task goes on without one.`, 'AUTH_EXPIRED_RESUMED');
      goOn(draft, auth, { outcome: 'expired' });
      return moveTo(draft, 'TASK_STATE_WORKING', { message });
    }
    case 'fail':
      return finish(draft, 'TASK_STATE_FAILED', told(what, 'AUTH_EXPIRED'));
    case 'cancel':
      return finish(draft, 'TASK_STATE_CANCELED', told(what, 'AUTH_EXPIRED'));
    default:
      return unreachable('rule of expiry', auth.onExpire);
  }
}

/** Records the outcome and owes the next turn, which deletes the timer after its own first write. */
function goOn(draft: Draft, auth: OpenAuth, outcome: Pick<AuthRecord, 'outcome'> & Partial<AuthRecord>): void {
  const { head } = draft;
  const { call, name, ask, authId } = auth;
  const record: AuthRecord = { kind: 'auth', call, name, ask, authId, ...outcome };
  set(draft, { calls: [...head.calls, record], staleTimers: [...head.staleTimers, ask] });
  closeWait(draft);
  // As after a question: what was reserved for what is not to be goes in the same write.
  if (outcome.outcome !== 'granted') releaseHolds(draft, 'question');
  request(draft, head.turn.n + 1, 0);
}

/**
 * In the head, and so under the lease: what the code made of the credential is what every later turn gets, and the
 * credential goes.
 * @throws AgentFault BAD_CALL for a call that waits for no use of a credential
 */
export function useAuth(draft: Draft, command: Of<'use-auth'>): void {
  const record = grantedAuth(draft.head, command.call);
  const { result } = command;
  const used: AuthRecord = { ...record, result: 'ok' in result ? { ok: keep(draft, result.ok) } : result };
  set(draft, { calls: draft.head.calls.map((call) => (call === record ? used : call)) });
  dropSecret(draft, record);
}

/** @throws AgentFault BAD_CALL for a call that waits for no use of a credential */
export function grantedAuth({ calls }: TaskHead, call: number): AuthRecord {
  const record = calls.find((one): one is AuthRecord => one.call === call && waitsForUse(one));
  if (!record) throw new AgentFault('BAD_CALL', `call ${call} is not an authorisation that was granted and not used`);
  return record;
}

/** Deleted once more with the write after the one that used it: the first deletion may have died with its worker. */
export function dropSpentSecrets(draft: Draft): void {
  const { calls } = draft.head;
  if (!calls.some(isSpent)) return;
  for (const call of calls) if (isSpent(call)) dropSecret(draft, call);
  set(draft, { calls: calls.map((call) => (isSpent(call) ? withoutSecret(call) : call)) });
}

function isSpent(record: CallRecord): record is AuthRecord {
  return record.kind === 'auth' && record.result !== undefined && record.secret !== undefined;
}

function withoutSecret({ secret: _deleted, ...record }: AuthRecord): AuthRecord {
  return record;
}

function dropSecret(draft: Draft, { secret }: AuthRecord): void {
  if (secret !== undefined) draft.effects.push({ kind: 'drop-secret', taskId: draft.head.taskId, id: secret });
}
