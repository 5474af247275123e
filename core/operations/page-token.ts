/**
 * Page tokens of ListTasks: where the next page begins and how many tasks there are in all. A token is signed together
 * with the owner, the agent and the filters of its list, so that it fits no other; it says nothing about any task but
 * the last one shown.
 */
import { invalidParams } from '../errors.ts';
import type { Signer } from '../ports.ts';
import { sameText } from '../same-text.ts';
import type { ListPosition, TaskFilter } from '../task-list.ts';

export interface PageStart {
  readonly after: ListPosition;
  readonly totalSize: number;
}

/** Names the form of the payload, so that another one can be told apart later. */
const FORM = 1;

export async function writePageToken(
  signer: Signer,
  filter: TaskFilter,
  { after, totalSize }: PageStart,
): Promise<string> {
  const payload = Buffer.from(JSON.stringify([FORM, after.atMs, after.taskId, totalSize])).toString('base64url');
  return `${payload}.${await signer.sign(signedText(payload, filter))}`;
}

/** @throws ProtocolError INVALID_PARAMS for everything that `writePageToken` did not make for this list */
export async function readPageToken(signer: Signer, filter: TaskFilter, token: string): Promise<PageStart> {
  const [payload = '', code = ''] = token.split('.');
  const expected = await signer.sign(signedText(payload, filter));
  const start = sameText(code, expected) && token === `${payload}.${code}` ? startOf(payload) : undefined;
  if (start === undefined) {
    throw invalidParams('pageToken', 'is not a token of this list; give it back with the same filters as it came with');
  }
  return start;
}

/** Looked at although it is signed: without a secret of its own, what a deployment signs with can be guessed. */
function startOf(payload: string): PageStart | undefined {
  const [form, atMs, taskId, totalSize] = listIn(Buffer.from(payload, 'base64url').toString());
  if (form !== FORM || typeof taskId !== 'string' || !isCount(atMs) || !isCount(totalSize)) return undefined;
  return { after: { atMs, taskId }, totalSize };
}

function listIn(text: string): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function signedText(payload: string, { owner, agent, contextId, state, sinceMs }: TaskFilter): string {
  return JSON.stringify([payload, owner, agent, contextId ?? null, state ?? null, sinceMs ?? null]);
}
