/** What a file of the pending store holds, and reading it: what somebody else wrote there, or a disk spoilt, is no record. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isJsonObject } from '../core/json.ts';
import type { PendingTask } from './pending-store.ts';

/** Every write has an id of its own and names those before it. */
export interface Written {
  readonly id: string;
  readonly ancestors: readonly string[];
  readonly task: PendingTask;
}

/** The name of a task, and the version. */
export const FILE = /^([0-9a-f]{40})\.([0-9]{1,9})\.json$/;

/** Task ids are an agent's: anything may stand in them, and file systems differ in what they take for equal. */
export function nameOf(taskId: string): string {
  return createHash('sha256').update(taskId).digest('hex').slice(0, 40);
}

const STATES: ReadonlySet<unknown> = new Set<PendingTask['state']>(['waiting', 'claimed', 'working', 'done']);

/** Undefined for what is no record of the task that the file is named for. */
export function readWritten(text: string, name: string): Written | undefined {
  let written: unknown;
  try {
    written = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(written) || typeof written.id !== 'string' || !Array.isArray(written.ancestors)) return undefined;
  const { task } = written;
  if (!isJsonObject(task) || typeof task.taskId !== 'string' || nameOf(task.taskId) !== name) return undefined;
  if (!STATES.has(task.state) || !isJsonObject(task.agent) || typeof task.agent.url !== 'string') return undefined;
  const numbers = [task.rounds, task.maxRounds, task.savedAtMs];
  return numbers.every((value) => typeof value === 'number') ? (written as unknown as Written) : undefined;
}

/** Undefined: there is no such file. A folder by the name of a record is as little of one as a file that is spoilt. */
export function textOf(path: string): Promise<string | undefined> {
  return unlessMissing(
    readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EISDIR') return '';
      throw error;
    }),
  );
}

export async function unlessMissing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
