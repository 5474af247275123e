/** All that travels through the turn queue: which turn, or what is to be undone. The head decides what it means. */
import { isJsonObject } from './json.ts';
import type { UndoOf } from './undo.ts';

export type QueueMessage = TurnMessage | UndoMessage;

export interface TurnMessage {
  readonly taskId: string;
  readonly turn: number;
  readonly undo?: never;
}

export interface UndoMessage {
  readonly taskId: string;
  readonly undo: { readonly of: UndoOf; readonly n: number };
  readonly turn?: never;
}

/** The message and nothing that lies beside it. */
export function queueMessage(message: QueueMessage): QueueMessage {
  const { taskId, turn, undo } = message;
  return turn === undefined ? { taskId, undo: { of: undo.of, n: undo.n } } : { taskId, turn };
}

export function encodeQueueMessage(message: QueueMessage): string {
  return JSON.stringify(queueMessage(message));
}

/** Undefined for whatever `encodeQueueMessage` did not make. */
export function parseQueueMessage(text: string): QueueMessage | undefined {
  const message = jsonIn(text);
  if (!isJsonObject(message)) return undefined;
  const { taskId, turn, undo } = message;
  if (typeof taskId !== 'string' || taskId === '') return undefined;
  if (isJsonObject(undo) && (undo.of === 'hold' || undo.of === 'delegate') && isOrdinal(undo.n)) {
    return { taskId, undo: { of: undo.of, n: undo.n } };
  }
  return isOrdinal(turn) ? { taskId, turn } : undefined;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isOrdinal(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}
