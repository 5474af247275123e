/**
 * Sub-tasks of other agents in the head: written before anything is sent, so that whatever was begun can be canceled;
 * waited for without a worker; taken out when they have ended. What is said to the other agent is agent/delegate.ts.
 */
import { AgentFault } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Delegate } from '../delegate.ts';
import type { TaskHead } from '../task.ts';
import type { DelegateCommand, Of, Transition, TurnCommand, WakeCommand } from './command.ts';
import { type Draft, draftOf, emit, keep, request, set } from './draft.ts';
import { done } from './move-out.ts';
import { dropEntry, newUndo, putEntry } from './undo.ts';

/** @throws AgentFault LIMIT_EXCEEDED */
export function delegateMove(draft: Draft, command: Extract<TurnCommand, DelegateCommand>): void {
  switch (command.type) {
    case 'delegate':
      return open(draft, command);
    case 'park':
      return park(draft, command);
    case 'close-delegate':
      return close(draft, command);
  }
}

function open(draft: Draft, command: Of<'delegate'>): void {
  const { delegates = [], used } = draft.head;
  const { call, name, agent, message } = command;
  // A worker that died after this very write.
  if (delegates.some((one) => one.call === call)) return;
  const n = (used.delegates ?? 0) + 1;
  if (n > limits.delegatesPerTask || delegates.length >= limits.delegatesOpen) {
    const most = `${limits.delegatesPerTask} sub-tasks, ${limits.delegatesOpen} of them at once`;
    throw new AgentFault('LIMIT_EXCEEDED', `a task may delegate at most ${most}; "${name}" is over`);
  }
  const entry: Delegate = { call, n, name, agent, openedAtMs: draft.nowMs, message: keep(draft, message) };
  putEntry(draft, 'delegate', entry);
  set(draft, { used: { ...used, delegates: n } });
}

/**
 * The turn ends; another one looks again, soon after something has begun and ever more rarely later. A hint that came
 * while this turn ran is not slept through: it may have come after the look.
 */
function park(draft: Draft, command: Of<'park'>): void {
  emit(draft, command.events);
  const { look } = command;
  const { hint, hints = 0, message, silentSinceMs, ...entry } = entryOf(draft.head, look.delegate);
  const [shortest, longest] = look.pushes
    ? [limits.delegatePushedPollMinMs, limits.delegatePushedPollMaxMs]
    : [limits.delegatePollMinMs, limits.delegatePollMaxMs];
  const { poll } = entry;
  const same = poll?.wait === command.call;
  const intervalMs = Math.min(same ? poll.intervalMs * 2 : shortest, longest);
  const waiting: Delegate = {
    ...entry,
    ...(look.subTask ? { subTask: look.subTask } : message ? { message } : {}),
    poll: { wait: command.call, intervalMs },
    ...(look.pushes ? { pushes: true } : {}),
    ...(look.silent ? { silentSinceMs: silentSinceMs ?? draft.nowMs } : {}),
    ...(same && hints > 0 ? { hints } : {}),
  };
  // The next turn has a number of its own: its first attempt has something to replay.
  const n = draft.head.turn.n + 1;
  if (hint) return followHint(draft, waiting, { n, untilMs: draft.nowMs + intervalMs });
  putEntry(draft, 'delegate', waiting);
  lookAgain(draft, look.delegate, n, intervalMs);
}

function lookAgain(draft: Draft, call: number, n: number, delayMs: number): void {
  const untilMs = draft.nowMs + delayMs;
  set(draft, { turn: { n, phase: 'parked', attempts: 0, parked: { for: 'delegate', call, untilMs } } });
  draft.effects.push({ kind: 'dispatch', taskId: draft.head.taskId, turn: n, delayMs });
}

/**
 * A look before its time, as a hint wants it: at once for the first few in one wait, then ever later, so that who tells
 * of changes all the time, and of none, costs no turn for each.
 */
function followHint(draft: Draft, entry: Delegate, next: { readonly n: number; readonly untilMs: number }): void {
  const { hints = 0 } = entry;
  putEntry(draft, 'delegate', { ...entry, hints: hints + 1 });
  const delayMs = hintDelayMs(hints);
  if (delayMs === 0) return request(draft, next.n, 0);
  return lookAgain(draft, entry.call, next.n, Math.min(delayMs, next.untilMs - draft.nowMs));
}

function hintDelayMs(hints: number): number {
  const over = hints - limits.delegateHintsAtOnce;
  return over < 0 ? 0 : Math.min(limits.delegatePollMinMs * 2 ** over, limits.delegatePushedPollMinMs);
}

function close(draft: Draft, { call, how }: Of<'close-delegate'>): void {
  const { delegates = [] } = draft.head;
  const entry = delegates.find((one) => one.call === call);
  if (!entry || entry.undo) return;
  if (how === 'cancel') {
    return putEntry(draft, 'delegate', { ...entry, undo: newUndo(draft, 'delegate', entry.n, 'code') });
  }
  dropEntry(draft, 'delegate', entry.n);
}

/**
 * The other agent says that something has changed. Only a hint: the turn that it brings about looks for itself. Every
 * other phase has a turn ahead that looks anyway, or waits for the caller.
 */
export function wake(head: TaskHead, { call }: WakeCommand, nowMs: number): Transition {
  const entry = head.delegates?.find((one) => one.call === call && !one.undo);
  const { turn } = head;
  const draft = draftOf(head, nowMs);
  if (entry && turn.phase === 'parked' && turn.parked?.for === 'delegate' && turn.parked.call === call) {
    // A look that is coming as soon as this hint could bring one is enough.
    const { untilMs } = turn.parked;
    const delayMs = hintDelayMs(entry.hints ?? 0);
    if (delayMs > 0 && untilMs <= nowMs + delayMs) return { ok: false, rejection: 'unchanged' };
    followHint(draft, entry, { n: turn.n, untilMs });
    return done(draft);
  }
  if (entry && turn.phase === 'running' && !entry.hint) {
    putEntry(draft, 'delegate', { ...entry, hint: true });
    return done(draft);
  }
  return { ok: false, rejection: 'unchanged' };
}

function entryOf({ delegates = [] }: TaskHead, call: number): Delegate {
  const entry = delegates.find((one) => one.call === call && !one.undo);
  if (!entry) throw new AgentFault('BAD_CALL', `call ${call} is no sub-task that can be waited for`);
  return entry;
}
