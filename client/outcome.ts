/** What the end of a task means to its caller. */
import { isJsonObject } from '../core/json.ts';
import type { Message, Part, Task } from '../core/message.ts';
import { QUESTION_EXTENSION_URI } from '../core/question/extension.ts';
import { cleanLine, cleanText } from '../core/clean-text.ts';
import { AgentMisbehavedError } from './errors.ts';
import type { EndedKind, Outcome } from './types.ts';

const ENDED: Readonly<Record<string, EndedKind>> = {
  TASK_STATE_FAILED: 'failed',
  TASK_STATE_CANCELED: 'canceled',
  TASK_STATE_REJECTED: 'rejected',
};

/**
 * @param task one that has ended, with all its artifacts
 * @param declined whether the last thing we said to it was a refusal
 */
export function endOf(task: Task, declined: boolean): Outcome {
  const { state } = task.status;
  if (state === 'TASK_STATE_COMPLETED') return { kind: 'completed', task, artifacts: task.artifacts ?? [] };
  const kind = ENDED[state];
  if (kind === undefined) throw new AgentMisbehavedError(`a task that is ${cleanLine(state, 50)} has not ended`);
  const reason = reasonOf(task.status.message);
  const text = wordsOf(task.status.message);
  const told = { task, text, ...(reason === undefined ? {} : { reason }) };
  if (reason === 'QUESTION_EXPIRED' || reason === 'AUTH_EXPIRED') return { kind: 'expired', ...told };
  return { kind: declined ? 'declined' : kind, ...told };
}

/** For people. */
export function wordsOf(message: Message | undefined): string {
  const parts = (message?.parts ?? []).filter(isJsonObject) as readonly Part[];
  const texts = parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  return cleanText(texts.join('\n'));
}

function reasonOf(message: Message | undefined): string | undefined {
  const ours = message?.metadata?.[QUESTION_EXTENSION_URI];
  const reason = isJsonObject(ours) ? ours.reason : undefined;
  return typeof reason === 'string' && /^[A-Z][A-Z0-9_]{0,63}$/.test(reason) ? reason : undefined;
}
