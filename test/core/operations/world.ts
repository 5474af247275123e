/** One agent over the fakes, with the queue delivered by hand. */
import type { Owner } from '../../../core/ids.ts';
import type { Message, Part, Task } from '../../../core/message.ts';
import { runTurn } from '../../../core/operations/run-turn.ts';
import { sendMessage } from '../../../core/operations/send-message.ts';
import { fakeDeps } from '../../fakes/deps.ts';
import { tinyAgent, type TinyAgent } from './tiny-agent.ts';

export const alice: Owner = { tenant: 'local', principal: 'alice' };
export const AMPLE = { remainingMs: () => 900_000 };

export function world(agent: TinyAgent = tinyAgent()) {
  const deps = fakeDeps({ agent });
  return {
    deps,
    agent,
    /** Sends without waiting for the turn. */
    async send(message: Omit<Message, 'role'>, owner: Owner = alice): Promise<Task> {
      const request = {
        message: { ...message, role: 'ROLE_USER' as const },
        configuration: { returnImmediately: true },
      };
      const result = await sendMessage(deps, owner, request);
      if (!('task' in result)) throw new Error('no task');
      return result.task;
    },
    /** Delivers every message that is on the queue and visible now. */
    async deliver(): Promise<void> {
      for (let next = deps.queue.take(); next; next = deps.queue.take()) await runTurn(deps, next, AMPLE);
    },
  };
}

export const text = (words: string): Part => ({ text: words });
export const request = { messageId: 'm-1', parts: [text('File my taxi receipt from Tuesday, 42 euros')] };

export function answerTo(task: Task, values: Record<string, string>, messageId = 'm-2'): Omit<Message, 'role'> {
  const questionId = task.status.message?.messageId ?? 'none';
  return { messageId, taskId: task.id, parts: [{ data: { questionId, ...values } }] };
}
