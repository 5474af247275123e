/**
 * Askback as a contender: its operations as the handlers call them, the queue delivered at once. Without HTTP, and over
 * whatever ports it is given.
 */
import type { Agent } from '../core/agent.ts';
import type { Message, Task } from '../core/message.ts';
import { getTask } from '../core/operations/get-task.ts';
import { runTurn } from '../core/operations/run-turn.ts';
import { sendMessage } from '../core/operations/send-message.ts';
import type { Deps, TaskStore } from '../core/ports.ts';
import type { TurnMessage } from '../core/queue-message.ts';
import type { TaskHead } from '../core/task.ts';
import { pollingWake, systemClock, systemIds } from '../functions/system.ts';
import { fakeDeps } from '../test/fakes/deps.ts';
import { MemoryTaskStore } from './memory-task-store.ts';
import type { Contender } from './contender.ts';
import { ANSWER, askingAgent, REQUEST_TEXT } from './question.ts';
import { silentLog } from './silent-log.ts';

/** As long as owners are who come with a token. */
export const OWNER = { tenant: 'acme', principal: 'https://login.example.com#user-1' };
export const BUDGET = { remainingMs: () => 900_000 };

/** Ports of the running process, with no log and no timers. */
export function benchDeps(agent: Agent, store: TaskStore): Deps {
  const deadlines = { set: async () => {}, delete: async () => {} };
  return fakeDeps({ agent, store, deadlines, clock: systemClock, ids: systemIds, wake: pollingWake, log: silentLog });
}

export function askbackInMemory({ looks = false, rounds = 1, store = new MemoryTaskStore() } = {}): Contender {
  return askbackOn({ deps: benchDeps(askingAgent(rounds), store), rounds, looks });
}

export interface AskbackOptions {
  readonly deps: Deps;
  readonly rounds: number;
  /** Whether the caller reads question and result with GetTask; otherwise it is told, as by a notification. */
  readonly looks: boolean;
  stop?(): Promise<void>;
}

/** What the caller knows of its task. */
interface Known {
  readonly id: string;
  readonly state: string;
  readonly questionId: string;
  readonly artifacts: number;
}

export function askbackOn({ deps, rounds, looks, stop }: AskbackOptions): Contender {
  const { wired, deliver } = withHeldTurns(deps);
  const written = lastSaved(deps.store);
  const send = async (message: Omit<Message, 'role'>): Promise<Known> => {
    const configuration = { returnImmediately: true, historyLength: 0 };
    const sent = await sendMessage(wired, OWNER, { message: { role: 'ROLE_USER', ...message }, configuration });
    if (!('task' in sent)) throw new Error('no task');
    const { id } = sent.task;
    await deliver(id);
    const head = written(id);
    if (looks) return seen(await getTask(wired, OWNER, { id, historyLength: 0 }));
    const questionId = head.ask?.questionId ?? '';
    return { id, state: head.status.state, questionId, artifacts: head.used.artifacts };
  };
  return {
    async ask(id) {
      const { state } = await send({ messageId: `${id}-0`, parts: [{ text: REQUEST_TEXT }] });
      if (state !== 'TASK_STATE_INPUT_REQUIRED') throw new Error(`asks nothing: ${state}`);
    },
    async cycle(id) {
      let task = await send({ messageId: `${id}-0`, parts: [{ text: REQUEST_TEXT }] });
      for (let round = 1; round <= rounds; round++) {
        const parts = [{ data: { questionId: task.questionId, ...ANSWER } }];
        task = await send({ messageId: `${id}-${round}`, taskId: task.id, parts });
      }
      if (task.state !== 'TASK_STATE_COMPLETED') throw new Error(`not completed: ${task.state}`);
      if (task.artifacts !== 1) throw new Error('no artifact');
    },
    ...(stop ? { stop } : {}),
  };
}

function seen({ id, status, artifacts = [] }: Task): Known {
  return { id, state: status.state, questionId: status.message?.messageId ?? '', artifacts: artifacts.length };
}

/** A task whose question has been asked a moment ago. */
export async function taskThatWaits(deps: Deps, messageId = 'm-1'): Promise<Task> {
  const { wired, deliver } = withHeldTurns(deps);
  const message: Message = { messageId, role: 'ROLE_USER', parts: [{ text: REQUEST_TEXT }] };
  const sent = await sendMessage(wired, OWNER, { message, configuration: { returnImmediately: true } });
  if (!('task' in sent)) throw new Error('no task');
  await deliver(sent.task.id);
  return getTask(wired, OWNER, { id: sent.task.id, historyLength: 0 });
}

/** A queue that keeps each task's turn until it is asked for: callers do not run each other's. */
function withHeldTurns(deps: Deps) {
  const turns = new Map<string, TurnMessage>();
  const queue = {
    send: async (message: Parameters<Deps['queue']['send']>[0]) => {
      if (message.turn !== undefined) turns.set(message.taskId, message);
    },
  };
  const wired: Deps = { ...deps, queue };
  const deliver = async (taskId: string): Promise<void> => {
    const next = turns.get(taskId);
    turns.delete(taskId);
    if (!next) throw new Error('no turn was requested');
    await runTurn(wired, next, BUDGET);
  };
  return { wired, deliver };
}

/** Keeps the head that a task was last saved as, until it is taken: what the turn itself wrote, without another read. */
function lastSaved(store: TaskStore): (taskId: string) => TaskHead {
  const saved = new Map<string, TaskHead>();
  const save = store.save.bind(store);
  store.save = async (...given) => {
    const head = await save(...given);
    saved.set(head.taskId, head);
    return head;
  };
  return (taskId) => {
    const head = saved.get(taskId);
    saved.delete(taskId);
    if (!head) throw new Error('the turn wrote nothing');
    return head;
  };
}
