/**
 * The task store on DynamoDB. Each method names the access pattern of table-keys.ts that it serves. Decides nothing
 * about tasks: it writes what it is given, under the condition that nobody wrote in between.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { taskOfContext } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import type { TaskState } from '../core/message.ts';
import { Conflict, type Lease, type TaskStore } from '../core/ports.ts';
import type { Child, LogEntry, Mark, Phase, StepRecord, TaskHead } from '../core/task.ts';
import type { FoundTasks, ListPosition, TaskFilter } from '../core/task-list.ts';
import {
  deleteChildren,
  putChildren,
  putStepItem,
  readBlob,
  readLogBefore,
  readMark,
  readSecret,
  readSteps,
  stepOf,
} from './child-items.ts';
import { claimOfNewTask, claimOfTurn } from './claim-overlay.ts';
import { decodeHead, encodeHead, type StoredHead, storedVersion, WRITE_IDS } from './head-item.ts';
import type { Item } from './item.ts';
import { countTasks, findTasks } from './list-index.ts';
import { randomIds } from './random-ids.ts';
import { type Condition, type Key, Table, type Update } from './table.ts';
import { attr, contextKey, dueKey, HEAD_SK, index, prefix, secretSk, taskIdOf, taskPk } from './table-keys.ts';

export interface DynamoTaskStoreOptions {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  /** For tests: ids of head writes; random by default. */
  readonly writeId?: () => string;
  /** For tests: waits between tries of a batch. */
  readonly sleep?: (ms: number) => Promise<void>;
}

const WRITE_ID_BYTES = 6;
const WORKING: TaskState = 'TASK_STATE_WORKING';
const REQUESTED: Phase = 'requested';
const RUNNING: Phase = 'running';
const IF_ABSENT: Condition = { ConditionExpression: `attribute_not_exists(${attr.pk})` };

export class DynamoTaskStore implements TaskStore {
  readonly #table: Table;
  readonly #writeId: () => string;
  /** The write ids of the item that a head was read from. A head from elsewhere starts a new list. */
  readonly #writes = new WeakMap<TaskHead, readonly string[]>();

  constructor(options: DynamoTaskStoreOptions) {
    this.#table = new Table(options.client, options.tableName, options.sleep ?? ((ms) => sleep(ms)));
    this.#writeId = options.writeId ?? randomIds(WRITE_ID_BYTES);
  }

  /**
   * Access pattern 1.
   * Who loses: the second of two creations, and a repeat; it gets the head that stands. Its children
   * are blobs, which are the same for both.
   */
  async create(head: TaskHead, children: readonly Child[]): Promise<{ created: TaskHead } | { exists: TaskHead }> {
    const found = await this.#writeHead(head, [], children, IF_ABSENT);
    if (found === 'written') return { created: head };
    if (found) return { exists: found };
    // It stood in the way and was removed before it could be read: there is room now.
    return this.create(head, []);
  }

  /** Access pattern 2. */
  async load(taskId: string): Promise<TaskHead | undefined> {
    return this.#decoded(await this.#table.get(headKey(taskId)));
  }

  /**
   * Access pattern 3.
   * Who loses: everybody whose head is not the newest; they get `Conflict` with the newest and decide again.
   */
  async save(previous: TaskHead, next: TaskHead, children: readonly Child[] = []): Promise<TaskHead> {
    if (next.version !== previous.version + 1) throw new Error('save: next.version must be previous.version + 1');
    const actual = await this.#writeHead(next, this.#writes.get(previous) ?? [], children, isAsRead(previous));
    if (actual === 'written') return next;
    throw new Conflict(actual);
  }

  /**
   * Access pattern 4.
   * Who loses: a second worker with the same message, and a worker that comes after cancel or expiry; it gets
   * undefined, as does a worker for whose claim `due` has to move. A task that is new and one that works are claimed by
   * different updates; only turn 1 can be either's.
   */
  async claim(taskId: string, turn: number, lease: Lease, nowMs: number): Promise<TaskHead | undefined> {
    if (turn === 1) {
      const first = await this.#claimBy(claimOfNewTask(lease, nowMs), taskId, lease);
      if (first.claimed || !isWaiting(first.standing)) return first.claimed;
    }
    const later = await this.#claimBy(claimOfTurn(turn, lease), taskId, lease);
    return later.claimed;
  }

  /** Access pattern 5. */
  steps(head: TaskHead): Promise<readonly StepRecord[]> {
    return readSteps(this.#table, head);
  }

  /**
   * Access pattern 6. Who loses: the second writer of a call; it gets the record that stands.
   * Throws `Conflict` when the item that stands is of a newer task of the same id: this head is history.
   */
  async putStep(head: TaskHead, record: StepRecord, children: readonly Child[] = []): Promise<StepRecord> {
    await putChildren(this.#table, head, children);
    const refused = await putStepItem(this.#table, head, record);
    if (!refused) return record;
    const standing = stepOf(head, refused.standing);
    if (!standing) throw new Conflict(await this.load(head.taskId));
    return standing;
  }

  /** Access pattern 7. */
  logBefore(head: TaskHead, beforeSeq: number, limit: number): Promise<readonly LogEntry[]> {
    return readLogBefore(this.#table, head, beforeSeq, limit, limits.logChunkEntries);
  }

  /** Access pattern 8. */
  blob(head: TaskHead, hash: string): Promise<string | undefined> {
    return readBlob(this.#table, head, hash);
  }

  /** Access pattern 9. */
  secret(head: TaskHead, id: string): Promise<string | undefined> {
    return readSecret(this.#table, head, id);
  }

  /** Access pattern 10. */
  async dropSecrets(taskId: string): Promise<void> {
    await this.#table.deleteAll(await this.#table.keysOf(taskPk(taskId), prefix.secret));
  }

  /** Access pattern 22. */
  dropSecret(taskId: string, id: string): Promise<void> {
    return this.#table.deleteAll([{ pk: taskPk(taskId), sk: secretSk(id) }]);
  }

  /** Access pattern 11. */
  async due(shard: number, nowMs: number, limit: number): Promise<readonly string[]> {
    const taskIds: string[] = [];
    if (limit <= 0) return taskIds;
    const found = this.#table.query({
      IndexName: index.due,
      KeyConditionExpression: `${attr.dueShard} = :shard AND ${attr.due} <= :now`,
      ExpressionAttributeValues: { ':shard': dueKey(shard), ':now': nowMs },
      Limit: limit,
    });
    for await (const item of found) {
      taskIds.push(taskIdOf(String(item[attr.pk])));
      if (taskIds.length === limit) break;
    }
    return taskIds;
  }

  /**
   * Access pattern 12. Looks first, so that a task that changed keeps its children.
   * Who loses: who removes a task that changed since it was read; it gets `Conflict`. A task that is gone is removed.
   */
  async remove(head: TaskHead): Promise<void> {
    const now = await this.load(head.taskId);
    if (now && (now.version !== head.version || now.bornMs !== head.bornMs)) throw new Conflict(now);
    const keys = await this.#table.keysOf(taskPk(head.taskId));
    const children = keys.filter(({ sk }) => sk !== HEAD_SK);
    // No task of the same id can begin before this one's retention has passed.
    await deleteChildren(this.#table, children, head.status.atMs + limits.retentionMs);
    const refused = await this.#table.deleteIf(headKey(head.taskId), isAsRead(head));
    const actual = this.#decoded(refused?.standing);
    if (actual) throw new Conflict(actual);
  }

  /** Access pattern 13. */
  ownerTasks(filter: TaskFilter, after: ListPosition | undefined, limit: number): Promise<FoundTasks> {
    return findTasks(this.#table, filter, after, limit);
  }

  /** Access pattern 14. */
  async contextTasks(owner: string, contextId: string, limit: number): Promise<readonly string[]> {
    const { items } = await this.#table.page({
      IndexName: index.byContext,
      KeyConditionExpression: `${attr.contextKey} = :key`,
      ExpressionAttributeValues: { ':key': contextKey(owner, contextId) },
      Limit: limit,
    });
    const madeFor = taskOfContext(contextId);
    const named = items.map((item) => taskIdOf(String(item[attr.pk])));
    return madeFor === undefined ? named : [madeFor, ...named].slice(0, limit);
  }

  /** Access pattern 15. */
  async loadAll(taskIds: readonly string[]): Promise<readonly TaskHead[]> {
    const items = await this.#table.getAll([...new Set(taskIds)].map(headKey));
    return items.map((item) => this.#known(decodeHead(item)));
  }

  /** Access pattern 16. */
  countOwnerTasks(filter: TaskFilter, mostEntries: number): Promise<number> {
    return countTasks(this.#table, filter, mostEntries);
  }

  /** Access pattern 17. */
  mark(head: TaskHead, id: string): Promise<Mark | undefined> {
    return readMark(this.#table, head, id);
  }

  /** Children first, then the head: 'written', or the head that stood in the way (undefined: none). */
  async #writeHead(
    head: TaskHead,
    earlier: readonly string[],
    children: readonly Child[],
    condition: Condition,
  ): Promise<'written' | TaskHead | undefined> {
    await putChildren(this.#table, head, children);
    const writeId = this.#writeId();
    const writes = [...earlier, writeId].slice(-WRITE_IDS);
    const refused = await this.#table.putIf(encodeHead(head, writes), condition);
    const standing = refused?.standing && decodeHead(refused.standing);
    // The SDK repeats a write whose response was lost; the repeat is refused by what the write itself has made.
    if (!refused || standing?.writes.includes(writeId)) {
      this.#writes.set(head, writes);
      return 'written';
    }
    return standing && this.#known(standing);
  }

  async #claimBy(update: Update, taskId: string, lease: Lease): Promise<Claim> {
    const outcome = await this.#table.updateIf(headKey(taskId), update);
    if ('item' in outcome) return { claimed: this.#decoded(outcome.item), standing: undefined };
    const standing = this.#decoded(outcome.standing);
    // A claim whose response was lost is refused by its own lease when the SDK repeats it.
    const ours = standing?.turn.phase === RUNNING && standing.turn.lease?.token === lease.token;
    return { claimed: ours ? standing : undefined, standing };
  }

  #decoded(item: Item | undefined): TaskHead | undefined {
    return item && this.#known(decodeHead(item));
  }

  #known({ head, writes }: StoredHead): TaskHead {
    this.#writes.set(head, writes);
    return head;
  }
}

interface Claim {
  readonly claimed: TaskHead | undefined;
  readonly standing: TaskHead | undefined;
}

/** Turn 1 is requested again: an earlier attempt has moved the task to working and was given up. */
function isWaiting(head: TaskHead | undefined): boolean {
  return head?.turn.n === 1 && head.turn.phase === REQUESTED && head.status.state === WORKING;
}

function isAsRead(head: TaskHead): Condition {
  return {
    ConditionExpression: `${attr.version} = :version`,
    ExpressionAttributeValues: { ':version': storedVersion(head) },
  };
}

function headKey(taskId: string): Key {
  return { pk: taskPk(taskId), sk: HEAD_SK };
}
