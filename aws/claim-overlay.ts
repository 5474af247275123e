/**
 * The claim of a turn in one update, without a read first. It sets attributes alone and leaves the packed rest of the
 * head as it was; what it makes of that rest stands in an attribute of its own, and whoever reads the head lays it over
 * (`withClaim`). The next write of the head is a put of the whole item, and nothing is left of it.
 */
import type { TaskState } from '../core/message.ts';
import type { Lease } from '../core/ports.ts';
import type { TaskHead, Turn } from '../core/task.ts';
import { claim } from '../core/transition/claim.ts';
import type { Item } from './item.ts';
import { attr, names } from './table-keys.ts';

const SUBMITTED: TaskState = 'TASK_STATE_SUBMITTED';
const WORKING: TaskState = 'TASK_STATE_WORKING';

/** As JSON in `attr.claim`. The working event is of the time of the status. */
type Claim = readonly [token: string, untilMs: number, working?: 1];

/** What `attr.requested` says of a task that is still submitted, instead of its turn, which is the first. */
const NEW = 0;

const TAKE = `SET ${attr.version} = ${attr.version} + :one, ${attr.claim} = :claim`;
const DROP_REQUEST = `REMOVE ${attr.requested}`;
const IS_REQUESTED = `${attr.requested} = :requested`;
/** The rule is `keepsDue`; where `due` has to move, the worker loads the head and writes it whole. */
const KEEPS_DUE = `${attr.due} <= :until`;
const CONDITION = `${IS_REQUESTED} AND ${KEEPS_DUE}`;

/** What `attr.requested` is to be: undefined unless a turn may be claimed by one of the updates below. */
export function claimable(state: TaskState, { n, phase }: Turn): number | undefined {
  if (phase !== 'requested') return undefined;
  if (state === SUBMITTED) return NEW;
  return state === WORKING ? n : undefined;
}

/** The first claim of a task, whatever else has happened to it: its state moves too. */
export function claimOfNewTask(lease: Lease, nowMs: number) {
  return {
    UpdateExpression: `${TAKE}, ${attr.state} = :working, #statusAt = :now ${DROP_REQUEST}`,
    ConditionExpression: CONDITION,
    ExpressionAttributeNames: names('statusAt'),
    ExpressionAttributeValues: {
      ...claimValues(NEW, lease, [lease.token, lease.untilMs, 1]),
      ':working': WORKING,
      ':now': nowMs,
    },
  };
}

export function claimOfTurn(turn: number, lease: Lease) {
  return {
    UpdateExpression: `${TAKE} ${DROP_REQUEST}`,
    ConditionExpression: CONDITION,
    ExpressionAttributeValues: claimValues(turn, lease, [lease.token, lease.untilMs]),
  };
}

function claimValues(requested: number, { untilMs }: Lease, claimed: Claim): Item {
  return { ':one': 1, ':requested': requested, ':until': untilMs, ':claim': JSON.stringify(claimed) };
}

/**
 * The head with a claim that its packed rest does not show: as `transition` makes it.
 * @throws Error when there was no turn to be claimed: the item is damaged
 */
export function withClaim(head: TaskHead, json: string): TaskHead {
  const [token, untilMs, working] = JSON.parse(json) as Claim;
  const { taskId, status, turn } = head;
  const before = working ? { ...head, status: { ...status, state: SUBMITTED } } : head;
  const claimed = claim(before, { type: 'claim', turn: turn.n, token, untilMs }, status.atMs);
  if (!claimed.ok) throw new Error(`task ${taskId}: a claim lies over a turn that is ${turn.phase}`);
  return claimed.head;
}
