/** One agent by the code that is deployed, over dynalite, with everything counted that it asks of AWS; time by hand. */
import { DynamoTaskStore } from '../../aws/dynamodb-task-store.ts';
import type { Agent } from '../../core/agent.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Message, Task } from '../../core/message.ts';
import { doDue } from '../../core/operations/do-due.ts';
import { getTask } from '../../core/operations/get-task.ts';
import { runTurn } from '../../core/operations/run-turn.ts';
import { sendMessage } from '../../core/operations/send-message.ts';
import { fakeDeps } from '../../test/fakes/deps.ts';
import { ManualClock } from '../../test/fakes/manual-clock.ts';
import { startDynalite } from '../../test/support/dynalite.ts';
import { BUDGET, OWNER } from '../askback.ts';
import { meterOf, type Tally } from '../meter.ts';
import { ANSWER, REQUEST_TEXT } from '../question.ts';

/** What one operation asked of AWS. */
export interface Spent extends Tally {
  readonly sends: number;
  readonly timersMade: number;
  readonly timersDeleted: number;
}

/** Moved by hand, and on by a millisecond with each look: no two writes are of the same time, which would spare a key. */
class TickingClock extends ManualClock {
  #ticks = 0;

  override now(): number {
    this.#ticks += 1;
    return super.now() + this.#ticks;
  }
}

export type CountedWorld = Awaited<ReturnType<typeof countedWorld>>;

export async function countedWorld(agent: Agent) {
  const { client, tableName, endpoint, stop } = await startDynalite({ tableName: 'counted' });
  const meter = meterOf(client, tableName, endpoint);
  const timers = { made: 0, deleted: 0 };
  const deadlines = {
    set: async () => {
      timers.made += 1;
    },
    delete: async () => {
      timers.deleted += 1;
    },
  };
  const store = new DynamoTaskStore({ client, tableName });
  const deps = fakeDeps({ agent, deadlines, store, clock: new TickingClock() });
  let names = 0;
  const send = async (message: Omit<Message, 'role' | 'messageId'> & { messageId?: string }): Promise<Task> => {
    names += 1;
    const named: Message = { role: 'ROLE_USER', messageId: messageId(names), ...message };
    const configuration = { returnImmediately: true, historyLength: 0 };
    const sent = await sendMessage(deps, OWNER, { message: named, configuration });
    if (!('task' in sent)) throw new Error('no task');
    return sent.task;
  };
  return {
    deps,
    stored: meter.stored,
    client,
    tableName,
    endpoint,
    send,
    /** A first message; the turn that asks follows with `work`. */
    request: () => send({ parts: [{ text: REQUEST_TEXT }] }),
    /** Round `round`: a second answer to the same round is a repeat of the first where it says the same. */
    async answer({ id }: Task, round = 1, value: JsonObject = ANSWER): Promise<Task> {
      const questionId = `q-${id.slice(0, 16)}-${round}`;
      return send({ messageId: `${messageId(0)}-${round}`, taskId: id, parts: [{ data: { questionId, ...value } }] });
    },
    look: ({ id }: Task) => getTask(deps, OWNER, { id, historyLength: 0 }),
    due: ({ id }: Task) => doDue(deps, id),
    /** Runs what is on the queue. */
    async work(): Promise<void> {
      for (let next = deps.queue.take(); next; next = deps.queue.take()) await runTurn(deps, next, BUDGET);
    },
    /** Since the last time. */
    spent(): Spent {
      const { made, deleted } = timers;
      Object.assign(timers, { made: 0, deleted: 0 });
      return {
        ...meter.take(),
        sends: deps.queue.sent.splice(0).length,
        timersMade: made,
        timersDeleted: deleted,
      };
    },
    async stop(): Promise<void> {
      meter.stop();
      await stop();
    },
  };
}

/** As long as the ids that clients make. */
function messageId(n: number): string {
  return `5b0f3f5e-3f0c-4b43-9d6e-${String(n).padStart(12, '0')}`;
}
