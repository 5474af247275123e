/** After the storm: nobody dies any more, time goes on in big steps, the sweeper runs and the queue delivers. */
import { isTerminal } from '../../core/message.ts';
import type { TaskHead } from '../../core/task.ts';
import { messageFor, request } from './callers.ts';
import { closedAsks } from './end-properties.ts';
import type { Actor } from './scheduler.ts';
import type { World } from './world.ts';

const MINUTE = 60_000;

/** Runs what is ready and delivers what waits, without any time passing. */
export async function workOff(world: World): Promise<void> {
  for (let delivered = 0; ; delivered++) {
    await world.scheduler.drain();
    const [index] = world.deliverable();
    if (index === undefined) return;
    if (delivered > 1_000) throw new Error('a message comes back again and again');
    const worker = await world.deliver(index);
    await world.scheduler.drain();
    // A worker that sleeps holds its message; the queue shows it to nobody meanwhile.
    if (worker.status === 'live') world.unacknowledged.delete(index);
  }
}

/** Nothing runs, nothing waits to be delivered, and the task has ended or waits for its caller. */
export function isQuiet(world: World): boolean {
  const { head } = world;
  const resting =
    head === undefined ||
    (head.turn.phase === 'idle' && (isTerminal(head.status.state) ? owesNothing(head) : notDue(world)));
  return resting && world.scheduler.live().length === 0 && world.unacknowledged.size === 0;
}

/** Nothing is left outside that has still to be undone. */
function owesNothing({ holds = [], delegates = [] }: TaskHead): boolean {
  return [...holds, ...delegates].every(({ undo }) => undo?.gaveUp);
}

function notDue(world: World): boolean {
  return (world.head?.dueMs ?? Number.POSITIVE_INFINITY) > world.nowMs;
}

/**
 * Drives the world until it is quiet; a sweep every minute, the first after `sweepInMs`.
 * @throws Error when it does not come to rest within a day, the longest that retries and lost dispatches may take
 */
export async function heal(world: World, sweepInMs = MINUTE): Promise<void> {
  const endMs = world.nowMs + 1_440 * MINUTE;
  let sweepAtMs = world.nowMs + sweepInMs;
  await workOff(world);
  while (!isQuiet(world)) {
    if (world.nowMs > endMs) throw new Error(`does not come to rest: ${JSON.stringify(world.head)}`);
    const wakeAtMs = world.scheduler.nextWakeMs() ?? sweepAtMs;
    world.scheduler.nowMs = Math.max(world.nowMs, Math.min(sweepAtMs, wakeAtMs, nextDeliveryMs(world) ?? sweepAtMs));
    if (world.nowMs >= sweepAtMs) {
      sweepAtMs = world.nowMs + MINUTE;
      await world.sweep();
    }
    await workOff(world);
  }
}

function nextDeliveryMs(world: World): number | undefined {
  const times = [...world.unacknowledged].map((index) => world.queue.sent[index]?.readyAtMs ?? world.nowMs);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Answers whatever is asked, at once, until the task has ended. Each answer is accepted the first time. */
export async function answerAll(world: World, done: (actor: Actor) => void): Promise<void> {
  for (let round = 1; world.head && !isTerminal(world.head.status.state); round++) {
    if (round > 10) throw new Error('the task asks again and again');
    // The second ask of one agent refuses the first choice again.
    const choice = world.head.ask?.name === 'second' ? otherThanFirst(world) : 'CC-4410';
    const actor = await world.send(request(messageFor(world.head, choice, `m-healed-${round}`)));
    await world.scheduler.drain();
    done(actor);
    await heal(world);
  }
}

function otherThanFirst(world: World): 'CC-4410' | 'CC-4420' {
  return closedAsks(world.commits).first === 'CC-4410' ? 'CC-4420' : 'CC-4410';
}

/** Nobody answers, and no timer fires: the first who looks at the task after the expiry is shown what came of it. */
export async function expireAll(world: World, looked: (actor: Actor) => void): Promise<void> {
  for (let round = 1; world.head && !isTerminal(world.head.status.state); round++) {
    if (round > 10) throw new Error('the task asks again and again');
    const expiresAtMs = world.head.ask?.expiresAtMs ?? world.nowMs;
    // First the time of reminders, where there are any.
    world.scheduler.nowMs = Math.max(world.nowMs, expiresAtMs - 3_600_000);
    await heal(world);
    world.scheduler.nowMs = Math.max(world.nowMs, expiresAtMs);
    const actor = await world.get(world.head.taskId);
    await world.scheduler.drain();
    looked(actor);
    await heal(world);
  }
}
