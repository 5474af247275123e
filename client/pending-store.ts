/**
 * Where tasks stand that nobody follows at the moment: what a store holds and the one conditional write it offers.
 * Implementations: pending-file.ts, pending-dynamodb.ts, or one of your own.
 */
import type { AgentIdentity, OpenQuestion } from './types.ts';

/** One task, as the process that let go of it left it. JSON; never holds an answer. */
export interface PendingTask {
  readonly taskId: string;
  readonly contextId: string;
  readonly agent: AgentIdentity;
  /**
   * waiting: `question` is open. claimed: a process answers it, until `claimedUntilMs`. working: it was answered, or
   * waits for a credential; following it is safe for everybody. done: over, kept so that nobody starts again.
   */
  readonly state: 'waiting' | 'claimed' | 'working' | 'done';
  readonly question?: OpenQuestion;
  readonly claimedUntilMs?: number;
  /** Answers sent so far, and after how many the loop gives up. */
  readonly rounds: number;
  readonly maxRounds: number;
  /** One of our answers was a decline. */
  readonly declined?: true;
  /** The newest event known; older notifications are dropped. Absent: the agent counts none. */
  readonly generation?: number;
  /** Milliseconds since the epoch, when the record was written. */
  readonly savedAtMs: number;
}

export interface StoredTask {
  readonly task: PendingTask;
  /** 1 for the first write of a task, one more with each that follows. */
  readonly version: number;
}

export interface PendingStore {
  get(taskId: string): Promise<StoredTask | undefined>;
  /** All but those that are done, oldest first. */
  list(): Promise<readonly StoredTask[]>;
  /**
   * Compare-and-set, atomic across processes.
   * @param expected the version that was read; undefined: there is none
   * @returns false when the store holds another version; nothing was written then
   */
  write(task: PendingTask, expected: number | undefined): Promise<boolean>;
}
