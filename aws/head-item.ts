/**
 * The head between the domain and its item. An attribute of its own is only what keys, conditions, indexes and the time
 * to live need; the rest is one JSON value (head-codec.ts), and a claim is laid over both (claim-overlay.ts).
 */
import { limits } from '../core/limits.ts';
import { isTerminal, type TaskState } from '../core/message.ts';
import type { TaskHead } from '../core/task.ts';
import { claimable, withClaim } from './claim-overlay.ts';
import type { Item } from './item.ts';
import { type PackedHead, packHead, unpackHead } from './head-codec.ts';
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
    [attr.version]: head.version,
    [attr.born]: head.bornMs,
    [attr.agent]: head.agent,
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

/** @throws Error when an attribute is missing or not as it was written */
export function decodeHead(item: Item): StoredHead {
  const packed = packedOf(item);
  const name = { taskId: taskIdOf(text(item, 'pk')), contextId: text(item, 'context'), bornMs: number(item, 'born') };
  const { status, ...rest } = unpackHead(packed, name);
  const head: TaskHead = {
    ...rest,
    ...name,
    agent: text(item, 'agent'),
    version: number(item, 'version'),
    status: { state: text(item, 'state') as TaskState, atMs: number(item, 'statusAt'), ...status },
    dueMs: number(item, 'due'),
  };
  const claimed = item[attr.claim] === undefined ? head : withClaim(head, text(item, 'claim'));
  return { head: claimed, writes: packed.w.split(' ') };
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
