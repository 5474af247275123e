/** Who is told of a task's events by webhook. The configs are items of their own; the head knows their ids. */
import { limits } from '../limits.ts';
import type { TaskHead, TaskPush } from '../task.ts';
import { unreachable } from '../unreachable.ts';
import type { PushCommand, Rejection, Transition } from './command.ts';
import { type Draft, draftOf } from './draft.ts';
import { done } from './move-out.ts';

export function pushMove(head: TaskHead, command: PushCommand, nowMs: number): Transition {
  const next = nextPush(head.push, command, nowMs);
  if (typeof next === 'string') return { ok: false, rejection: next };
  const draft = draftOf(head, nowMs);
  setPush(draft, next);
  return done(draft);
}

function nextPush(push: TaskPush | undefined, command: PushCommand, nowMs: number): TaskPush | undefined | Rejection {
  const ids = push?.ids ?? [];
  const gaveUp = push?.gaveUp ?? [];
  const check = { atMs: nowMs + limits.pushCheckMs, intervalMs: limits.pushCheckMs };
  switch (command.type) {
    case 'add-push': {
      const { configId, behind } = command;
      const known = ids.includes(configId);
      if (known && !behind && !gaveUp.includes(configId)) return 'unchanged';
      if (!known && ids.length >= limits.pushConfigsPerTask) return 'too-many-push-configs';
      return pushOf(known ? ids : [...ids, configId], behind ? check : push?.check, without(gaveUp, configId));
    }
    case 'remove-push':
      if (!ids.includes(command.configId)) return 'unchanged';
      return pushOf(without(ids, command.configId), push?.check, without(gaveUp, command.configId));
    case 'give-up-push':
      if (!ids.includes(command.configId) || gaveUp.includes(command.configId)) return 'unchanged';
      return pushOf(ids, push?.check, [...gaveUp, command.configId]);
    case 'check-push': {
      if (!push?.check || push.check.atMs > nowMs) return 'not-due';
      if (!command.behind) return pushOf(ids, undefined, gaveUp);
      const intervalMs = Math.min(push.check.intervalMs * 2, limits.pushCheckMaxMs);
      return pushOf(ids, { atMs: nowMs + intervalMs, intervalMs }, gaveUp);
    }
    default:
      return unreachable('command', command);
  }
}

/** Nobody left to tell: as if nobody ever had been. */
function pushOf(
  ids: readonly string[],
  check: TaskPush['check'] | undefined,
  gaveUp: readonly string[],
): TaskPush | undefined {
  if (ids.length === 0) return undefined;
  return { ids, ...(check ? { check } : {}), ...(gaveUp.length > 0 ? { gaveUp } : {}) };
}

function setPush(draft: Draft, push: TaskPush | undefined): void {
  const { push: _before, ...rest } = draft.head;
  draft.head = push ? { ...rest, push } : rest;
}

function without(ids: readonly string[], id: string): readonly string[] {
  return ids.filter((other) => other !== id);
}
