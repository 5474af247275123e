/** Log entries as compact JSON: they are most of a head, and every write of the head pays for all of them. */
import type { TaskState } from '../core/message.ts';
import type { Kept, LogEntry } from '../core/task.ts';

/** The value itself, or hash and size of its blob. */
type Packed = readonly [blob: string, bytes: number] | object;

interface PackedEntry {
  /** seq, time in ms, generation, state without `TASK_STATE_`, transient */
  readonly s: number;
  readonly t: number;
  readonly g?: number;
  readonly st?: string;
  readonly p?: 1;
  /** received, message, artifact */
  readonly r?: Packed;
  readonly m?: Packed;
  readonly a?: Packed;
  /** reminds */
  readonly q?: number;
}

const STATE = 'TASK_STATE_';

export function encodeLogEntry(entry: LogEntry): string {
  const { seq, atMs, generation, state, transient, received, message, artifact, reminds } = entry;
  const packed: PackedEntry = {
    s: seq,
    t: atMs,
    ...(generation === undefined ? {} : { g: generation }),
    ...(state === undefined ? {} : { st: state.slice(STATE.length) }),
    ...(transient ? { p: 1 } : {}),
    ...(received ? { r: pack(received) } : {}),
    ...(message ? { m: pack(message) } : {}),
    ...(artifact ? { a: pack(artifact) } : {}),
    ...(reminds === undefined ? {} : { q: reminds }),
  };
  return JSON.stringify(packed);
}

export function decodeLogEntry(json: string): LogEntry {
  const { s, t, g, st, p, r, m, a, q } = JSON.parse(json) as PackedEntry;
  return {
    seq: s,
    atMs: t,
    ...(g === undefined ? {} : { generation: g }),
    ...(st === undefined ? {} : { state: `${STATE}${st}` as TaskState }),
    ...(r ? { received: unpack(r) } : {}),
    ...(m ? { message: unpack(m) } : {}),
    ...(p ? { transient: true } : {}),
    ...(a ? { artifact: unpack(a) } : {}),
    ...(q === undefined ? {} : { reminds: q }),
  };
}

/** What is kept in log entries are messages and artifact chunks: objects, never arrays. */
function pack(kept: Kept<object>): Packed {
  return 'value' in kept ? kept.value : [kept.blob, kept.bytes];
}

function unpack<T extends object>(packed: Packed): Kept<T> {
  return Array.isArray(packed) ? { blob: packed[0], bytes: packed[1] } : { value: packed as T };
}
