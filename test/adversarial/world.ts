/** One real agent over the fakes, for attacks: turns are delivered by hand, and any worker can be held at any call. */
import { defineAgent } from '../../agent/define-agent.ts';
import type { Turn } from '../../agent/turn.ts';
import type { Owner } from '../../core/ids.ts';
import type { Message, Task } from '../../core/message.ts';
import { getTask } from '../../core/operations/get-task.ts';
import { runTurn } from '../../core/operations/run-turn.ts';
import { sendMessage } from '../../core/operations/send-message.ts';
import type { AgentSettings } from '../../core/agent.ts';
import type { Deps } from '../../core/ports.ts';
import { fakeDeps } from '../fakes/deps.ts';
import type { StoreCall } from '../fakes/memory-store.ts';

export const alice: Owner = { tenant: 'acme', principal: 'alice' };
export const AMPLE = { remainingMs: () => 900_000 };
const CARD = {
  name: 'Attacked agent',
  description: 'Is attacked.',
  version: '1',
  skills: [{ id: 's', name: 'Skill', description: 'Does it.', tags: [] }],
};

export function attacked(run: (turn: Turn) => Promise<void>, settings: Partial<AgentSettings> = {}) {
  const deps = fakeDeps({ agent: defineAgent({ card: CARD, run, ...settings }) });
  return {
    deps,
    async send(message: Omit<Message, 'role'>, owner: Owner = alice, over: Partial<Deps> = {}): Promise<Task> {
      const result = await sendMessage({ ...deps, ...over }, owner, {
        message: { ...message, role: 'ROLE_USER' },
        configuration: { returnImmediately: true },
      });
      if (!('task' in result)) throw new Error('no task');
      return result.task;
    },
    get: (id: string, owner: Owner = alice) => getTask(deps, owner, { id }),
    async deliver(): Promise<void> {
      for (let next = deps.queue.take(); next; next = deps.queue.take()) await runTurn(deps, next, AMPLE);
    },
  };
}

export const first: Omit<Message, 'role'> = { messageId: 'm-1', parts: [{ text: 'go' }] };

export function said(task: Task, messageId: string, words: string): Omit<Message, 'role'> {
  return { messageId, taskId: task.id, parts: [{ text: words }] };
}

/** A data part that names the question that is open in `task`. */
export function answered(
  task: Task,
  messageId: string,
  values: Record<string, string | number>,
): Omit<Message, 'role'> {
  const questionId = task.status.message?.messageId ?? 'none';
  return { messageId, taskId: task.id, parts: [{ data: { questionId, ...values } }] };
}

/**
 * The store as one caller or worker has it, who is held before its next call of this kind: `held` resolves when it has
 * come there, `go` lets it on.
 */
export function holding(store: Deps['store'], op: StoreCall) {
  let arrived: () => void = () => undefined;
  let go: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const open = new Promise<void>((resolve) => {
    go = resolve;
  });
  const slow = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        if (name === op) {
          arrived();
          await open;
        }
        return (value as (...given: unknown[]) => unknown).apply(target, args);
      };
    },
  });
  return { store: slow, held, go };
}

/** What a call was refused with; a short text when it was not. */
export function refusal(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'not refused',
    (error: unknown) => error,
  );
}
