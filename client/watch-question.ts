/**
 * Finds out whether a question is settled elsewhere while somebody here works on it: as far as an open stream tells, and
 * where there is none, when its time is up. Answers nothing.
 */
import type { Follower } from './follow.ts';
import { questionKey } from './question-key.ts';
import type { ClientClock, OpenQuestion } from './types.ts';

/** How often a question is looked at whose time is up by our clock, and how often at most. */
const OVERDUE_MS = 10_000;
const OVERDUE_LOOKS = 30;
/** Node's timers end at once beyond this; a question that is open for longer is looked at once more. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Reads on while the stream is open.
 * @param done aborted when nobody works on it any more
 * @returns whether the task has left the question
 */
export async function watchQuestion(
  question: OpenQuestion,
  follower: Follower,
  clock: ClientClock,
  done: AbortSignal,
): Promise<boolean> {
  const stopped = new Promise<'done'>((resolved) => {
    done.addEventListener('abort', () => resolved('done'), { once: true });
  });
  for (let live = follower.live; live; live = follower.live) {
    const read = await Promise.race([live.ahead(), stopped]);
    if (read === 'done' || done.aborted) return false;
    if (read.kind !== 'event') {
      // Closed, as most agents do here: the answer goes out on a stream of its own.
      follower.close();
      break;
    }
    live.take();
    follower.take(read.event);
    if (!isOpen(question, follower)) return true;
  }
  return watchExpiry(question, follower, clock, done);
}

/** Nobody tells us any more. That the time is up is for the agent to say: its clock decides. */
async function watchExpiry(
  question: OpenQuestion,
  follower: Follower,
  clock: ClientClock,
  done: AbortSignal,
): Promise<boolean> {
  if (question.kind !== 'question' || question.expiresAtMs === undefined) return false;
  for (let looks = 0; looks <= OVERDUE_LOOKS && !done.aborted; looks += 1) {
    const wait = looks === 0 ? question.expiresAtMs - clock.now() + 1_000 : OVERDUE_MS;
    await clock.sleep(Math.min(Math.max(wait, OVERDUE_MS), LONGEST_TIMER_MS), done);
    if (done.aborted) return false;
    await follower.look(question.taskId);
    if (!isOpen(question, follower)) return true;
  }
  return false;
}

/** Whether this is what the task asks, as far as is known. */
export function isOpen({ key }: OpenQuestion, { view }: Follower): boolean {
  const { standing } = view;
  return standing?.status.state === 'TASK_STATE_INPUT_REQUIRED' && questionKey(standing.status) === key;
}
