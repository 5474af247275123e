/**
 * A task store in memory that does what a cycle needs and no more; the rest of the port refuses. It hands out what it
 * keeps, because a head is a value: nothing ever changes one in place (test/bench/contenders.test.ts). With
 * `structuredClone` as `copy` it clones what is saved and what is loaded, as the store of the peer must, whose tasks
 * change.
 */
import { Conflict, type Lease, type TaskStore } from '../core/ports.ts';
import type { Child, LogEntry, StepRecord, TaskHead } from '../core/task.ts';
import { claim, keepsDue } from '../core/transition/claim.ts';

export class MemoryTaskStore implements TaskStore {
  readonly #copy: <T>(value: T) => T;
  readonly #heads = new Map<string, TaskHead>();
  readonly #steps = new Map<string, StepRecord[]>();
  readonly #log = new Map<string, LogEntry[]>();

  constructor(copy: <T>(value: T) => T = (value) => value) {
    this.#copy = copy;
  }

  get taskIds(): readonly string[] {
    return [...this.#heads.keys()];
  }

  async create(head: TaskHead, children: readonly Child[]): Promise<{ created: TaskHead } | { exists: TaskHead }> {
    const exists = await this.load(head.taskId);
    if (exists) return { exists };
    this.#put(head, children);
    return { created: head };
  }

  async load(taskId: string): Promise<TaskHead | undefined> {
    return this.#copy(this.#heads.get(taskId));
  }

  async save(previous: TaskHead, next: TaskHead, children: readonly Child[] = []): Promise<TaskHead> {
    if (this.#heads.get(next.taskId)?.version !== previous.version) throw new Conflict(await this.load(next.taskId));
    this.#put(next, children);
    return next;
  }

  async claim(taskId: string, turn: number, lease: Lease, nowMs: number): Promise<TaskHead | undefined> {
    const head = this.#heads.get(taskId);
    if (!head || !keepsDue(head, lease.untilMs)) return undefined;
    const claimed = claim(head, { type: 'claim', turn, ...lease }, nowMs);
    if (!claimed.ok) return undefined;
    this.#heads.set(taskId, claimed.head);
    return this.load(taskId);
  }

  async steps(head: TaskHead): Promise<readonly StepRecord[]> {
    return this.#copy(this.#steps.get(head.taskId) ?? []);
  }

  async putStep(head: TaskHead, record: StepRecord): Promise<StepRecord> {
    this.#putChildren(head.taskId, [{ kind: 'step', record }]);
    return record;
  }

  async logBefore(head: TaskHead, beforeSeq: number, limit: number): Promise<readonly LogEntry[]> {
    const below = (this.#log.get(head.taskId) ?? []).filter(({ seq }) => seq < beforeSeq);
    return this.#copy(limit > 0 ? below.slice(-limit) : []);
  }

  mark = async (): Promise<undefined> => undefined;
  blob = notHere;
  secret = notHere;
  dropSecrets = notHere;
  dropSecret = notHere;
  due = notHere;
  remove = notHere;
  loadAll = notHere;
  ownerTasks = notHere;
  countOwnerTasks = notHere;
  contextTasks = notHere;

  #put(head: TaskHead, children: readonly Child[]): void {
    this.#putChildren(head.taskId, children);
    this.#heads.set(head.taskId, this.#copy(head));
  }

  #putChildren(taskId: string, children: readonly Child[]): void {
    for (const child of children) {
      if (child.kind === 'step') keep(this.#steps, taskId, [this.#copy(child.record)]);
      else if (child.kind === 'log') keep(this.#log, taskId, this.#copy(child.entries));
      else if (child.kind !== 'mark') throw new Error(`the bench writes no ${child.kind}`);
    }
  }
}

function keep<T>(items: Map<string, T[]>, taskId: string, more: readonly T[]): void {
  items.set(taskId, [...(items.get(taskId) ?? []), ...more]);
}

async function notHere(): Promise<never> {
  throw new Error('not in the bench');
}
