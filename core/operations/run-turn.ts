/**
 * One turn: claim the lease, read the journal, run the author's code from the top, write what came of it. Runs on any
 * worker; a queue message that is late, doubled or wrong finds nothing to claim and is done.
 */
import { AgentFault } from '../errors.ts';
import { parseOwnerKey } from '../ids.ts';
import { limits } from '../limits.ts';
import type { Deps } from '../ports.ts';
import type { TurnMessage } from '../queue-message.ts';
import type { TaskHead } from '../task.ts';
import { effectsOfClaim } from '../transition/claim.ts';
import { retryDelayMs } from '../transition/turn.ts';
import { answerWaitedMs } from '../view/answer-waited.ts';
import { entryAt } from '../view/entries.ts';
import { resolveKept } from '../view/kept.ts';
import { change } from './change.ts';
import { perform } from './perform.ts';
import { StoreTurnHost } from './turn-host.ts';
import { loadRecords, readMessages } from './turn-records.ts';
import { TurnWriter } from './turn-writer.ts';

/**
 * @param budget how long this worker may still run, in milliseconds; the turn goes on elsewhere before that
 * @throws RetryableError when the store does not answer before the turn was claimed: the queue delivers again
 */
export async function runTurn(deps: Deps, message: TurnMessage, budget: { remainingMs(): number }): Promise<void> {
  const token = deps.ids.unique();
  const head = await claim(deps, message, token);
  if (!head) return;
  deps.wake.notify(head.taskId);
  const waitedMs = answerWaitedMs(head, deps.clock.now());
  if (waitedMs !== undefined) deps.log.measure('AnswerToResume', waitedMs);
  const writer = new TurnWriter(deps, head, token);
  const host = await openHost(deps, writer);
  keepLease(deps, writer, host, budget);
  const finished = deps.agent.run(host).then(
    () => finish(writer),
    (error: unknown) => fail(deps, writer, error),
  );
  // Whichever comes first: the code returned or threw, or the turn ended under it (a pause, a lost lease).
  await Promise.race([finished, writer.left]);
}

async function finish(writer: TurnWriter): Promise<void> {
  await writer.writeAndLeave({ type: 'end', state: 'TASK_STATE_COMPLETED' });
}

async function fail(deps: Deps, writer: TurnWriter, error: unknown): Promise<void> {
  if (writer.over) return;
  const { taskId, turn } = writer.head;
  const correlationId = deps.ids.unique();
  // Other code than the one that began the task may be rolled back: that alone of an author's faults is tried again.
  const changed = error instanceof AgentFault && error.reason === 'CODE_CHANGED';
  const fatal = error instanceof AgentFault && !changed;
  const because = changed ? { because: error.message } : {};
  deps.log.error('the agent failed', {
    taskId,
    turn: turn.n,
    attempt: turn.attempts,
    attempts: limits.turnAttempts,
    retryInMs: fatal ? undefined : retryDelayMs(turn.attempts),
    correlationId,
    error,
  });
  await writer.writeAndLeave({ type: 'fail-attempt', fatal, correlationId, ...because });
}

/** One write in the common cases (`store.claim`); otherwise load, decide, save. */
async function claim(deps: Deps, message: TurnMessage, token: string): Promise<TaskHead | undefined> {
  const { store, clock } = deps;
  const nowMs = clock.now();
  const untilMs = nowMs + limits.leaseMs;
  const claimed = await store.claim(message.taskId, message.turn, { token, untilMs }, nowMs);
  if (claimed) {
    await perform(deps, effectsOfClaim(claimed));
    return claimed;
  }
  const head = await store.load(message.taskId);
  if (!head || head.agent !== deps.agent.name) return undefined;
  const changed = await change(deps, head, () => ({
    type: 'claim',
    turn: message.turn,
    token,
    untilMs: clock.now() + limits.leaseMs,
  }));
  return changed.ok ? changed.head : undefined;
}

async function openHost(deps: Deps, writer: TurnWriter): Promise<StoreTurnHost> {
  const { head } = writer;
  const first = await entryAt(deps.store, head, 1);
  if (!first?.received) throw new Error(`task ${head.taskId} has no first message`);
  const [request, records] = await Promise.all([
    resolveKept(deps.store, head, first.received),
    loadRecords(deps, head),
  ]);
  return new StoreTurnHost(deps, writer, {
    request,
    owner: parseOwnerKey(head.owner),
    records,
    read: readMessages(records),
  });
}

/** Renews the lease until the turn is over, and leaves in time when the worker's own end comes near. */
function keepLease(deps: Deps, writer: TurnWriter, host: StoreTurnHost, budget: { remainingMs(): number }): void {
  let stop = (): void => undefined;
  const wait = (): void => {
    const leftMs = budget.remainingMs() - limits.workerStopBeforeEndMs;
    stop = deps.clock.after(Math.max(0, Math.min(limits.heartbeatMs, leftMs)), () => void beat());
  };
  const beat = async (): Promise<void> => {
    if (budget.remainingMs() > limits.workerStopBeforeEndMs) {
      await writer.write({ type: 'renew', untilMs: deps.clock.now() + limits.leaseMs });
      return wait();
    }
    // A head that is too full for what waits to be told fails the attempt, as it does at any other call.
    await host.yield().catch((error: unknown) => fail(deps, writer, error));
  };
  wait();
  void writer.left.then(() => stop());
}
