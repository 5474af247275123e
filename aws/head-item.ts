/**
 * The head between the domain and its item. An attribute of its own is only what keys, conditions, indexes and the time
 * to live need; the rest is one JSON value (head-codec.ts), and a claim is laid over both (claim-overlay.ts).
 */
import { limits } from '../core/limits.ts';
import { isTerminal, type TaskState } from '../core/message.ts';
import type { TaskHead } from '../core/task.ts';
import { claimable, withClaim } from './claim-overlay.ts';
import { type PackedHead, packHead, unpackHead } from './head-codec.ts';
import type { Item } from './item.ts';
import { attr, HEAD_SK, headIndexKeys, taskIdOf, taskPk } from './table-keys.ts';

/** A head as it was read, with the ids of the writes that made it. */
export interface StoredHead {
  readonly head: TaskHead;
  readonly writes: readonly string[];
}

/** How many write ids an item keeps: a response is recognised as lost until so many others have written. */
export const WRITE_IDS = 4;

export function encodeHead(head: TaskHead, writes: readonly string[]): Item {
  const { status, turn } = head;
  const item = {
    [attr.pk]: taskPk(head.taskId),
    [attr.sk]: HEAD_SK,
    [attr.version]: storedVersion(head),
    [attr.context]: head.contextId,
    [attr.state]: status.state,
    [attr.statusAt]: status.atMs,
    [attr.due]: head.dueMs,
    ...headIndexKeys(head),
    [attr.json]: JSON.stringify(packHead(head, writes)),
  };
  if (isTerminal(status.state)) return { ...item, [attr.ttl]: ttlEpochSeconds(status.atMs) };
  const requested = claimable(status.state, turn);
  return requested === undefined ? item : { ...item, [attr.requested]: requested };
}

function ttlEpochSeconds(endedAtMs: number): number {
  return Math.ceil((endedAtMs + limits.retentionMs + limits.ttlSlackMs) / 1_000);
}

/**
 * The version as an item has it and conditions ask for it: counted from the task's birth in ms. So this one number also
 * tells a task from an earlier one of the same id: that was removed no sooner than a month after its end, and no task is
 * written as often as a month has milliseconds.
 */
export function storedVersion({ bornMs, version }: Pick<TaskHead, 'bornMs' | 'version'>): number {
  return bornMs + version;
}

/** @throws Error when an attribute is missing or not as it was written */
export function decodeHead(item: Item): StoredHead {
  const packed = packedOf(item);
  const isClaimed = item[attr.claim] !== undefined;
  const [, , , version] = packed.seq;
  // The other way round of `storedVersion`; a claim has added one, and left the packed version as it was.
  const bornMs = number(item, 'version') - version - (isClaimed ? 1 : 0);
  // Of an item that another version wrote there is none, and a head without one would look like another agent's.
  if (!Number.isSafeInteger(bornMs)) damaged(item, 'version');
  const name = { taskId: taskIdOf(text(item, 'pk')), contextId: text(item, 'context'), bornMs };
  const { status, ...rest } = unpackHead(packed, name);
  const head: TaskHead = {
    ...rest,
    ...name,
    status: { state: text(item, 'state') as TaskState, atMs: number(item, 'statusAt'), ...status },
    dueMs: number(item, 'due'),
  };
  return { head: isClaimed ? withClaim(head, text(item, 'claim')) : head, writes: packed.w.split(' ') };
}

type Name = keyof typeof attr;

function packedOf(item: Item): PackedHead {
  const json = text(item, 'json');
  try {
    return JSON.parse(json) as PackedHead;
  } catch {
    return damaged(item, 'json');
  }
}

function text(item: Item, name: Name): string {
  const value = item[attr[name]];
  return typeof value === 'string' ? value : damaged(item, name);
}

function number(item: Item, name: Name): number {
  const value = item[attr[name]];
  return typeof value === 'number' ? value : damaged(item, name);
}

/** An attribute of another type than was written is damage, and named as such. */
function damaged(item: Item, name: Name): never {
  throw new Error(`item ${String(item[attr.pk])}: attribute ${attr[name]} (${name}) is missing or of another type`);
}
