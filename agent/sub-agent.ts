/**
 * Another agent as `turn.delegate` sees it. `remoteAgent` makes one of an address (remote-agent.ts); anything else that
 * answers like this will do, in tests above all. Types, and the one error.
 */
import type { Json } from '../core/json.ts';
import type { Message, Task } from '../core/message.ts';

export interface SubAgent {
  /**
   * Sends a message and waits for no more than its being taken. The same messageId may come again, after a crash or a
   * lost answer, and must then do nothing new.
   * @throws SubAgentError
   */
  send(message: Message, options: SendOptions): Promise<Reply>;
  /** The task as it is now, without its history. @throws SubAgentError */
  get(taskId: string, signal: AbortSignal): Promise<Task>;
  /** Resolves also where the task has ended or is not known. @throws SubAgentError */
  cancel(taskId: string, signal: AbortSignal): Promise<void>;
  /** Whether the agent tells of changes by webhook; absent: it does not. @throws SubAgentError */
  pushes?(signal: AbortSignal): Promise<boolean>;
  /** Hands over a credential at an address that the agent gave out for it. @throws SubAgentError */
  authorize?(callbackUrl: string, credential: Json, signal: AbortSignal): Promise<void>;
}

export interface SendOptions {
  readonly signal: AbortSignal;
  /** Where to tell of changes. */
  readonly pushUrl?: string;
}

/** An agent may answer at once, without a task. */
export type Reply = { readonly task: Task } | { readonly message: Message };

/** The other agent refused, or could not be reached. */
export class SubAgentError extends Error {
  override readonly name = 'SubAgentError';
  /** The same may go well later: no connection, no answer in time, too many requests, a fault of the agent. */
  readonly retryable: boolean;

  constructor(message: string, options: { readonly retryable: boolean; readonly cause?: unknown }) {
    super(message, { cause: options.cause });
    this.retryable = options.retryable;
  }
}

/** What another than `remoteAgent` throws may be anything: then trying again may help. */
export function isRetryable(error: unknown): boolean {
  return !(error instanceof SubAgentError) || error.retryable;
}
