/**
 * The state machine: what a command makes of a task, or why not. Pure: it never waits, reads no clock, and leaves the
 * head it was given alone. `MOVES` says which command may meet which state; everything else is refused here, before
 * any move looks closer.
 */
import { isTerminal, TASK_STATES, type TaskState } from '../message.ts';
import type { TaskHead } from '../task.ts';
import { declineAuth, grant } from './auth.ts';
import { answer, cancel, decline, receive, refuseAnswer } from './caller.ts';
import { claim } from './claim.ts';
import type { Command, Rejection, Transition } from './command.ts';
import { wake } from './delegates.ts';
import { lateHold } from './holds.ts';
import { pushMove } from './push.ts';
import { doDue, secretsDropped } from './time.ts';
import { turnMove } from './turn.ts';
import { undoMove } from './undo.ts';

type CommandType = Command['type'];

const ASKING: readonly TaskState[] = ['TASK_STATE_INPUT_REQUIRED'];
const ACTIVE: readonly TaskState[] = ['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING'];
const RUNNING: readonly TaskState[] = ['TASK_STATE_WORKING'];
const WAITING_FOR_AUTH: readonly TaskState[] = ['TASK_STATE_AUTH_REQUIRED'];
const LIVE: readonly TaskState[] = [...ACTIVE, ...ASKING, ...WAITING_FOR_AUTH];

/** Which states each command may meet. The matrix test reads this table. */
export const MOVES: Readonly<
  Record<CommandType, { readonly from: readonly TaskState[]; readonly otherwise: Rejection }>
> = {
  answer: { from: ASKING, otherwise: 'not-asking' },
  decline: { from: ASKING, otherwise: 'not-asking' },
  'refuse-answer': { from: ASKING, otherwise: 'not-asking' },
  grant: { from: WAITING_FOR_AUTH, otherwise: 'auth-closed' },
  'decline-auth': { from: WAITING_FOR_AUTH, otherwise: 'auth-closed' },
  receive: { from: [...ACTIVE, ...WAITING_FOR_AUTH], otherwise: 'asking' },
  cancel: { from: LIVE, otherwise: 'ended' },
  claim: { from: ACTIVE, otherwise: 'not-claimable' },
  renew: { from: RUNNING, otherwise: 'lease-lost' },
  emit: { from: RUNNING, otherwise: 'lease-lost' },
  ask: { from: RUNNING, otherwise: 'lease-lost' },
  reask: { from: RUNNING, otherwise: 'lease-lost' },
  'require-auth': { from: RUNNING, otherwise: 'lease-lost' },
  'use-auth': { from: RUNNING, otherwise: 'lease-lost' },
  'read-inbox': { from: RUNNING, otherwise: 'lease-lost' },
  'pass-answer': { from: RUNNING, otherwise: 'lease-lost' },
  end: { from: RUNNING, otherwise: 'lease-lost' },
  yield: { from: RUNNING, otherwise: 'lease-lost' },
  'fail-attempt': { from: RUNNING, otherwise: 'lease-lost' },
  delegate: { from: RUNNING, otherwise: 'lease-lost' },
  park: { from: RUNNING, otherwise: 'lease-lost' },
  'close-delegate': { from: RUNNING, otherwise: 'lease-lost' },
  reserve: { from: RUNNING, otherwise: 'lease-lost' },
  acquired: { from: RUNNING, otherwise: 'lease-lost' },
  confirm: { from: RUNNING, otherwise: 'lease-lost' },
  release: { from: RUNNING, otherwise: 'lease-lost' },
  wake: { from: RUNNING, otherwise: 'unchanged' },
  'do-due': { from: TASK_STATES, otherwise: 'not-due' },
  'late-hold': { from: TASK_STATES, otherwise: 'unchanged' },
  undone: { from: TASK_STATES, otherwise: 'unchanged' },
  'undo-failed': { from: TASK_STATES, otherwise: 'unchanged' },
  'secrets-dropped': { from: TASK_STATES.filter(isTerminal), otherwise: 'unchanged' },
  'add-push': { from: TASK_STATES, otherwise: 'unchanged' },
  'remove-push': { from: TASK_STATES, otherwise: 'unchanged' },
  'give-up-push': { from: TASK_STATES, otherwise: 'unchanged' },
  'check-push': { from: TASK_STATES, otherwise: 'unchanged' },
};

/** Callers are told that a task has ended; workers and time are told what they lost. */
const TOLD_ENDED: readonly CommandType[] = ['answer', 'decline', 'refuse-answer', 'decline-auth', 'receive', 'cancel'];

/**
 * @param nowMs milliseconds since the epoch
 * @throws AgentFault for an agent's own mistake in `ask` or `reask` (a bad question, a limit)
 */
export function transition(head: TaskHead, command: Command, nowMs: number): Transition {
  const { state } = head.status;
  const move = MOVES[command.type];
  if (!move.from.includes(state)) {
    const ended = isTerminal(state) && TOLD_ENDED.includes(command.type);
    return { ok: false, rejection: ended ? 'ended' : move.otherwise };
  }
  switch (command.type) {
    case 'answer':
      return answer(head, command, nowMs);
    case 'decline':
      return decline(head, command, nowMs);
    case 'refuse-answer':
      return refuseAnswer(head, command, nowMs);
    case 'grant':
      return grant(head, command, nowMs);
    case 'decline-auth':
      return declineAuth(head, command, nowMs);
    case 'receive':
      return receive(head, command, nowMs);
    case 'cancel':
      return cancel(head, nowMs);
    case 'claim':
      return claim(head, command, nowMs);
    case 'wake':
      return wake(head, command, nowMs);
    case 'do-due':
      return doDue(head, nowMs);
    case 'late-hold':
      return lateHold(head, command, nowMs);
    case 'undone':
    case 'undo-failed':
      return undoMove(head, command, nowMs);
    case 'secrets-dropped':
      return secretsDropped(head, nowMs);
    case 'add-push':
    case 'remove-push':
    case 'give-up-push':
    case 'check-push':
      return pushMove(head, command, nowMs);
    default:
      return turnMove(head, command, nowMs);
  }
}
