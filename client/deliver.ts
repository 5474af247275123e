/**
 * Sends a message until it is known that it arrived. An agent that takes repeats gets the same message again; of any
 * other the task is looked at first, since what it takes twice could be two answers.
 */
import type { Message } from '../core/message.ts';
import { type AgentCalls, RETRY_MS, unreachable } from './agent-calls.ts';
import { AgentMisbehavedError } from './errors.ts';
import type { Follower } from './follow.ts';
import { questionKey } from './question-key.ts';
import { isRefusal } from './refusals.ts';
import type { PushConfig } from './types.ts';

/** @throws AgentUnreachableError, or the agent's refusal */
export async function deliverFirst(
  calls: AgentCalls,
  follower: Follower,
  message: Message,
  push?: PushConfig,
): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      await follower.send(message, { push });
      if (follower.view.standing || follower.view.reply) return;
      throw new Error('its stream ended without a word');
    } catch (error) {
      calls.signal.throwIfAborted();
      if (error instanceof AgentMisbehavedError || isRefusal(error)) throw error;
      const delay = RETRY_MS[tries];
      // Without a task id there is nothing to look at: another agent might start a second task.
      if (delay === undefined || !calls.agent.takesRepeats) throw unreachable(error, message.taskId);
      await calls.sleep(delay);
    }
  }
}

/**
 * @param key of the question that the message answers
 * @returns false when the agent refused it because the question is settled already
 * @throws AgentUnreachableError, or the agent's refusal while the question is still open
 */
export async function deliver(calls: AgentCalls, follower: Follower, message: Message, key: string): Promise<boolean> {
  const taskId = message.taskId as string;
  for (let tries = 0; ; tries += 1) {
    try {
      await sendAnswer(follower, message, key);
      return true;
    } catch (error) {
      calls.signal.throwIfAborted();
      follower.view.answered(key);
      follower.close();
      if (error instanceof AgentMisbehavedError) throw error;
      const refused = isRefusal(error);
      const delay = RETRY_MS[tries];
      if (!refused && delay === undefined) throw unreachable(error, taskId);
      if (!refused) await calls.sleep(delay as number);
      if (!refused && calls.agent.takesRepeats) continue;
      // Refused, because another answer was there first, the time was over, or for a reason of its own.
      const { status } = await follower.look(taskId);
      if (status.state !== 'TASK_STATE_INPUT_REQUIRED' || questionKey(status) !== key) return !refused;
      if (refused) throw error;
    }
  }
}

/** Beside a stream that stays open, which goes on telling; otherwise on one of its own. */
async function sendAnswer(follower: Follower, message: Message, key: string): Promise<void> {
  follower.view.answered(key);
  if (follower.live) return follower.sendBeside(message);
  await follower.send(message, { key });
  if (!follower.view.settled) follower.view.answered(key);
}
