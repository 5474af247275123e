/** What time does to a task: one due thing at a time, decided by the head and the clock alone. */
import { limits } from '../limits.ts';
import { isTerminal } from '../message.ts';
import type { OpenAsk, TaskHead } from '../task.ts';
import { resume } from './caller.ts';
import type { Transition } from './command.ts';
import { done, type Draft, draftOf, finish, keep, moveTo, request, set, statusText } from './draft.ts';
import { retryOrFail } from './turn.ts';

/** Retention is not here: what is to be deleted has no next head (operations/do-due.ts). */
export function doDue(head: TaskHead, nowMs: number): Transition {
  if (isTerminal(head.status.state) || head.dueMs > nowMs) return { ok: false, rejection: 'not-due' };
  const draft = draftOf(head, nowMs);
  const { turn } = head;
  switch (turn.phase) {
    case 'idle':
      if (!head.ask) return { ok: false, rejection: 'not-due' };
      expire(draft, head.ask);
      break;
    case 'running':
      draft.effects.push({ kind: 'count', metric: 'LeasesTakenOver' });
      retryOrFail(draft, false, `${head.taskId}-${turn.n}`);
      break;
    case 'parked':
      request(draft, turn.n, turn.attempts);
      break;
    case 'requested': {
      // Doubling keeps a backlog from being fed twice by every sweep.
      const intervalMs = Math.min((turn.dispatch?.intervalMs ?? limits.redispatchMs) * 2, limits.redispatchMaxMs);
      request(draft, turn.n, turn.attempts);
      set(draft, { turn: { ...draft.head.turn, dispatch: { dueMs: nowMs + intervalMs, intervalMs } } });
      break;
    }
    default:
      return unreachable(turn.phase);
  }
  return done(draft);
}

/** Expired is never shown as an answer of anybody's (R50, R92): a default is recorded as defaulted. */
function expire(draft: Draft, ask: OpenAsk): void {
  draft.effects.push({ kind: 'count', metric: 'QuestionsExpired' });
  const { onExpire } = ask;
  switch (onExpire.then) {
    case 'resume':
      resume(draft, ask, { outcome: 'expired' });
      return moveTo(draft, 'TASK_STATE_WORKING');
    case 'default':
      resume(draft, ask, { outcome: 'defaulted', value: keep(draft, onExpire.value) });
      return moveTo(draft, 'TASK_STATE_WORKING');
    case 'fail':
    case 'cancel': {
      const text = `No answer to "${ask.name}" arrived before it expired at ${new Date(ask.expiresAtMs).toISOString()}.`;
      const message = statusText(draft.head, text, { reason: 'QUESTION_EXPIRED', question: ask.questionId });
      return finish(draft, onExpire.then === 'fail' ? 'TASK_STATE_FAILED' : 'TASK_STATE_CANCELED', message);
    }
    default:
      return unreachable(onExpire);
  }
}

function unreachable(value: never): never {
  throw new Error(`unknown: ${JSON.stringify(value)}`);
}
