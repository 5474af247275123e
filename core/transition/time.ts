/** What time does to a task: one due thing at a time, decided by the head and the clock alone. */
import { limits } from '../limits.ts';
import type { OpenAsk, TaskHead } from '../task.ts';
import { unreachable } from '../unreachable.ts';
import { expireAuth } from './auth.ts';
import { resume } from './caller.ts';
import type { Transition } from './command.ts';
import { append, type Draft, draftOf, keep, moveTo, request, type StatusReason, set, statusText } from './draft.ts';
import { type DueThing, nextDue } from './due-of.ts';
import { finish } from './finish.ts';
import { releaseHolds } from './holds.ts';
import { done } from './move-out.ts';
import { withoutPassed } from './timers.ts';
import { retryOrFail } from './turn.ts';
import { sendUndosAgain } from './undo.ts';

/** What operations do, because it is more than a next head (operations/do-due.ts). */
const OF_OPERATIONS: readonly DueThing[] = ['push-check', 'secrets', 'retention'];

export function doDue(head: TaskHead, nowMs: number): Transition {
  const due = nextDue(head, (what) => !OF_OPERATIONS.includes(what));
  if (!due || due.atMs > nowMs) return { ok: false, rejection: 'not-due' };
  const draft = draftOf(head, nowMs);
  const { turn } = head;
  switch (due.what) {
    case 'expiry':
    case 'reminder': {
      if (head.auth) {
        expireAuth(draft, head.auth);
        break;
      }
      const ask = head.ask as OpenAsk;
      // Nobody is reminded of what can no longer be answered.
      if (ask.expiresAtMs <= nowMs) expire(draft, ask);
      else remind(draft, ask);
      break;
    }
    case 'hold':
      releaseHolds(draft, 'time');
      break;
    case 'undo':
      sendUndosAgain(draft);
      break;
    case 'lease':
      draft.effects.push({ kind: 'count', metric: 'LeasesTakenOver' });
      retryOrFail(draft, false, `${head.taskId}-${turn.n}`);
      break;
    case 'parked':
      request(draft, turn.n, turn.attempts);
      break;
    case 'dispatch': {
      // Doubling keeps a backlog from being fed twice by every sweep.
      const intervalMs = Math.min((turn.dispatch?.intervalMs ?? limits.redispatchMs) * 2, limits.redispatchMaxMs);
      request(draft, turn.n, turn.attempts);
      set(draft, { turn: { ...draft.head.turn, dispatch: { dueMs: nowMs + intervalMs, intervalMs } } });
      break;
    }
    default:
      return { ok: false, rejection: 'not-due' };
  }
  return done(draft);
}

/** The SECRET items of an ended task have been deleted for the last time. */
export function secretsDropped(head: TaskHead, nowMs: number): Transition {
  if (!head.secrets) return { ok: false, rejection: 'unchanged' };
  const draft = draftOf(head, nowMs);
  set(draft, { secrets: false });
  return done(draft);
}

/**
 * An event of its own that repeats the open question; status and history stay as they are. Reminders whose time passed
 * together are one: nobody needs two at once.
 */
function remind(draft: Draft, ask: OpenAsk): void {
  set(draft, { ask: withoutPassed(ask, draft.nowMs) });
  append(draft, { state: 'TASK_STATE_INPUT_REQUIRED', reminds: draft.head.status.seq }, true);
  draft.effects.push({ kind: 'count', metric: 'RemindersSent' });
}

/** Expired is never shown as an answer of anybody's (R50, R92): a default is recorded as defaulted. */
function expire(draft: Draft, ask: OpenAsk): void {
  // What was kept for the answer is not kept for longer, whatever the task does without it.
  releaseHolds(draft, 'question');
  draft.effects.push({ kind: 'count', metric: 'QuestionsExpired' });
  const overdue = draft.nowMs - ask.expiresAtMs > limits.overdueGraceMs;
  if (overdue) draft.effects.push({ kind: 'count', metric: 'QuestionsOverdue' });
  const { onExpire } = ask;
  const what = `No answer to "${ask.name}" arrived before it expired at ${new Date(ask.expiresAtMs).toISOString()}.`;
  // The history would not tell otherwise why a question without an answer was followed by work.
  const told = (text: string, reason: StatusReason['reason']) =>
    statusText(draft.head, text, { reason, question: ask.questionId });
  switch (onExpire.then) {
    case 'resume': {
      const message = told(`${what} The task goes on without one.`, 'QUESTION_EXPIRED_RESUMED');
      resume(draft, ask, { outcome: 'expired' });
      return moveTo(draft, 'TASK_STATE_WORKING', { message });
    }
    case 'default': {
      const message = told(`${what} The task goes on with a default.`, 'QUESTION_DEFAULTED');
      resume(draft, ask, { outcome: 'defaulted', value: keep(draft, onExpire.value) });
      return moveTo(draft, 'TASK_STATE_WORKING', { message });
    }
    case 'fail':
    case 'cancel':
      return finish(
        draft,
        onExpire.then === 'fail' ? 'TASK_STATE_FAILED' : 'TASK_STATE_CANCELED',
        told(what, 'QUESTION_EXPIRED'),
      );
    default:
      return unreachable('rule of expiry', onExpire);
  }
}
