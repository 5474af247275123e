/** Push configs in memory, kept as JSON text. `before` lets a test crash a call, or look in between. */
import type { PushStore, PushTask } from '../../core/push/ports.ts';
import type { PushConfig } from '../../core/push/config.ts';

export type PushStoreCall = Exclude<keyof PushStore, symbol>;

export class MemoryPushStore implements PushStore {
  /** Runs before a call does anything; what it throws, the caller sees. */
  before: ((op: PushStoreCall, id: string) => void | Promise<void>) | undefined;
  /** Runs when a call has done its work; what it throws, the caller sees instead of the result. */
  after: ((op: PushStoreCall, id: string) => void | Promise<void>) | undefined;
  readonly #configs = new Map<string, string>();

  get(task: PushTask, id: string): Promise<PushConfig | undefined> {
    return this.#call('get', id, () => this.peek(task, id));
  }

  list(task: PushTask): Promise<readonly PushConfig[]> {
    return this.#call('list', '', () =>
      [...this.#configs.keys()]
        .filter((key) => key.startsWith(keyOf(task, '')))
        .map((key) => JSON.parse(this.#configs.get(key) as string) as PushConfig)
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    );
  }

  put(task: PushTask, previous: PushConfig | undefined, next: PushConfig): Promise<boolean> {
    return this.#call('put', next.id, () => {
      if (this.peek(task, next.id)?.version !== previous?.version) return false;
      this.#configs.set(keyOf(task, next.id), JSON.stringify(next));
      return true;
    });
  }

  delete(task: PushTask, id: string): Promise<void> {
    return this.#call('delete', id, () => {
      this.#configs.delete(keyOf(task, id));
    });
  }

  /** The config as it stands, without counting as a call. */
  peek(task: PushTask, id: string): PushConfig | undefined {
    const json = this.#configs.get(keyOf(task, id));
    return json === undefined ? undefined : (JSON.parse(json) as PushConfig);
  }

  /** All text that is stored, to search for what must not be there. */
  dump(): string {
    return [...this.#configs.values()].join('\n');
  }

  async #call<T>(op: PushStoreCall, id: string, work: () => T): Promise<T> {
    await this.before?.(op, id);
    const result = work();
    await this.after?.(op, id);
    return result;
  }
}

function keyOf({ taskId, bornMs }: PushTask, id: string): string {
  return `${taskId} ${bornMs} ${id}`;
}
