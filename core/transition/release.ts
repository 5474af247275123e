/**
 * Holds whose time has passed, whose question came to nothing, or whose task has ended: they are owed to be released
 * from the very write that says so. Apart from the other moves of holds, because `finish` in draft.ts needs it.
 */
import { limits } from '../limits.ts';
import type { Hold, UndoReason } from '../hold.ts';
// Types only: draft.ts uses what stands here.
import type { Draft } from './draft.ts';
import { newUndo, setEntries } from './undo.ts';

/** All that are neither confirmed nor released; of `time` those whose time has passed. */
export function releaseHolds(draft: Draft, why: UndoReason): void {
  const { holds } = draft.head;
  if (!holds) return;
  const isOver = ({ state, untilMs }: Hold) => state !== 'releasing' && (why !== 'time' || untilMs <= draft.nowMs);
  setEntries(
    draft,
    'hold',
    holds.map((hold) => (isOver(hold) ? releasing(draft, hold, why) : hold)),
  );
}

/**
 * What is being reserved right now, or was by a worker that died in it, is released at once and once more when that must
 * have come to an end.
 */
export function releasing(draft: Draft, hold: Hold, why: UndoReason): Hold {
  deleteReleaseTimer(draft, hold);
  const undo = newUndo(draft, 'hold', hold.n, why, hold.state === 'reserving' || hold.retried);
  return { ...hold, state: 'releasing', undo };
}

/** One that has fired, or never was because the time was short, is not there to be deleted. */
export function deleteReleaseTimer({ effects, head, nowMs }: Draft, { n, untilMs }: Hold): void {
  if (untilMs > nowMs) effects.push({ kind: 'delete-timer', taskId: head.taskId, ask: n, timer: 'release' });
}

/** None for what is due so soon that the sweeper is as good. */
export function setReleaseTimer({ effects, head, nowMs }: Draft, { n, untilMs }: Hold): void {
  if (untilMs - nowMs < limits.timerMinMs) return;
  effects.push({ kind: 'set-timer', taskId: head.taskId, ask: n, timer: 'release', atMs: untilMs });
}
