/** Runs a task to its end: sends, follows, answers its questions from the cheapest source that can. */
import type { Client } from '@a2a-js/sdk/client';
import { AgentCalls } from './agent-calls.ts';
import { firstMessage } from './answer-message.ts';
import { machineClock } from './clock.ts';
import { deliverFirst } from './deliver.ts';
import { leftTask, pendingHooks } from './pending-hooks.ts';
import { PendingRecord } from './pending-record.ts';
import type { PendingStore } from './pending-store.ts';
import { type Hooks, type LoopOptions, type Progress, RunLoop } from './run-loop.ts';
import type { ClientClock, OpenQuestion, Outcome, OutgoingMessage, PushConfig, Resolver, TaskUpdate } from './types.ts';

export interface RunOptions {
  /** Asked in order until one answers, declines or detaches. None: the first question ends the run. */
  readonly resolvers?: readonly Resolver[];
  /** Answers the loop sends before it gives up. Default 3. */
  readonly maxRounds?: number;
  /** Told of every question before the resolvers are. */
  readonly onQuestion?: (question: OpenQuestion) => void;
  /** Told of everything that streams or polls bring. */
  readonly onUpdate?: (update: TaskUpdate) => void;
  /** Ends the run with its reason; the task goes on. Cancel it with the client's `cancelTask` if you mean that. */
  readonly signal?: AbortSignal;
  /** Where a task is kept that nobody here can answer now. */
  readonly pending?: PendingStore;
  /** Registered with the message: where the agent tells of what happens while nobody follows. */
  readonly push?: PushConfig;
  readonly clock?: ClientClock;
}

const MAX_ROUNDS = 3;

/**
 * @throws GaveUpError, AgentUnreachableError, AgentMisbehavedError; the SDK's errors when the agent refuses the message; the reason
 *   of the signal; NotPendingError when another process takes the task up that this one was about to leave
 */
export async function runTask(client: Client, message: OutgoingMessage, options: RunOptions = {}): Promise<Outcome> {
  const { pending, push } = options;
  const calls = await openCalls(client, options);
  const loop = loopOptions(options, options.resolvers ?? [], MAX_ROUNDS);
  const progress: Progress = { rounds: 0, declined: false };
  const { name, url } = calls.agent;
  /** From when on others may take the task up as well. */
  let stored: Required<Hooks> | undefined;
  const run: RunLoop = new RunLoop(calls, loop, progress, {
    claim: async (question) => stored?.claim(question),
    released: async () => stored?.released(),
    accepted: async () => stored?.accepted(),
    ended: async () => stored?.ended(),
    async leave(standing, question) {
      if (!pending) return false;
      if (stored) return stored.leave(standing, question);
      const record = await PendingRecord.read(pending, standing.id);
      const now = { progress, maxRounds: loop.maxRounds, savedAtMs: calls.clock.now() };
      const generation = run.follower.view.generation;
      const saved = await record.update(() => leftTask({ name, url }, standing, question, { ...now, generation }));
      if (saved) stored = pendingHooks(record, calls, { progress, loop, run: () => run });
      return saved;
    },
  });
  try {
    await deliverFirst(calls, run.follower, firstMessage(message), push);
  } catch (error) {
    run.follower.close();
    throw error;
  }
  return run.run();
}

export function openCalls(client: Client, { clock = machineClock, signal }: RunOptions): Promise<AgentCalls> {
  signal?.throwIfAborted();
  return AgentCalls.open(client, { clock, signal: signal ?? new AbortController().signal });
}

export function loopOptions(
  { maxRounds, onQuestion = () => {}, onUpdate = () => {} }: RunOptions,
  resolvers: readonly Resolver[],
  defaultRounds: number,
): LoopOptions {
  return { resolvers, maxRounds: maxRounds ?? defaultRounds, onQuestion, onUpdate };
}
