/**
 * What a run writes down about a task that stands in a pending store: the claim before an answer goes out, whether it
 * arrived, and how the run left the task. Which task, and when, is the loop's business (run-loop.ts).
 */
import type { AgentCalls } from './agent-calls.ts';
import { NotPendingError } from './errors.ts';
import type { PendingRecord } from './pending-record.ts';
import type { PendingTask } from './pending-store.ts';
import type { Hooks, Progress, RunLoop } from './run-loop.ts';
import type { Standing } from './task-view.ts';
import type { AgentIdentity, OpenQuestion } from './types.ts';

/** Time from the claim until the agent has the answer; a process that died in between blocks nobody for longer. */
const CLAIM_MS = 120_000;

export interface Running {
  readonly progress: Progress;
  readonly loop: { readonly maxRounds: number };
  readonly run: () => RunLoop;
}

export function pendingHooks(
  record: PendingRecord,
  calls: AgentCalls,
  { progress, loop, run }: Running,
): Required<Hooks> {
  const { clock } = calls;
  /** In this process, a claim was taken and its answer not sent yet. */
  let claimed = false;
  return {
    async claim(question) {
      const claim = { claimedUntilMs: clock.now() + CLAIM_MS, savedAtMs: clock.now() };
      claimed = await record.update((now) =>
        now && isFree(now, question, clock.now()) ? { ...now, state: 'claimed', question, ...claim } : undefined,
      );
      if (!claimed) throw new NotPendingError(question.taskId, 'taken');
    },
    async accepted() {
      claimed = false;
      await record.update((now) => now && working(now, progress, clock.now()));
    },
    async released() {
      if (!claimed) return;
      claimed = false;
      await record.update((now) => (now?.state === 'claimed' ? waiting(now, clock.now()) : undefined));
    },
    async leave(standing, question) {
      const { generation } = run().follower.view;
      const left = { progress, maxRounds: loop.maxRounds, savedAtMs: clock.now(), generation };
      const { name, url } = calls.agent;
      await record.update((now) => {
        // Another process answers this very question at the moment: what it knows is newer.
        if (now?.state === 'claimed' && question && now.question?.key === question.key) return undefined;
        return leftTask(now?.agent ?? { name, url }, standing, question, left);
      });
      return true;
    },
    async ended() {
      claimed = false;
      await record.update((now) => now && done(now, clock.now()));
    },
  };
}

/** Whether nobody else answers this question now, or has. */
function isFree(now: PendingTask, question: OpenQuestion, nowMs: number): boolean {
  if (now.state === 'done') return false;
  if (now.state === 'claimed') return (now.claimedUntilMs ?? 0) <= nowMs;
  // Working: our record is behind the task, unless it is this question that was answered.
  return now.state === 'waiting' || now.question?.key !== question.key;
}

function working({ claimedUntilMs: _claim, ...now }: PendingTask, progress: Progress, savedAtMs: number): PendingTask {
  const { declined: _declined, ...rest } = now;
  return {
    ...rest,
    state: 'working',
    rounds: progress.rounds,
    ...(progress.declined ? { declined: true } : {}),
    savedAtMs,
  };
}

function waiting({ claimedUntilMs: _claim, ...now }: PendingTask, savedAtMs: number): PendingTask {
  return { ...now, state: 'waiting', savedAtMs };
}

/** Kept without its question, so that nobody starts again. */
function done({ claimedUntilMs: _claim, question: _question, ...now }: PendingTask, savedAtMs: number): PendingTask {
  return { ...now, state: 'done', savedAtMs };
}

interface Left {
  readonly progress: Progress;
  readonly maxRounds: number;
  readonly savedAtMs: number;
  readonly generation: number | undefined;
}

/** The record of a task that waits for an answer, or, without a question, for something else. */
export function leftTask(
  agent: AgentIdentity,
  { id, contextId }: Standing,
  question: OpenQuestion | undefined,
  { progress, maxRounds, savedAtMs, generation }: Left,
): PendingTask {
  return {
    taskId: id,
    contextId,
    agent,
    state: question ? 'waiting' : 'working',
    ...(question ? { question } : {}),
    rounds: progress.rounds,
    maxRounds,
    ...(progress.declined ? { declined: true } : {}),
    ...(generation === undefined ? {} : { generation }),
    savedAtMs,
  };
}
