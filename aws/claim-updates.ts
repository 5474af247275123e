/**
 * The two conditional updates that claim a turn without reading its head first. Two shapes of a head can be claimed:
 * one that is as `create` made it, whose state, generation and log move too, and a turn that was requested later.
 */
import type { TaskState } from '../core/message.ts';
import type { Lease } from '../core/ports.ts';
import type { LogEntry, Phase } from '../core/task.ts';
import { encodeLogEntry } from './log-codec.ts';
import { names } from './table-keys.ts';

const SUBMITTED: TaskState = 'TASK_STATE_SUBMITTED';
const WORKING: TaskState = 'TASK_STATE_WORKING';
const REQUESTED: Phase = 'requested';
const RUNNING: Phase = 'running';

/** The literal numbers stand for a head that nobody has changed since it was created. */
export function claimOfNewTask(lease: Lease, nowMs: number) {
  const working: LogEntry = { seq: 2, atMs: nowMs, generation: 2, state: WORKING };
  return {
    UpdateExpression: `${TAKE_LEASE}, #seq = :two, #generation = :two, #state = :working, #statusAt = :now, #statusSeq = :two, #log = list_append(#log, :entry) ${DROP_REQUEST}`,
    ConditionExpression: `${IS_REQUESTED} AND #state = :submitted AND #seq = :one AND #generation = :one`,
    ExpressionAttributeNames: { ...CLAIM_NAMES, ...names('seq', 'generation', 'statusAt', 'statusSeq', 'log') },
    ExpressionAttributeValues: {
      ...claimValues(1, lease),
      ':two': 2,
      ':now': nowMs,
      ':submitted': SUBMITTED,
      ':entry': [encodeLogEntry(working)],
    },
  };
}

export function claimOfTurn(turn: number, lease: Lease) {
  return {
    UpdateExpression: `${TAKE_LEASE} ${DROP_REQUEST}`,
    ConditionExpression: `${IS_REQUESTED} AND #state = :working`,
    ExpressionAttributeNames: CLAIM_NAMES,
    ExpressionAttributeValues: claimValues(turn, lease),
  };
}

const TAKE_LEASE =
  'SET #version = #version + :one, #attempts = #attempts + :one, #phase = :running, #leaseToken = :token, #leaseUntil = :until, #due = :until';
const DROP_REQUEST = 'REMOVE #dispatch';
const IS_REQUESTED = '#turn = :turn AND #phase = :requested';
const CLAIM_NAMES = names(
  'version',
  'attempts',
  'phase',
  'leaseToken',
  'leaseUntil',
  'due',
  'dispatch',
  'turn',
  'state',
);

function claimValues(turn: number, lease: Lease): Record<string, unknown> {
  return {
    ':one': 1,
    ':turn': turn,
    ':requested': REQUESTED,
    ':running': RUNNING,
    ':working': WORKING,
    ':token': lease.token,
    ':until': lease.untilMs,
  };
}
