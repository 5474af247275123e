/**
 * What a head holds besides the attributes of its item (head-item.ts), as one compact JSON value: DynamoDB takes time for
 * every attribute, and bills each name. Short names, lists where the order says it all, nothing for what is empty.
 */
import type { OpenAuth } from '../core/auth-request.ts';
import type { Delegate } from '../core/delegate.ts';
import type { Hold } from '../core/hold.ts';
import { MESSAGE_ID_HASH_LENGTH } from '../core/ids.ts';
import type { Message } from '../core/message.ts';
import type { Mark, Phase, TaskHead, TaskPush, Turn } from '../core/task.ts';
import { type PackedCall, type PackedOpenAsk, packCall, packOpenAsk, unpackCall, unpackOpenAsk } from './ask-codec.ts';
import { type LogOwner, type Packed, type PackedEntry, pack, packEntry, unpack, unpackEntry } from './log-codec.ts';

/** `undefined` is not written. docs/architecture.md has these names for who reads a table. */
export interface PackedHead {
  /** agent */
  readonly ag: string;
  /** owner */
  readonly own: string;
  readonly seq: readonly [seq: number, generation: number, statusSeq: number, version: number];
  readonly turn: readonly [n: number, phase: Phase];
  /** The newest log entries. */
  readonly log: readonly PackedEntry[];
  /** messages, asks, questions, artifacts, artifact bytes; holds and delegates where there were any */
  readonly used: readonly number[];
  /** Status message, once its log entry has left the head. */
  readonly msg: Packed | undefined;
  /** Attempts of the turn, where there was one. */
  readonly try: number | undefined;
  readonly lease: readonly [token: string, untilMs: number] | undefined;
  readonly park: Turn['parked'] | undefined;
  readonly disp: readonly [dueMs: number, intervalMs: number] | undefined;
  readonly ask: PackedOpenAsk | undefined;
  readonly auth: OpenAuth | undefined;
  readonly subs: readonly Delegate[] | undefined;
  readonly calls: readonly PackedCall[] | undefined;
  readonly stale: readonly number[] | undefined;
  readonly unr: readonly number[] | undefined;
  readonly told: number | undefined;
  /** Of each message its id's hash (12 characters), its digest, and `!` where it was hidden; blanks in between. */
  readonly marks: string | undefined;
  readonly art: number | undefined;
  readonly sec: 1 | undefined;
  readonly steps: 1 | undefined;
  readonly push: TaskPush | undefined;
  readonly hold: readonly Hold[] | undefined;
  readonly conf: readonly number[] | undefined;
  /** Ids of the newest writes of this head, so that a writer whose response was lost recognises its own. */
  readonly w: string;
}

export function packHead(head: TaskHead, writes: readonly string[]): PackedHead {
  const { status, turn } = head;
  const { lease, dispatch } = turn;
  return {
    ag: head.agent,
    own: head.owner,
    seq: [head.seq, head.generation, status.seq, head.version],
    turn: [turn.n, turn.phase],
    try: turn.attempts || undefined,
    lease: lease && [lease.token, lease.untilMs],
    park: turn.parked,
    disp: dispatch && [dispatch.dueMs, dispatch.intervalMs],
    ask: head.ask && packOpenAsk(head.ask),
    auth: head.auth,
    msg: status.message && pack(status.message),
    log: head.log.map((entry) => packEntry(entry, head)),
    calls: some(head.calls)?.map(packCall),
    subs: some(head.delegates),
    hold: some(head.holds),
    conf: some(head.confirmed),
    unr: some(head.unread),
    told: head.toldUnread,
    stale: some(head.staleTimers),
    marks: head.marks.map(packMark).join(' ') || undefined,
    used: packUsed(head.used),
    art: head.firstArtifactSeq,
    sec: head.secrets ? 1 : undefined,
    steps: head.steps ? 1 : undefined,
    push: head.push,
    w: writes.join(' '),
  };
}

/** What of a head does not stand in its item's attributes. */
type Unpacked = Omit<TaskHead, 'taskId' | 'contextId' | 'bornMs' | 'status' | 'dueMs'> & {
  readonly status: Omit<TaskHead['status'], 'state' | 'atMs'>;
};

export function unpackHead(packed: PackedHead, owner: LogOwner): Unpacked {
  const { msg, lease, park, disp, ask, auth, calls, subs, hold, conf, unr, told, stale, marks, art, push } = packed;
  const [seq, generation, statusSeq, version] = packed.seq;
  return {
    agent: packed.ag,
    owner: packed.own,
    version,
    seq,
    generation,
    status: { seq: statusSeq, ...(msg === undefined ? {} : { message: unpack<Message>(msg) }) },
    turn: {
      n: packed.turn[0],
      phase: packed.turn[1],
      attempts: packed.try ?? 0,
      ...(lease && { lease: { token: lease[0], untilMs: lease[1] } }),
      ...(park && { parked: park }),
      ...(disp && { dispatch: { dueMs: disp[0], intervalMs: disp[1] } }),
    },
    ...(ask && { ask: unpackOpenAsk(ask) }),
    ...(auth && { auth }),
    ...(subs && { delegates: subs }),
    calls: calls?.map(unpackCall) ?? [],
    staleTimers: stale ?? [],
    unread: unr ?? [],
    ...(told === undefined ? {} : { toldUnread: told }),
    marks: marks?.split(' ').map(unpackMark) ?? [],
    log: packed.log.map((entry) => unpackEntry(entry, owner)),
    used: unpackUsed(packed.used),
    ...(art === undefined ? {} : { firstArtifactSeq: art }),
    secrets: packed.sec !== undefined,
    ...(packed.steps && { steps: true }),
    ...(push && { push }),
    ...(hold && { holds: hold }),
    ...(conf && { confirmed: conf }),
  };
}

function packMark({ id, digest, hidden }: Mark): string {
  return `${id}${digest}${hidden ? '!' : ''}`;
}

function unpackMark(packed: string): Mark {
  const id = packed.slice(0, MESSAGE_ID_HASH_LENGTH);
  const digest = packed.slice(MESSAGE_ID_HASH_LENGTH);
  return digest.endsWith('!') ? { id, digest: digest.slice(0, -1), hidden: true } : { id, digest };
}

/** What most tasks never use comes last, and only where it was. */
function packUsed({ messages, asks, questions, artifacts, artifactBytes, holds, delegates }: TaskHead['used']) {
  const always = [messages, asks, questions, artifacts, artifactBytes];
  if (delegates !== undefined) return [...always, holds ?? 0, delegates];
  return holds === undefined ? always : [...always, holds];
}

function unpackUsed(counts: readonly number[]): TaskHead['used'] {
  const [messages = 0, asks = 0, questions = 0, artifacts = 0, artifactBytes = 0, holds = 0, delegates = 0] = counts;
  return {
    ...{ messages, asks, questions, artifacts, artifactBytes },
    ...(holds > 0 ? { holds } : {}),
    ...(delegates > 0 ? { delegates } : {}),
  };
}

function some<T>(values: readonly T[] | undefined): readonly T[] | undefined {
  return values === undefined || values.length === 0 ? undefined : values;
}
