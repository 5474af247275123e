/**
 * The state machine: what a command makes of a task, or why not. Pure: it never waits, reads no clock, and leaves the
 * head it was given alone. `MOVES` says which command may meet which state; everything else is refused here, before
 * any move looks closer.
 */
import { isTerminal, TASK_STATES, type TaskState } from '../message.ts';
import type { TaskHead } from '../task.ts';
import { answer, cancel, decline, receive, refuseAnswer } from './caller.ts';
import type { Command, Rejection, Transition } from './command.ts';
import { pushMove } from './push.ts';
import { doDue, secretsDropped } from './time.ts';
import { claim, turnMove } from './turn.ts';

type CommandType = Command['type'];

const ASKING: readonly TaskState[] = ['TASK_STATE_INPUT_REQUIRED'];
const ACTIVE: readonly TaskState[] = ['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING'];
const RUNNING: readonly TaskState[] = ['TASK_STATE_WORKING'];
const LIVE: readonly TaskState[] = [...ACTIVE, ...ASKING, 'TASK_STATE_AUTH_REQUIRED'];

/** Which states each command may meet. The matrix test reads this table. */
export const MOVES: Readonly<
  Record<CommandType, { readonly from: readonly TaskState[]; readonly otherwise: Rejection }>
> = {
  answer: { from: ASKING, otherwise: 'not-asking' },
  decline: { from: ASKING, otherwise: 'not-asking' },
  'refuse-answer': { from: ASKING, otherwise: 'not-asking' },
  receive: { from: ACTIVE, otherwise: 'asking' },
  cancel: { from: LIVE, otherwise: 'ended' },
  claim: { from: ACTIVE, otherwise: 'not-claimable' },
  renew: { from: RUNNING, otherwise: 'lease-lost' },
  emit: { from: RUNNING, otherwise: 'lease-lost' },
  ask: { from: RUNNING, otherwise: 'lease-lost' },
  reask: { from: RUNNING, otherwise: 'lease-lost' },
  'read-inbox': { from: RUNNING, otherwise: 'lease-lost' },
  'pass-answer': { from: RUNNING, otherwise: 'lease-lost' },
  end: { from: RUNNING, otherwise: 'lease-lost' },
  yield: { from: RUNNING, otherwise: 'lease-lost' },
  'fail-attempt': { from: RUNNING, otherwise: 'lease-lost' },
  'do-due': { from: LIVE, otherwise: 'not-due' },
  'secrets-dropped': { from: TASK_STATES.filter(isTerminal), otherwise: 'unchanged' },
  'add-push': { from: TASK_STATES, otherwise: 'unchanged' },
  'remove-push': { from: TASK_STATES, otherwise: 'unchanged' },
  'give-up-push': { from: TASK_STATES, otherwise: 'unchanged' },
  'check-push': { from: TASK_STATES, otherwise: 'unchanged' },
};

/** Callers are told that a task has ended; workers and time are told what they lost. */
const TOLD_ENDED: readonly CommandType[] = ['answer', 'decline', 'refuse-answer', 'receive', 'cancel'];

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
    case 'receive':
      return receive(head, command, nowMs);
    case 'cancel':
      return cancel(head, nowMs);
    case 'claim':
      return claim(head, command, nowMs);
    case 'do-due':
      return doDue(head, nowMs);
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
