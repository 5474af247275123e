/** The first version of a task: one conditional put creates it, and that put is also the de-duplication. */
import type { Effect } from '../effects.ts';
import type { Message } from '../message.ts';
import type { Child, Mark, TaskHead } from '../task.ts';
import type { Transition } from './command.ts';
import { append, type Draft, keep, request } from './draft.ts';
import { done } from './move-out.ts';

export interface NewTask {
  readonly taskId: string;
  readonly contextId: string;
  readonly agent: string;
  readonly owner: string;
  readonly message: Message;
  readonly mark: Mark;
  /** Id of a push config that was written for this task before it. */
  readonly pushConfigId?: string;
  readonly nowMs: number;
}

/** State submitted, generation 1, turn 1 requested. */
export function createTask(task: NewTask): Extract<Transition, { ok: true }> {
  const { taskId, contextId, agent, owner, message, mark, pushConfigId, nowMs } = task;
  const empty: TaskHead = {
    taskId,
    agent,
    owner,
    contextId,
    bornMs: nowMs,
    version: 1,
    seq: 0,
    generation: 0,
    status: { state: 'TASK_STATE_SUBMITTED', atMs: nowMs, seq: 1 },
    turn: { n: 1, phase: 'idle', attempts: 0 },
    calls: [],
    staleTimers: [],
    unread: [],
    marks: [mark],
    log: [],
    used: { messages: 1, asks: 0, questions: 0, artifacts: 0, artifactBytes: 0 },
    secrets: false,
    ...(pushConfigId === undefined ? {} : { push: { ids: [pushConfigId] } }),
    dueMs: nowMs,
  };
  const draft: Draft = {
    head: { ...empty },
    committed: empty,
    children: [] as Child[],
    effects: [] as Effect[],
    nowMs,
  };
  append(draft, { state: 'TASK_STATE_SUBMITTED', received: keep(draft, message) }, true);
  request(draft, 1, 0);
  return done(draft) as Extract<Transition, { ok: true }>;
}
