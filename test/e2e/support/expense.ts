/** What the scenarios say to the expense agent, and what they read in its answers. */
import { randomUUID } from 'node:crypto';
import type { Json, JsonObject } from '../../../core/json.ts';
import type { Message, Task } from '../../../core/message.ts';
import type { QuestionData } from '../../../core/question/types.ts';
import type { Reply } from './bindings.ts';

export const REQUEST = 'File my taxi receipt from Tuesday, 42 euros';

export function say(text: string, to: Partial<Message> = {}): Message {
  return { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...to };
}

export function answer(task: Task, data: JsonObject, to: Partial<Message> = {}): Message {
  const parts = [{ data: { questionId: question(task).questionId, ...data }, mediaType: 'application/json' }];
  return { messageId: randomUUID(), role: 'ROLE_USER', taskId: task.id, contextId: task.contextId, parts, ...to };
}

/** The task of a reply that must be one. */
export function taskOf({ status, task, error }: Reply): Task {
  if (!task || error) throw new Error(`expected a task, got ${status} ${JSON.stringify(error)}`);
  return task;
}

/** The question that stands in the task's status. */
export function question(task: Task): QuestionData {
  const part = task.status.message?.parts.find(({ data }) => data !== undefined);
  if (!part) throw new Error(`task ${task.id} asks nothing: ${JSON.stringify(task.status)}`);
  return part.data as unknown as QuestionData;
}

export function statusText(task: Task): string {
  return task.status.message?.parts.map(({ text }) => text ?? '').join('') ?? '';
}

/** The data of the artifact named "expense". */
export function expense(task: Task): JsonObject | undefined {
  const artifacts = task.artifacts?.filter(({ name }) => name === 'expense') ?? [];
  if (artifacts.length > 1) throw new Error('more than one expense');
  return artifacts[0]?.parts[0]?.data as JsonObject | undefined;
}

/** The history in short: who said what. */
export function history(task: Task): readonly [string, Json | undefined][] {
  return (task.history ?? []).map(({ role, parts }) => {
    const data = parts.find((part) => part.data !== undefined)?.data as JsonObject | undefined;
    return [role, role === 'ROLE_AGENT' && data ? (data.questionId ?? null) : (data ?? parts[0]?.text ?? null)];
  });
}
