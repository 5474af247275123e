/**
 * The task store in memory. Everything is kept as JSON text, so that nothing a caller holds is shared with what is
 * stored. `before` and `after` let a test crash a call with nothing written, or after the write (a lost response).
 */
import { limits } from '../../core/limits.ts';
import { Conflict, type Lease, type TaskStore } from '../../core/ports.ts';
import type { Child, LogEntry, Mark, StepRecord, TaskHead } from '../../core/task.ts';
import { type FoundTasks, inListOrder, isBehind, type ListPosition, type TaskFilter } from '../../core/task-list.ts';
import { keepsDue } from '../../core/transition/claim.ts';
import { transition } from '../../core/transition/transition.ts';

export type StoreCall = Exclude<keyof TaskStore, symbol>;

interface Item {
  readonly born: number;
  readonly json: string;
}

export class MemoryTaskStore implements TaskStore {
  /** Every call that was made, in order. */
  readonly calls: { readonly op: StoreCall; readonly taskId: string }[] = [];
  /** Runs before a call does anything; what it throws, the caller sees. */
  before: ((op: StoreCall, taskId: string) => void | Promise<void>) | undefined;
  /** Runs when a call has done its work; what it throws, the caller sees instead of the result. */
  after: ((op: StoreCall, taskId: string) => void | Promise<void>) | undefined;

  readonly #heads = new Map<string, string>();
  /** By task id, then by key within the task (`LOG 000001`, `STEP 000001`, `BLOB <hash>`, `SECRET <id>`). */
  readonly #children = new Map<string, Map<string, Item>>();

  create(head: TaskHead, children: readonly Child[]): Promise<{ created: TaskHead } | { exists: TaskHead }> {
    return this.#call('create', head.taskId, () => {
      this.#putChildren(head, children);
      const found = this.peek(head.taskId);
      if (found) return { exists: found };
      return { created: this.#putHead(head) };
    });
  }

  load(taskId: string): Promise<TaskHead | undefined> {
    return this.#call('load', taskId, () => this.peek(taskId));
  }

  save(previous: TaskHead, next: TaskHead, children: readonly Child[] = []): Promise<TaskHead> {
    return this.#call('save', next.taskId, () => {
      if (next.version !== previous.version + 1) throw new Error('next.version must be previous.version + 1');
      this.#putChildren(next, children);
      const actual = this.peek(next.taskId);
      if (actual?.version !== previous.version || actual.bornMs !== previous.bornMs) throw new Conflict(actual);
      return this.#putHead(next);
    });
  }

  claim(taskId: string, turn: number, lease: Lease, nowMs: number): Promise<TaskHead | undefined> {
    return this.#call('claim', taskId, () => {
      const head = this.peek(taskId);
      // A parked turn is not claimed unread, nor one for which `due` has to move.
      if (head?.turn.phase !== 'requested' || !keepsDue(head, lease.untilMs)) return undefined;
      const claimed = transition(head, { type: 'claim', turn, ...lease }, nowMs);
      return claimed.ok ? this.#putHead(claimed.head) : undefined;
    });
  }

  steps(head: TaskHead): Promise<readonly StepRecord[]> {
    return this.#call('steps', head.taskId, () =>
      this.#items<StepRecord>(head, 'STEP ').sort((a, b) => a.call - b.call),
    );
  }

  putStep(head: TaskHead, record: StepRecord, children: readonly Child[] = []): Promise<StepRecord> {
    return this.#call('putStep', head.taskId, () => {
      this.#putChildren(head, [...children, { kind: 'step', record }]);
      const standing = this.#read<StepRecord>(head, stepKey(record.call));
      if (standing === undefined) throw new Conflict(this.peek(head.taskId));
      return standing;
    });
  }

  logBefore(head: TaskHead, beforeSeq: number, limit: number): Promise<readonly LogEntry[]> {
    return this.#call('logBefore', head.taskId, () => {
      const entries = this.#items<readonly LogEntry[]>(head, 'LOG ').flat();
      const below = entries.filter((entry) => entry.seq < beforeSeq).sort((a, b) => a.seq - b.seq);
      return limit > 0 ? below.slice(-limit) : [];
    });
  }

  blob(head: TaskHead, hash: string): Promise<string | undefined> {
    return this.#call('blob', head.taskId, () => {
      const item = this.#children.get(head.taskId)?.get(`BLOB ${hash}`);
      return item && (JSON.parse(item.json) as string);
    });
  }

  secret(head: TaskHead, id: string): Promise<string | undefined> {
    return this.#call('secret', head.taskId, () => this.#read<string>(head, `SECRET ${id}`));
  }

  mark(head: TaskHead, id: string): Promise<Mark | undefined> {
    return this.#call('mark', head.taskId, () => this.#read<Mark>(head, `MARK ${id}`));
  }

  dropSecrets(taskId: string): Promise<void> {
    return this.#call('dropSecrets', taskId, () => {
      const items = this.#children.get(taskId);
      for (const key of [...(items?.keys() ?? [])]) if (key.startsWith('SECRET ')) items?.delete(key);
    });
  }

  dropSecret(taskId: string, id: string): Promise<void> {
    return this.#call('dropSecret', taskId, () => {
      this.#children.get(taskId)?.delete(`SECRET ${id}`);
    });
  }

  due(shard: number, nowMs: number, limit: number): Promise<readonly string[]> {
    return this.#call('due', '', () =>
      this.heads()
        .filter((head) => shardOf(head.taskId) === shard && head.dueMs <= nowMs)
        .sort((a, b) => a.dueMs - b.dueMs)
        .slice(0, limit)
        .map((head) => head.taskId),
    );
  }

  remove(head: TaskHead): Promise<void> {
    return this.#call('remove', head.taskId, () => {
      const actual = this.peek(head.taskId);
      if (actual && (actual.version !== head.version || actual.bornMs !== head.bornMs)) throw new Conflict(actual);
      this.#children.delete(head.taskId);
      this.#heads.delete(head.taskId);
    });
  }

  loadAll(taskIds: readonly string[]): Promise<readonly TaskHead[]> {
    return this.#call('loadAll', '', () => [...new Set(taskIds)].flatMap((taskId) => this.peek(taskId) ?? []));
  }

  ownerTasks(filter: TaskFilter, after: ListPosition | undefined, limit: number): Promise<FoundTasks> {
    return this.#call('ownerTasks', '', () => {
      const all = this.#listed(filter).filter((position) => isBehind(position, after));
      const found = all.slice(0, limit);
      const last = found.at(-1);
      return all.length > limit && last ? { found, more: last } : { found };
    });
  }

  countOwnerTasks(filter: TaskFilter, mostEntries: number): Promise<number> {
    return this.#call('countOwnerTasks', '', () => Math.min(this.#listed(filter).length, mostEntries));
  }

  contextTasks(owner: string, contextId: string, limit: number): Promise<readonly string[]> {
    return this.#call('contextTasks', '', () => {
      const mine = this.heads().filter((head) => head.owner === owner && head.contextId === contextId);
      return mine
        .map((head) => head.taskId)
        .sort()
        .slice(0, limit);
    });
  }

  #listed({ owner, agent, contextId, state, sinceMs = 0 }: TaskFilter): ListPosition[] {
    return this.heads()
      .filter((head) => head.owner === owner && head.agent === agent && head.status.atMs >= sinceMs)
      .filter((head) => contextId === undefined || head.contextId === contextId)
      .filter((head) => state === undefined || head.status.state === state)
      .map(({ taskId, status }) => ({ atMs: status.atMs, taskId }))
      .sort(inListOrder);
  }

  /** The head as it stands, without counting as a call. */
  peek(taskId: string): TaskHead | undefined {
    const json = this.#heads.get(taskId);
    return json === undefined ? undefined : (JSON.parse(json) as TaskHead);
  }

  heads(): TaskHead[] {
    return [...this.#heads.values()].map((json) => JSON.parse(json) as TaskHead);
  }

  /** Keys of the items beside the head, sorted: `BLOB <hash>`, `LOG 000001`, `SECRET <id>`, `STEP 000001`. */
  childKeys(taskId: string): string[] {
    return [...(this.#children.get(taskId)?.keys() ?? [])].sort();
  }

  /** All text that is stored, to search for what must not be there. */
  dump(): string {
    const children = [...this.#children.values()].flatMap((items) => [...items.values()].map((item) => item.json));
    return [...this.#heads.values(), ...children].join('\n');
  }

  async #call<T>(op: StoreCall, taskId: string, work: () => T): Promise<T> {
    this.calls.push({ op, taskId });
    await this.before?.(op, taskId);
    const result = work();
    await this.after?.(op, taskId);
    return result;
  }

  #putHead(head: TaskHead): TaskHead {
    const json = JSON.stringify(head);
    this.#heads.set(head.taskId, json);
    return JSON.parse(json) as TaskHead;
  }

  #putChildren(head: TaskHead, children: readonly Child[]): void {
    let items = this.#children.get(head.taskId);
    if (items === undefined) {
      items = new Map();
      this.#children.set(head.taskId, items);
    }
    for (const child of children) {
      const [key, value] = keyAndValue(child);
      const standing = items.get(key);
      if (child.kind === 'step' && standing !== undefined && standing.born >= head.bornMs) continue;
      if ((child.kind === 'log' || child.kind === 'mark') && standing && standing.born > head.bornMs) continue;
      items.set(key, { born: head.bornMs, json: JSON.stringify(value) });
    }
  }

  #read<T>(head: TaskHead, key: string): T | undefined {
    const item = this.#children.get(head.taskId)?.get(key);
    return item === undefined || item.born !== head.bornMs ? undefined : (JSON.parse(item.json) as T);
  }

  #items<T>(head: TaskHead, prefix: string): T[] {
    const items = [...(this.#children.get(head.taskId)?.entries() ?? [])];
    return items
      .filter(([key, item]) => key.startsWith(prefix) && item.born === head.bornMs)
      .map(([, item]) => JSON.parse(item.json) as T);
  }
}

function stepKey(call: number): string {
  return `STEP ${String(call).padStart(6, '0')}`;
}

function keyAndValue(child: Child): [string, unknown] {
  switch (child.kind) {
    case 'blob':
      return [`BLOB ${child.hash}`, child.json];
    case 'log':
      return [`LOG ${String(child.chunk).padStart(6, '0')}`, child.entries];
    case 'step':
      return [stepKey(child.record.call), child.record];
    case 'secret':
      return [`SECRET ${child.id}`, child.sealed];
    case 'mark':
      return [`MARK ${child.mark.id}`, child.mark];
  }
}

/** Any even spread will do: the store is asked shard by shard. */
function shardOf(taskId: string): number {
  let sum = 0;
  for (const character of taskId) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003;
  return sum % limits.dueShards;
}
