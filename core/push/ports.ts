/** What push notifications need from outside, as core/ports.ts is for the rest. */
import type { TaskHead } from '../task.ts';
import type { PushConfig } from './config.ts';

/** Push configs, beside the head of their task. A config belongs to the task of that id that was born then. */
export interface PushStore {
  /** Strongly consistent, as `list`. */
  get(task: PushTask, id: string): Promise<PushConfig | undefined>;
  /** In the order of their ids. */
  list(task: PushTask): Promise<readonly PushConfig[]>;
  /**
   * Writes `next` if what stands is still `previous` (by its version; undefined: nothing stands), and answers whether
   * it was. A write that did reach the store, though its answer was lost, counts as made.
   */
  put(task: PushTask, previous: PushConfig | undefined, next: PushConfig): Promise<boolean>;
  /** One that is not there counts as deleted. */
  delete(task: PushTask, id: string): Promise<void>;
}

export type PushTask = Pick<TaskHead, 'taskId' | 'bornMs'>;

export interface PushQueue {
  /**
   * Sends all or throws RetryableError; the caller logs and counts it, the head's `due` covers it.
   * @param pokes at most `limits.pushConfigsPerTask`
   */
  send(pokes: readonly PushPoke[], delayMs?: number): Promise<void>;
  /** Puts a poke among the dead letters: its receiver was given up, and an operator may send it back. */
  bury(poke: PushPoke): Promise<void>;
}

/** "There may be something to deliver": all that travels through the queue. */
export interface PushPoke {
  readonly taskId: string;
  readonly configId: string;
  /** A dead letter that was sent back: a receiver that was given up is tried once more. */
  readonly again?: true;
}

/** The way to a receiver's server. What is refused and why: push/address.ts. */
export interface Webhooks {
  /**
   * Why nothing will be posted to this address, as the end of the sentence "url ..."; undefined: nothing is known
   * against it now. Looks its name up; the address that is really used is judged again by `post`.
   */
  refusal(url: string): Promise<string | undefined>;
  /** One POST. Never rejects, follows no redirect, reads no body; `why` holds nothing of the address. */
  post(request: WebhookRequest): Promise<WebhookResult>;
}

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type WebhookResult =
  | { readonly ok: true }
  /** `gone`: the receiver says that it will never take anything again (410). */
  | { readonly ok: false; readonly why: string; readonly gone?: true };

/** All of it or nothing: a deployment without a push queue offers no push notifications. */
export interface PushPorts {
  readonly store: PushStore;
  readonly queue: PushQueue;
  readonly webhooks: Webhooks;
}
