/**
 * Races of answers (design, section 5, invariants 2 and 8): eight at once to each question, through two instances of the
 * handlers on one table, six of them different and two the same again. Then the turn is delivered twice, to both. A race
 * is right when one turn was requested and ran, every caller was told which message won, and the history has that one.
 */
import { DynamoTaskStore } from '../aws/dynamodb-task-store.ts';
import type { Message, Task } from '../core/message.ts';
import { getTask } from '../core/operations/get-task.ts';
import { runTurn } from '../core/operations/run-turn.ts';
import { sendMessage } from '../core/operations/send-message.ts';
import type { Deps } from '../core/ports.ts';
import type { QueueMessage } from '../core/queue-message.ts';
import { QUESTION_EXTENSION_URI } from '../core/question/extension.ts';
import { localClient } from '../test/support/dynalite.ts';
import { BUDGET, benchDeps, OWNER } from './askback.ts';
import { dynaliteProcess, type Place } from './dynalite-process.ts';
import { type Line, number } from './line.ts';
import { OPTIONS, racingAgent, REQUEST_TEXT } from './question.ts';

const AT_ONCE = 4;
/** Message ids of the eight answers; the two that stand twice are repeats. */
const ANSWERS = ['a', 'b', 'c', 'd', 'e', 'f', 'a', 'b'] as const;

interface Raced {
  /** Turns that followed the answer beyond the first, or none at all. */
  readonly wrongTurns: number;
  /** Callers who were told something that is not so. */
  readonly wrongReplies: number;
}

export async function raceLines(races: number): Promise<readonly Line[]> {
  const place = await dynaliteProcess();
  const [one, other] = [instance(place), instance(place)];
  try {
    const raced: Raced[] = [];
    let next = 0;
    const racer = async () => {
      while (next < races) {
        next += 1;
        raced.push(await race(one, other, `race-${next}`));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, racer));
    const sum = (count: keyof Raced) => raced.reduce((total, one) => total + one[count], 0);
    const what = `${number(raced.length)} races of ${ANSWERS.length} answers`;
    const line = (name: string, value: number, budget: string): Line => ({
      ...{ section: 'races', what: `${what}: ${name}`, ours: number(value), value, budget },
    });
    return [
      line('turns too many or too few', sum('wrongTurns'), 'races.turns'),
      line('wrong replies', sum('wrongReplies'), 'races.replies'),
    ];
  } finally {
    one.stop();
    other.stop();
    await place.stop();
  }
}

interface Instance {
  readonly deps: Deps;
  readonly turns: Map<string, QueueMessage[]>;
  /** Runs of the code behind the question, by task. */
  readonly runs: Map<string, number>;
  stop(): void;
}

function instance({ endpoint, tableName }: Place): Instance {
  const client = localClient(endpoint);
  const turns = new Map<string, QueueMessage[]>();
  const runs = new Map<string, number>();
  const agent = racingAgent((taskId) => runs.set(taskId, (runs.get(taskId) ?? 0) + 1));
  const queue = {
    send: async (message: QueueMessage) => {
      turns.set(message.taskId, [...(turns.get(message.taskId) ?? []), message]);
    },
  };
  const deps = { ...benchDeps(agent, new DynamoTaskStore({ client, tableName })), queue };
  return { deps, turns, runs, stop: () => client.destroy() };
}

async function race(one: Instance, other: Instance, name: string): Promise<Raced> {
  const { id } = await send(one, { messageId: name, parts: [{ text: REQUEST_TEXT }] });
  await deliver(one, take(one, id));
  const { status } = await getTask(one.deps, OWNER, { id, historyLength: 0 });
  const questionId = status.message?.messageId ?? '';
  const answers = ANSWERS.map((suffix, at) => ({
    to: at % 2 === 0 ? one : other,
    messageId: `${name}-${suffix}`,
    costCentre: OPTIONS[ANSWERS.indexOf(suffix) % OPTIONS.length],
  }));
  const replies = await Promise.allSettled(
    answers.map(({ to, messageId, costCentre }) =>
      send(to, { messageId, taskId: id, parts: [{ data: { questionId, costCentre: costCentre ?? '' } }] }),
    ),
  );
  const requested = [...take(one, id), ...take(other, id)];
  const [turn] = requested;
  if (turn) await Promise.all([deliver(one, [turn]), deliver(other, [turn])]);
  const ended = await getTask(other.deps, OWNER, { id });
  const recorded = (ended.history ?? []).filter(({ messageId }) => messageId.startsWith(`${name}-`));
  const winner = recorded[0]?.messageId;
  const runs = (one.runs.get(id) ?? 0) + (other.runs.get(id) ?? 0);
  const distinct = new Set(requested.map((message) => message.turn));
  const isOne = distinct.size === 1 && distinct.has(2) && runs === 1 && recorded.length === 1;
  const completed = ended.status.state === 'TASK_STATE_COMPLETED' && ended.artifacts?.length === 1;
  const wrongReplies = replies.filter((reply, at) => {
    if (reply.status === 'rejected') return true;
    const told = reply.value.metadata?.[QUESTION_EXTENSION_URI] as { readonly answeredBy?: string } | undefined;
    // Who won is told nothing more than the task; all others, whose message it was.
    return answers[at]?.messageId === winner ? told?.answeredBy !== undefined : told?.answeredBy !== winner;
  });
  return { wrongTurns: isOne && completed ? 0 : 1, wrongReplies: wrongReplies.length };
}

async function send({ deps }: Instance, message: Omit<Message, 'role'>): Promise<Task> {
  const configuration = { returnImmediately: true, historyLength: 0 };
  const sent = await sendMessage(deps, OWNER, { message: { role: 'ROLE_USER', ...message }, configuration });
  if (!('task' in sent)) throw new Error('no task');
  return sent.task;
}

function take({ turns }: Instance, taskId: string): readonly QueueMessage[] {
  const taken = turns.get(taskId) ?? [];
  turns.delete(taskId);
  return taken;
}

async function deliver({ deps }: Instance, messages: readonly QueueMessage[]): Promise<void> {
  for (const message of messages) if (message.turn !== undefined) await runTurn(deps, message, BUDGET);
}
