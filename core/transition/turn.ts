/** What the worker that holds the lease does: renew, emit, ask, ask again, read its inbox, end, yield, fail. */
import { AgentFault } from '../errors.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import { openQuestion } from '../question/open-question.ts';
import { pointerNames } from '../question/pointer.ts';
import type { AnswerError } from '../question/types.ts';
import type { AskRecord, TaskHead } from '../task.ts';
import { unreachable } from '../unreachable.ts';
import { dropSpentSecrets, requireAuth, useAuth } from './auth.ts';
import { askAgain } from './caller.ts';
import type { Of, Transition, TurnCommand } from './command.ts';
import { delegateMove } from './delegates.ts';
import { type Draft, draftOf, dropStaleTimers, emit, keep, moveTo, request, rest, set, statusText } from './draft.ts';
import { finish } from './finish.ts';
import { checkHolds, holdMove } from './holds.ts';
import { done, moveOut } from './move-out.ts';
import { deleteTimers, setTimers, withoutPassed } from './timers.ts';

/** Moves that need the lease. An expired lease that nobody has taken over still counts: only the token decides. */
export function turnMove(head: TaskHead, command: TurnCommand, nowMs: number): Transition {
  if (head.turn.phase !== 'running' || head.turn.lease?.token !== command.token) {
    return { ok: false, rejection: 'lease-lost' };
  }
  const draft = draftOf(head, nowMs);
  if (command.type === 'renew') {
    set(draft, { turn: { ...head.turn, lease: { token: command.token, untilMs: command.untilMs } } });
    return done(draft);
  }
  if (command.steps) set(draft, { steps: true });
  if (command.type !== 'reask') dropStaleTimers(draft);
  dropSpentSecrets(draft);
  apply(draft, command);
  moveOut(draft);
  return done(draft);
}

function apply(draft: Draft, command: Exclude<TurnCommand, { type: 'renew' }>): void {
  switch (command.type) {
    case 'emit':
      return emit(draft, command.events);
    case 'ask':
      return ask(draft, command);
    case 'reask':
      return reask(draft, command);
    case 'require-auth':
      return requireAuth(draft, command);
    case 'use-auth':
      return useAuth(draft, command);
    case 'read-inbox':
      return set(draft, { unread: draft.head.unread.filter((seq) => !command.seqs.includes(seq)) });
    case 'pass-answer':
      return passAnswer(draft, command);
    case 'end':
      return end(draft, command);
    case 'yield':
      emit(draft, command.events);
      // Steps in flight may still be recorded.
      set(draft, { steps: true });
      // A worker that achieved nothing before its time was up has failed its attempt: no endless relay of workers.
      if (!command.progressed) return retryOrFail(draft, false, `${draft.head.taskId}-${draft.head.turn.n}`);
      return request(draft, draft.head.turn.n + 1, 0);
    case 'delegate':
    case 'park':
    case 'close-delegate':
      return delegateMove(draft, command);
    case 'reserve':
    case 'acquired':
    case 'confirm':
    case 'release':
      return holdMove(draft, command);
    case 'fail-attempt':
      return failAttempt(draft, command);
    default:
      return unreachable('command', command);
  }
}

function ask(draft: Draft, command: Of<'ask'>): void {
  emit(draft, command.events);
  const { head } = draft;
  if (head.used.asks >= limits.asksPerTask) {
    throw new AgentFault('LIMIT_EXCEEDED', `a task may ask at most ${limits.asksPerTask} questions`);
  }
  const asks = head.used.asks + 1;
  const question = head.used.questions + 1;
  const opened = openQuestion(command.spec, {
    taskId: head.taskId,
    contextId: head.contextId,
    call: command.call,
    ask: asks,
    question,
    nowMs: draft.nowMs,
  });
  checkHolds(draft, command.spec.name, opened.ask.expiresAtMs);
  set(draft, { ask: opened.ask, used: { ...head.used, asks, questions: question } });
  // From here on: who loses the race for the answer leaves its secret behind, whoever wins.
  if (opened.ask.secret) set(draft, { secrets: true });
  moveTo(draft, 'TASK_STATE_INPUT_REQUIRED', { message: opened.message });
  rest(draft);
  draft.effects.push(...setTimers(head.taskId, opened.ask, draft.nowMs));
  draft.effects.push({ kind: 'count', metric: 'QuestionsAsked' });
}

/** The ask keeps its expiry; one that has passed meanwhile is expired by the next look at the task. */
function reask(draft: Draft, command: Of<'reask'>): void {
  emit(draft, command.events);
  const { head } = draft;
  const record = closedAsk(head, command.call);
  set(draft, { calls: head.calls.filter((call) => call !== record) });
  const open = withoutPassed({ ...record.open, call: record.call, name: record.name }, draft.nowMs);
  // Timers that this turn has not deleted yet still stand; making them beside their deletion could lose them.
  const timersStand = head.staleTimers.includes(open.ask);
  dropStaleTimers(draft, open.ask);
  const prefill = prefillOf(record, command.errors);
  askAgain(draft, open, {
    question: command.question,
    errors: command.errors,
    ...(prefill ? { prefill } : {}),
  });
  if (!draft.head.ask) {
    if (timersStand) draft.effects.push(...deleteTimers(head.taskId, open));
    return;
  }
  rest(draft);
  if (!timersStand) draft.effects.push(...setTimers(head.taskId, open, draft.nowMs));
}

/**
 * In the head, and so under the lease: a worker back from the dead may pass an answer that another one has refused, and
 * the call has another answer since.
 */
function passAnswer(draft: Draft, command: Of<'pass-answer'>): void {
  const { calls } = draft.head;
  const record = closedAsk(draft.head, command.call);
  const { value: _value, text: _text, ...rest } = record;
  const passed: AskRecord = { ...rest, checked: keep(draft, command.value) };
  set(draft, { calls: calls.map((call) => (call === record ? passed : call)) });
}

/**
 * The ask that closed last stays in the head until the turn has made something of it.
 * @throws AgentFault BAD_CALL for any other call
 */
export function closedAsk({ calls }: TaskHead, call: number): AskRecord {
  const record = calls.find((one): one is AskRecord => one.kind === 'ask' && one.call === call);
  if (!record) throw new AgentFault('BAD_CALL', `call ${call} is not an answered ask that can be asked again`);
  return record;
}

/** The properties of a refused answer that the errors are not about. */
function prefillOf({ open, value }: AskRecord, errors: readonly AnswerError[]): JsonObject | undefined {
  const given = value && 'value' in value ? value.value : undefined;
  if (open.wrapped || !isJsonObject(given)) return undefined;
  const wrong = errors.map((error) => pointerNames(error.pointer)[0]);
  if (wrong.includes(undefined)) return undefined;
  return Object.fromEntries(Object.entries(given).filter(([name]) => !wrong.includes(name)));
}

/** A turn that would complete over unread messages is run once more before it may (design, section 7). */
function end(draft: Draft, command: Of<'end'>): void {
  emit(draft, command.events);
  const newest = draft.head.unread.at(-1);
  if (command.state === 'TASK_STATE_COMPLETED' && newest !== undefined && newest > (draft.head.toldUnread ?? 0)) {
    set(draft, { toldUnread: newest });
    return request(draft, draft.head.turn.n + 1, 0);
  }
  const message =
    command.reason === undefined ? undefined : statusText(draft.head, command.reason, { reason: 'AGENT_ENDED' });
  return finish(draft, command.state, message);
}

function failAttempt(draft: Draft, command: Of<'fail-attempt'>): void {
  // What the code had made before it failed stays made: the task may end here.
  emit(draft, command.events ?? []);
  draft.effects.push({ kind: 'count', metric: 'TurnsFailed' });
  retryOrFail(draft, command.fatal, command.correlationId, command.because);
}

/** Parks the turn with growing delay, or fails the task when its attempts are used up. `because` is for the caller. */
export function retryOrFail(draft: Draft, fatal: boolean, correlationId: string, because?: string): void {
  const { turn } = draft.head;
  const delayMs = fatal ? undefined : retryDelayMs(turn.attempts);
  if (delayMs === undefined) {
    const text = `The agent failed${because === undefined ? '' : `: ${because}`}. Correlation id: ${correlationId}`;
    return finish(draft, 'TASK_STATE_FAILED', statusText(draft.head, text, { reason: 'AGENT_FAILED', correlationId }));
  }
  set(draft, {
    turn: {
      n: turn.n,
      phase: 'parked',
      attempts: turn.attempts,
      parked: { for: 'retry', untilMs: draft.nowMs + delayMs },
    },
  });
  draft.effects.push({ kind: 'dispatch', taskId: draft.head.taskId, turn: turn.n, delayMs });
  return undefined;
}

/** How long to wait after so many failed attempts; undefined: that was the last. */
export function retryDelayMs(attempts: number): number | undefined {
  if (attempts >= limits.turnAttempts) return undefined;
  const delayMs = limits.retryDelayMinMs * limits.retryDelayFactor ** Math.max(0, attempts - 1);
  return Math.min(delayMs, limits.retryDelayMaxMs);
}
