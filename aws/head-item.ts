/**
 * The head between the domain and its item. What conditions, indexes and operators need is an attribute of its own;
 * the structured rest is compact JSON; the log is a list, so that a claim can append to it without reading. What is
 * empty or absent has no attribute.
 */
import type { OpenAuth } from '../core/auth-request.ts';
import { limits } from '../core/limits.ts';
import { isTerminal, type Message, type TaskState } from '../core/message.ts';
import type { Delegate } from '../core/delegate.ts';
import type { Hold } from '../core/hold.ts';
import type { CallRecord, Kept, Mark, OpenAsk, Phase, TaskHead, TaskPush, Turn } from '../core/task.ts';
import { decodeLogEntry, encodeLogEntry } from './log-codec.ts';
import { attr, contextKey, dueKey, dueShardOf, HEAD_SK, ownerShardKey, taskIdOf, taskPk } from './table-keys.ts';

export type Item = Readonly<Record<string, unknown>>;

/** A head as it was read, with the ids of the writes that made it. */
export interface StoredHead {
  readonly head: TaskHead;
  readonly writes: readonly string[];
}

/** How many write ids an item keeps: a response is recognised as lost until so many others have written. */
export const WRITE_IDS = 4;

export function encodeHead(head: TaskHead, writes: readonly string[]): Item {
  const { status, turn, used } = head;
  return present({
    [attr.pk]: taskPk(head.taskId),
    [attr.sk]: HEAD_SK,
    [attr.version]: head.version,
    [attr.seq]: head.seq,
    [attr.generation]: head.generation,
    [attr.born]: head.bornMs,
    [attr.agent]: head.agent,
    [attr.owner]: head.owner,
    [attr.context]: head.contextId,
    [attr.state]: status.state,
    [attr.statusAt]: status.atMs,
    [attr.statusSeq]: status.seq,
    [attr.statusMessage]: json(status.message),
    [attr.turn]: turn.n,
    [attr.phase]: turn.phase,
    [attr.attempts]: turn.attempts,
    [attr.leaseToken]: turn.lease?.token,
    [attr.leaseUntil]: turn.lease?.untilMs,
    [attr.parked]: json(turn.parked),
    [attr.dispatch]: json(turn.dispatch),
    [attr.ask]: json(head.ask),
    [attr.auth]: json(head.auth),
    [attr.delegates]: list(head.delegates ?? []),
    [attr.calls]: list(head.calls),
    [attr.staleTimers]: list(head.staleTimers),
    [attr.unread]: list(head.unread),
    [attr.toldUnread]: head.toldUnread,
    [attr.marks]: list(head.marks.map(({ id, digest, hidden }) => (hidden ? [id, digest, hidden] : [id, digest]))),
    [attr.log]: head.log.map(encodeLogEntry),
    [attr.used]: json(encodeUsed(used)),
    [attr.firstArtifactSeq]: head.firstArtifactSeq,
    [attr.secrets]: head.secrets || undefined,
    [attr.push]: json(head.push),
    [attr.holds]: list(head.holds ?? []),
    [attr.confirmed]: list(head.confirmed ?? []),
    [attr.writes]: writes.join(' '),
    [attr.due]: head.dueMs,
    [attr.dueShard]: dueKey(dueShardOf(head.taskId)),
    [attr.ownerShard]: ownerShardKey(head.owner, head.taskId),
    [attr.contextKey]: contextKey(head.owner, head.contextId),
    [attr.ttl]: isTerminal(status.state) ? ttlEpochSeconds(status.atMs) : undefined,
  });
}

/** What most tasks never use comes last, and only where it was. */
function encodeUsed({ messages, asks, questions, artifacts, artifactBytes, holds, delegates }: TaskHead['used']) {
  const always = [messages, asks, questions, artifacts, artifactBytes];
  if (delegates !== undefined) return [...always, holds ?? 0, delegates];
  return holds === undefined ? always : [...always, holds];
}

function ttlEpochSeconds(endedAtMs: number): number {
  return Math.ceil((endedAtMs + limits.retentionMs + limits.ttlSlackMs) / 1_000);
}

export function decodeHead(item: Item): StoredHead {
  const read = reader(item);
  const [messages = 0, asks = 0, questions = 0, artifacts = 0, artifactBytes = 0, holds = 0, delegates = 0] =
    read.json<number[]>('used') ?? [];
  const head: TaskHead = {
    taskId: taskIdOf(read.text('pk')),
    agent: read.text('agent'),
    owner: read.text('owner'),
    contextId: read.text('context'),
    bornMs: read.number('born'),
    version: read.number('version'),
    seq: read.number('seq'),
    generation: read.number('generation'),
    status: {
      state: read.text('state') as TaskState,
      atMs: read.number('statusAt'),
      seq: read.number('statusSeq'),
      ...optional('message', read.json<Kept<Message>>('statusMessage')),
    },
    turn: decodeTurn(read),
    ...optional('ask', read.json<OpenAsk>('ask')),
    ...optional('auth', read.json<OpenAuth>('auth')),
    ...optional('delegates', read.json<Delegate[]>('delegates')),
    calls: read.json<CallRecord[]>('calls') ?? [],
    staleTimers: read.json<number[]>('staleTimers') ?? [],
    unread: read.json<number[]>('unread') ?? [],
    ...optional('toldUnread', read.optionalNumber('toldUnread')),
    marks: (read.json<EncodedMark[]>('marks') ?? []).map(decodeMark),
    log: read.texts('log').map(decodeLogEntry),
    used: {
      ...{ messages, asks, questions, artifacts, artifactBytes },
      ...(holds > 0 ? { holds } : {}),
      ...(delegates > 0 ? { delegates } : {}),
    },
    ...optional('firstArtifactSeq', read.optionalNumber('firstArtifactSeq')),
    secrets: item[attr.secrets] === true,
    ...optional('push', read.json<TaskPush>('push')),
    ...optional('holds', read.json<Hold[]>('holds')),
    ...optional('confirmed', read.json<number[]>('confirmed')),
    dueMs: read.number('due'),
  };
  return { head, writes: read.text('writes').split(' ') };
}

type EncodedMark = [id: string, digest: string, hidden?: true];

function decodeMark([id, digest, hidden]: EncodedMark): Mark {
  return hidden ? { id, digest, hidden } : { id, digest };
}

function decodeTurn(read: Reader): Turn {
  const token = read.optionalText('leaseToken');
  return {
    n: read.number('turn'),
    phase: read.text('phase') as Phase,
    attempts: read.number('attempts'),
    ...(token === undefined ? {} : { lease: { token, untilMs: read.number('leaseUntil') } }),
    ...optional('parked', read.json<NonNullable<Turn['parked']>>('parked')),
    ...optional('dispatch', read.json<NonNullable<Turn['dispatch']>>('dispatch')),
  };
}

type Name = keyof typeof attr;
type Reader = ReturnType<typeof reader>;

/** An attribute of another type than was written is damage, and named as such. */
function reader(item: Item) {
  const damaged = (name: Name): never => {
    throw new Error(`item ${String(item[attr.pk])}: attribute ${attr[name]} (${name}) is missing or of another type`);
  };
  const optionalText = (name: Name): string | undefined => {
    const value = item[attr[name]];
    return value === undefined || typeof value === 'string' ? value : damaged(name);
  };
  const optionalNumber = (name: Name): number | undefined => {
    const value = item[attr[name]];
    return value === undefined || typeof value === 'number' ? value : damaged(name);
  };
  return {
    optionalText,
    optionalNumber,
    text: (name: Name): string => optionalText(name) ?? damaged(name),
    number: (name: Name): number => optionalNumber(name) ?? damaged(name),
    texts: (name: Name): readonly string[] => {
      const value = item[attr[name]];
      return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : damaged(name);
    },
    json: <T>(name: Name): T | undefined => {
      const text = optionalText(name);
      return text === undefined ? undefined : (JSON.parse(text) as T);
    },
  };
}

function json(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

function list(values: readonly unknown[]): string | undefined {
  return values.length === 0 ? undefined : JSON.stringify(values);
}

function present(item: Item): Item {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined));
}

function optional<K extends string, T>(key: K, value: T | undefined): { [key in K]?: T } {
  return (value === undefined ? {} : { [key]: value }) as { [key in K]?: T };
}
