/** The one record of one task in a pending store, as the process that works on it knows it. */
import { AgentMisbehavedError } from './errors.ts';
import type { PendingStore, PendingTask } from './pending-store.ts';

/** How often a write is tried on top of what others wrote; notifications write too. */
const TRIES = 5;

export class PendingRecord {
  readonly #store: PendingStore;
  readonly #taskId: string;
  #task: PendingTask | undefined;
  #version: number | undefined;

  private constructor(store: PendingStore, taskId: string) {
    this.#store = store;
    this.#taskId = taskId;
  }

  static async read(store: PendingStore, taskId: string): Promise<PendingRecord> {
    const record = new PendingRecord(store, taskId);
    await record.#refresh();
    return record;
  }

  get task(): PendingTask | undefined {
    return this.#task;
  }

  /**
   * Writes what `change` makes of the record as it is now; undefined: nothing. Decided again on whatever another
   * process wrote meanwhile.
   * @returns whether it was written
   */
  async update(change: (now: PendingTask | undefined) => PendingTask | undefined): Promise<boolean> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const next = change(this.#task);
      if (!next) return false;
      const kept = newest(next, this.#task);
      if (await this.#store.write(kept, this.#version)) {
        this.#task = kept;
        this.#version = (this.#version ?? 0) + 1;
        return true;
      }
      await this.#refresh();
    }
    return false;
  }

  async #refresh(): Promise<void> {
    const stored = await this.#store.get(this.#taskId);
    this.#task = stored?.task;
    this.#version = stored?.version;
  }
}

/** A generation never goes back: an old notification would wake somebody again. */
function newest(next: PendingTask, now: PendingTask | undefined): PendingTask {
  if (now && now.state !== 'done' && now.agent.url !== next.agent.url) {
    throw new AgentMisbehavedError(`the agent uses the task id of another agent's task: ${next.taskId}`);
  }
  const generation = Math.max(next.generation ?? 0, now?.generation ?? 0);
  return generation > 0 ? { ...next, generation } : next;
}
