/**
 * From the sending of an answer to the first event on a stream of another instance (design, sections 9 and 13), over
 * dynalite, in real time. Two instances in this process know nothing of each other but the table.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoTaskStore } from '../../aws/dynamodb-task-store.ts';
import { sendMessage } from '../../core/operations/send-message.ts';
import { type StreamItem, subscribeToTask } from '../../core/operations/stream-task.ts';
import { localClient } from '../../test/support/dynalite.ts';
import { benchDeps, OWNER, taskThatWaits } from '../askback.ts';
import type { Place } from '../dynalite-process.ts';
import { type Line, median, number, spreadOf } from '../line.ts';
import { ANSWER, askingAgent } from '../question.ts';

const AT_ONCE = 4;
/** Streams look every 40 ms for 2 s after an event, and every 2 s later on. */
const SOON_MS = 1_500;
const LATE_MS = 5_000;

export interface StreamOptions {
  readonly soon: number;
  readonly late: number;
}

export async function streamLines(place: Place, { soon, late }: StreamOptions): Promise<readonly Line[]> {
  const [one, other] = [instance(place), instance(place)];
  const often = async (times: number, delayMs: () => number) => {
    const measured: number[] = [];
    let next = 0;
    const caller = async () => {
      while (next < times) {
        next += 1;
        measured.push(await answerToEvent(one.deps, other.deps, `m-${performance.now()}-${next}`, delayMs()));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, caller));
    return measured;
  };
  try {
    const soonMs = await often(soon, () => 100 + Math.random() * (SOON_MS - 100));
    const lateMs = await often(late, () => LATE_MS + Math.random() * 2_000);
    return [
      line('answer to first event elsewhere, within 2 s of the question', soonMs, 'stream.first'),
      ...(late > 0 ? [line('the same after 5 s and more', lateMs)] : []),
    ];
  } finally {
    one.client.destroy();
    other.client.destroy();
  }
}

function line(what: string, measured: readonly number[], budget?: string): Line {
  const value = median(measured);
  const ours = `p50 ${number(Math.round(value))} ms`;
  return {
    section: 'timed',
    what,
    ours,
    value,
    spread: spreadOf(measured.map(Math.round)),
    ...(budget ? { budget } : {}),
  };
}

function instance({ endpoint, tableName }: Place) {
  const client = localClient(endpoint);
  return { client, deps: benchDeps(askingAgent(), new DynamoTaskStore({ client, tableName })) };
}

type Deps = ReturnType<typeof instance>['deps'];

async function answerToEvent(one: Deps, other: Deps, messageId: string, delayMs: number): Promise<number> {
  const { id, status } = await taskThatWaits(one, messageId);
  const stop = new AbortController();
  const stream = await subscribeToTask(other, OWNER, { id }, { signal: stop.signal });
  const arrived = firstEvent(stream);
  await sleep(delayMs);
  const questionId = status.message?.messageId ?? '';
  const start = performance.now();
  await sendMessage(one, OWNER, {
    message: {
      messageId: `${messageId}-1`,
      role: 'ROLE_USER',
      taskId: id,
      parts: [{ data: { questionId, ...ANSWER } }],
    },
    configuration: { returnImmediately: true },
  });
  const atMs = await arrived;
  stop.abort();
  return atMs - start;
}

/** When the first event after the task itself comes. */
async function firstEvent(stream: AsyncIterable<StreamItem>): Promise<number> {
  for await (const item of stream) if ('event' in item && !('task' in item.event)) return performance.now();
  throw new Error('the stream ended without an event');
}
