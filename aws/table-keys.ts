/**
 * The table: what is asked of it, and the keys that answer. The one place where names of attributes and indexes stand;
 * lib/ deploys the table from here, and local/ creates it from `tableDefinition`.
 * One table serves one agent: two agents, or a deployed agent under a new name, in one table are a mistake of the
 * deployment, since the due index and the claim of a turn ask for a task and not for whose it is.
 *
 * |  # | question                                     | asked by                | index     | key                               | consistency   | cost                       |
 * | -- | -------------------------------------------- | ----------------------- | --------- | --------------------------------- | ------------- | -------------------------- |
 * |  1 | Is this first message new? Then make a task. | SendMessage             | table     | T#task, HEAD, if absent           | conditional   | 1 write                    |
 * |  2 | How does the task stand?                     | every operation         | table     | T#task, HEAD                      | strong        | 1 read                     |
 * |  3 | Change the task, if it is as I read it.      | every operation         | table     | T#task, HEAD, version             | conditional   | 1 write                    |
 * |  4 | Give me the lease of this turn.              | run-turn                | table     | T#task, HEAD, requested turn, due | conditional   | 1 write (retried turn 1: 2); where due moves also 1 read, 1 write |
 * |  5 | Which calls are recorded?                    | run-turn                | table     | T#task, STEP# prefix              | strong        | 1 read per MB              |
 * |  6 | Record this call, unless it is.              | run-turn                | table     | T#task, STEP#call, if absent      | conditional   | 1 write (lost: +1 read)    |
 * |  7 | Which entries have left the head?            | GetTask, run-turn       | table     | T#task, LOG# downwards            | strong        | 1 read per page            |
 * |  8 | What is in this blob?                        | GetTask, run-turn       | table     | T#task, BLOB#hash# prefix         | strong        | 1 read per MB              |
 * |  9 | What was the secret answer?                  | run-turn                | table     | T#task, SECRET#id                 | strong        | 1 read                     |
 * | 10 | Forget the secrets of this task.             | whoever ends a task     | table     | T#task, SECRET# prefix            | strong        | 1 read, 1 write per 25     |
 * | 11 | Which tasks are due?                         | sweep                   | due       | due#shard, due at most now        | eventual hint | 1 read per shard           |
 * | 12 | Remove the task and all that is its.         | sweep                   | table     | T#task, all; head last by version | strong        | 2 reads, 1 write per item  |
 * | 13 | Which tasks has this owner, newest first?    | ListTasks               | byOwner   | O#shard#owner, status time        | eventual hint | 1 read per shard; with a filter up to 5,000 entries per shard |
 * | 14 | Which tasks are in this context?             | ListTasks, SendMessage  | byContext | C#owner#context, T#task           | eventual hint | 1 read                     |
 * | 15 | How do these tasks stand?                    | ListTasks, SendMessage  | table     | T#task, HEAD, many at once        | strong        | 1 read per 100             |
 * | 16 | How many tasks has this owner?               | ListTasks, first page   | byOwner   | O#shard#owner, status time        | eventual hint | 1 read per MB (some 5,000 tasks), 100,000 tasks at most |
 * | 17 | Has the task had this message?               | SendMessage             | table     | T#task, MARK#id                   | strong        | 1 read, after 24 messages  |
 * | 18 | How far has this receiver been told?         | deliver-push, GetTaskPushNotificationConfig | table | T#task, PUSH#id#birth | strong        | 1 read                     |
 * | 19 | Who is told of this task?                    | sweep, ListTaskPushNotificationConfigs | table | T#task, PUSH# prefix    | strong        | 1 read                     |
 * | 20 | Change this push config, if it is as I read it. | deliver-push, CreateTaskPushNotificationConfig, SendMessage | table | T#task, PUSH#id#birth, version | conditional | 1 write |
 * | 21 | Tell this receiver no more.                  | DeleteTaskPushNotificationConfig | table | T#task, PUSH#id#birth         | -             | 1 write                    |
 * | 22 | Forget this credential: it has been used.   | run-turn, the callback that lost  | table | T#task, SECRET#id             | -             | 1 write                    |
 *
 * Writing the items that a head names (steps, log chunks, blobs, secrets, marks) is part of 1, 3 and 6. Index keys cost two
 * writes when they change and none when they do not: `due` changes with most writes but a claim, byOwner with the status
 * timestamp, byContext never, and only tasks whose caller named the context are in it. What byOwner holds besides its keys
 * changes only together with them, or never. Its key names the agent with the owner. There is no Scan.
 */
import { hash } from 'node:crypto';
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { taskOfContext } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import type { TaskHead } from '../core/task.ts';

/**
 * Attribute names are billed with every item, so they are short. Expressions use them as they are, but for those that
 * are words of DynamoDB's own (`names`).
 */
export const attr = {
  pk: 'pk',
  sk: 'sk',
  /** Epoch seconds; on the head of a terminal task only. The backstop behind the sweeper's own deletion. */
  ttl: 'ttl',
  /** Of the head: `storedVersion`. */
  version: 'v',
  /** Creation time of the task in ms; every item beside the head carries it, the head in its `version`. */
  born: 'born',
  context: 'ctx',
  state: 'st',
  statusAt: 'at',
  /** The turn that may be claimed, 0 where the claim moves the task to working; on no other head. */
  requested: 'req',
  /** A claim that no write of the whole head has followed yet. */
  claim: 'claim',
  due: 'due',
  dueShard: 'ds',
  ownerShard: 'os',
  contextKey: 'ck',
  /** The head: all of it that no key, condition or index needs. Children: their value. */
  json: 'j',
  /** One chunk of a blob (binary), and how many chunks there are. */
  chunk: 'x',
  chunks: 'of',
} as const;

/** ExpressionAttributeNames for reserved words: `#statusAt` stands for the attribute of `attr.statusAt`. */
export function names(...used: readonly (keyof typeof attr)[]): Record<string, string> {
  return Object.fromEntries(used.map((name) => [`#${name}`, attr[name]]));
}

export const index = { byOwner: 'byOwner', byContext: 'byContext', due: 'due' } as const;

export const HEAD_SK = 'HEAD';

export const prefix = {
  step: 'STEP#',
  log: 'LOG#',
  blob: 'BLOB#',
  secret: 'SECRET#',
  mark: 'MARK#',
  push: 'PUSH#',
} as const;

export function taskPk(taskId: string): string {
  return `T#${taskId}`;
}

export function taskIdOf(pk: string): string {
  return pk.slice(2);
}

/** Padded, so that the order of keys is the order of calls (limit 10,000). */
export function stepSk(call: number): string {
  return `${prefix.step}${padded(call)}`;
}

export function logSk(chunk: number): string {
  return `${prefix.log}${padded(chunk)}`;
}

export function blobPrefix(hash: string): string {
  return `${prefix.blob}${hash}#`;
}

export function blobSk(hash: string, chunk: number): string {
  return `${blobPrefix(hash)}${String(chunk).padStart(3, '0')}`;
}

export function secretSk(id: string): string {
  return `${prefix.secret}${id}`;
}

export function markSk(id: string): string {
  return `${prefix.mark}${id}`;
}

/** With the task's birth, so that a task id that comes back inherits no receiver. */
export function pushSk(id: string, bornMs: number): string {
  return `${prefix.push}${id}#${bornMs}`;
}

/** Partition of the due index; few enough to ask each in turn, enough to spread the writes. */
export function dueKey(shard: number): string {
  return `due#${shard}`;
}

export function dueShardOf(taskId: string): number {
  return spread(taskId) % limits.dueShards;
}

/** The attributes of a head that are keys of the indexes and nothing else. */
export function headIndexKeys(head: Pick<TaskHead, 'taskId' | 'agent' | 'owner' | 'contextId'>) {
  const { taskId, owner, contextId } = head;
  const place = spread(taskId);
  return {
    [attr.dueShard]: dueKey(place % limits.dueShards),
    [attr.ownerShard]: ownerKeyOf(head, place % limits.ownerShards),
    // A context that was made for the task names it, and needs no index.
    ...(taskOfContext(contextId) === taskId ? {} : { [attr.contextKey]: contextKey(owner, contextId) }),
  };
}

type AgentOwner = Pick<TaskHead, 'agent' | 'owner'>;

/** The partitions of byOwner that hold one owner of an agent, however busy. */
export function ownerKeys(whose: AgentOwner): readonly string[] {
  return Array.from({ length: limits.ownerShards }, (_, shard) => ownerKeyOf(whose, shard));
}

/** Both are hashed, since they have no fixed length; the agent by its length first, so that no two are the same text. */
function ownerKeyOf({ agent, owner }: AgentOwner, shard: number): string {
  return `O#${shard}#${ownerHash(`${agent.length}:${agent}${owner}`)}`;
}

export function contextKey(owner: string, contextId: string): string {
  return `C#${ownerHash(owner)}#${contextId}`;
}

/** Few owners are behind many writes: these are not hashed again. */
const hashedOwners = new Map<string, string>();
const OWNERS_KEPT = 500;

/** 144 bits of SHA-256: nobody finds a second owner with the same, and what is found is checked against its head. */
function ownerHash(owner: string): string {
  const known = hashedOwners.get(owner);
  if (known !== undefined) return known;
  if (hashedOwners.size >= OWNERS_KEPT) hashedOwners.clear();
  const hashed = hash('sha256', owner, 'base64url').slice(0, 24);
  hashedOwners.set(owner, hashed);
  return hashed;
}

/** Where in an index a task falls: a number of 32 bits, evenly. */
function spread(taskId: string): number {
  return Number.parseInt(hash('sha256', taskId, 'hex').slice(0, 8), 16);
}

function padded(n: number): string {
  return String(n).padStart(6, '0');
}

/**
 * Input of CreateTable: pay per request, three indexes that hold keys only; byOwner also what lists are filtered by,
 * so that neither a filter nor a total has to read the heads of tasks that nobody is shown.
 */
export function tableDefinition(tableName: string): CreateTableCommandInput {
  return {
    TableName: tableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: attr.pk, AttributeType: 'S' },
      { AttributeName: attr.sk, AttributeType: 'S' },
      { AttributeName: attr.ownerShard, AttributeType: 'S' },
      { AttributeName: attr.statusAt, AttributeType: 'N' },
      { AttributeName: attr.contextKey, AttributeType: 'S' },
      { AttributeName: attr.dueShard, AttributeType: 'S' },
      { AttributeName: attr.due, AttributeType: 'N' },
    ],
    KeySchema: [
      { AttributeName: attr.pk, KeyType: 'HASH' },
      { AttributeName: attr.sk, KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      indexOf(index.byOwner, attr.ownerShard, attr.statusAt, [attr.context, attr.state]),
      indexOf(index.byContext, attr.contextKey, attr.pk),
      indexOf(index.due, attr.dueShard, attr.due),
    ],
  };
}

function indexOf(name: string, hash: string, range: string, alsoHeld: string[] = []) {
  return {
    IndexName: name,
    KeySchema: [
      { AttributeName: hash, KeyType: 'HASH' as const },
      { AttributeName: range, KeyType: 'RANGE' as const },
    ],
    Projection:
      alsoHeld.length === 0
        ? { ProjectionType: 'KEYS_ONLY' as const }
        : { ProjectionType: 'INCLUDE' as const, NonKeyAttributes: alsoHeld },
  };
}
