/** What callers do to a task: answer, decline, answer wrongly, send a message unasked, cancel. */
import { limits } from '../limits.ts';
import { reaskQuestion } from '../question/open-question.ts';
import type { AskRecord, OpenAsk, TaskHead } from '../task.ts';
import type { Of, Rejection, Transition } from './command.ts';
import {
  appendMessage,
  closeWait,
  type Draft,
  draftOf,
  keep,
  moveTo,
  remember,
  request,
  set,
  statusText,
} from './draft.ts';
import { finish } from './finish.ts';
import { releaseHolds } from './holds.ts';
import { done } from './move-out.ts';

/** Why this question cannot be answered now; undefined: it can. The stored expiry and the clock decide (invariant 7). */
function closedTo(head: TaskHead, questionId: string, nowMs: number): Rejection | undefined {
  if (!head.ask) return 'not-asking';
  if (head.ask.questionId !== questionId) return 'question-closed';
  if (head.ask.expiresAtMs <= nowMs) return 'overdue';
  return tooMany(head);
}

function tooMany(head: TaskHead): Rejection | undefined {
  return head.used.messages >= limits.messagesPerTask ? 'too-many-messages' : undefined;
}

export function answer(head: TaskHead, command: Of<'answer'>, nowMs: number): Transition {
  const closed = closedTo(head, command.questionId, nowMs);
  if (closed) return { ok: false, rejection: closed };
  const draft = draftOf(head, nowMs);
  const { accepted, secret } = command;
  if (secret) {
    draft.children.push({ kind: 'secret', ...secret });
    set(draft, { secrets: true });
  }
  resume(draft, head.ask as OpenAsk, {
    outcome: 'answered',
    messageId: command.message.messageId,
    ...('value' in accepted ? { value: keep(draft, accepted.value) } : { text: keep(draft, accepted.text) }),
    ...(secret ? { secret: secret.id } : {}),
  });
  remember(draft, command.mark);
  moveTo(draft, 'TASK_STATE_WORKING', { received: command.message });
  draft.effects.push({ kind: 'count', metric: 'QuestionsAnswered' });
  draft.effects.push({ kind: 'measure', metric: 'TimeToAnswer', ms: Math.max(0, nowMs - head.status.atMs) });
  return done(draft);
}

export function decline(head: TaskHead, command: Of<'decline'>, nowMs: number): Transition {
  const closed = closedTo(head, command.questionId, nowMs);
  if (closed) return { ok: false, rejection: closed };
  const draft = draftOf(head, nowMs);
  // What was kept for the answer is not kept for longer.
  releaseHolds(draft, 'question');
  resume(draft, head.ask as OpenAsk, {
    outcome: 'declined',
    messageId: command.message.messageId,
    ...(command.reason === undefined ? {} : { declineReason: command.reason }),
  });
  remember(draft, command.mark);
  moveTo(draft, 'TASK_STATE_WORKING', { received: command.message });
  draft.effects.push({ kind: 'count', metric: 'QuestionsDeclined' });
  return done(draft);
}

/**
 * Records the outcome of the open ask and owes the next turn. Timers are only marked as stale: the turn deletes them
 * after its own first write, so that accepting an answer stays one write and one send.
 */
export function resume(draft: Draft, ask: OpenAsk, outcome: Pick<AskRecord, 'outcome'> & Partial<AskRecord>): void {
  const { head } = draft;
  const { call, name, ...open } = ask;
  const record: AskRecord = {
    kind: 'ask',
    call,
    name,
    open,
    questionSeq: head.status.seq,
    ...outcome,
  };
  set(draft, { calls: [...head.calls, record], staleTimers: [...head.staleTimers, ask.ask] });
  closeWait(draft);
  request(draft, head.turn.n + 1, 0);
}

export function refuseAnswer(head: TaskHead, command: Of<'refuse-answer'>, nowMs: number): Transition {
  const closed = closedTo(head, command.questionId, nowMs);
  if (closed) return { ok: false, rejection: closed };
  const draft = draftOf(head, nowMs);
  remember(draft, command.mark);
  appendMessage(draft, command.message);
  askAgain(draft, head.ask as OpenAsk, command);
  return done(draft);
}

/** A re-ask, or the end of the task when the attempts are used up (S16). */
export function askAgain(
  draft: Draft,
  open: OpenAsk,
  refusal: Pick<Of<'refuse-answer'>, 'question' | 'errors' | 'prefill'>,
): void {
  if (open.attempt >= open.maxAttempts) {
    const wrong = refusal.errors.map((error) => (error.pointer ? `${error.pointer}: ${error.message}` : error.message));
    const text = `The task failed: no valid answer to "${open.name}" in ${open.maxAttempts} attempts (${wrong.join('; ')}).`;
    finish(
      draft,
      'TASK_STATE_FAILED',
      statusText(draft.head, text, { reason: 'NO_VALID_ANSWER', question: open.questionId }),
    );
    return;
  }
  const { head } = draft;
  const question = head.used.questions + 1;
  const reopened = reaskQuestion(
    {
      open,
      message: refusal.question,
      errors: refusal.errors,
      ...(refusal.prefill ? { prefill: refusal.prefill } : {}),
      question,
    },
    {
      taskId: head.taskId,
      contextId: head.contextId,
      call: open.call,
      ask: open.ask,
      question,
      nowMs: draft.nowMs,
    },
  );
  set(draft, { ask: reopened.ask, used: { ...head.used, questions: question } });
  moveTo(draft, 'TASK_STATE_INPUT_REQUIRED', { message: reopened.message });
  draft.effects.push({ kind: 'count', metric: 'QuestionsReasked' });
}

export function receive(head: TaskHead, command: Of<'receive'>, nowMs: number): Transition {
  const many = tooMany(head);
  if (many) return { ok: false, rejection: many };
  if (head.unread.length >= limits.inboxMessages) return { ok: false, rejection: 'inbox-full' };
  const draft = draftOf(head, nowMs);
  remember(draft, command.mark);
  const seq = appendMessage(draft, command.message);
  set(draft, { unread: [...draft.head.unread, seq] });
  return done(draft);
}

export function cancel(head: TaskHead, nowMs: number): Transition {
  const open = head.ask ?? head.auth;
  if (open && open.expiresAtMs <= nowMs) return { ok: false, rejection: 'overdue' };
  const draft = draftOf(head, nowMs);
  finish(draft, 'TASK_STATE_CANCELED');
  return done(draft);
}
