/**
 * Waits for a sub-task to come to rest: each look reads it anew, whatever a webhook has said, and where it works on the
 * turn ends, to look again later. What was seen at rest is recorded as it was understood once: a stranger's schema is
 * not judged again at every replay.
 */
import { errorText } from '../core/error-text.ts';
import { AUTH_REQUEST_BOUNDS } from '../core/auth-request.ts';
import { canonicalJson, isJsonObject, type Json } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { type Artifact, isTerminal, type Message, type Task, type TerminalState } from '../core/message.ts';
import { shortHash } from '../core/ids.ts';
import { boundErrors } from '../core/question/json-bounds.ts';
import { type ForeignQuestion, readForeignQuestion } from '../core/question/read-question.ts';
import { type Beginning, type Begun, recordBegun } from './delegate-begin.ts';
import { boundedJson, hasParts } from './delegate-json.ts';
import type { Call, Outcome, Replay } from './replay.ts';
import { resultOf } from './step.ts';
import { isRetryable, type SubAgent } from './sub-agent.ts';

/** A sub-task at rest, as it is recorded. */
export type Snapshot =
  | {
      readonly at: 'end';
      readonly state: TerminalState;
      readonly artifacts: readonly Artifact[];
      readonly message?: Message;
    }
  | Asking
  | Authorizing
  /** The other agent answered at once, without a task. */
  | { readonly at: 'reply'; readonly message: Message }
  /** It is not looked at any more, and is canceled. */
  | { readonly at: 'lost'; readonly reason: string };

export interface Asking {
  readonly at: 'question';
  /** Tells this question from every other of the sub-task. */
  readonly key: string;
  readonly question: ForeignQuestion;
  readonly seenAtMs: number;
}

export interface Authorizing {
  readonly at: 'auth';
  readonly key: string;
  readonly asked: DelegatedAuth;
  readonly seenAtMs: number;
}

/** What a sub-agent in auth-required says. All but the text only where it follows our convention. */
export interface DelegatedAuth {
  readonly text: string;
  /** What is needed: provider, scopes, where to begin. */
  readonly request?: Json;
  readonly authId?: string;
  /** Where the credential goes. */
  readonly callbackUrl?: string;
  /** Milliseconds since the epoch by the agent's clock. */
  readonly expiresAtMs?: number;
}

/** What was said to the other agent last, so that an old state of its task is not taken for a new question. */
export interface Said {
  readonly key: string;
  readonly atMs: number;
  /** It did not accept that. */
  readonly refused?: string;
}

export interface Waited {
  readonly name: string;
  readonly beginning: Beginning;
  readonly giveUpAfterMs: number;
  readonly said?: Said | undefined;
}

export interface Rest {
  readonly snapshot: Snapshot;
  /** As begun: by this very call where the one that began could not reach the other agent. */
  readonly begun: Begun;
}

export function wait(replay: Replay, sub: SubAgent, waited: Waited): Promise<Rest> {
  const { host } = replay;
  const { call: first } = waited.beginning;
  return replay.call<Rest>('wait', waited.name, 'in order', async (call): Promise<Outcome<Rest>> => {
    const begun = await replay.inside(call, () => begunNow(replay, waited));
    if (host.signal.aborted) return 'gone';
    if (begun === 'silent') {
      return replay.pause(() => host.park(call.n, { delegate: first.n, pushes: false, silent: true }));
    }
    const snapshot = begun.is === 'task' ? await rest(replay, sub, call, begun, waited) : snapshotAtOnce(begun);
    if (snapshot === 'gone') return 'gone';
    if (snapshot.at === 'end' || snapshot.at === 'reply') await host.closeDelegate(first.n, 'ended');
    // It may be live, or have been begun although nobody heard of it.
    if (snapshot.at === 'lost') await host.closeDelegate(first.n, 'cancel');
    return { value: { snapshot, begun } };
  });
}

async function begunNow(
  replay: Replay,
  { beginning: { call, begun }, giveUpAfterMs }: Waited,
): Promise<Begun | 'silent'> {
  if (begun.is !== 'unsent') return begun;
  const { host } = replay;
  const openedAtMs = host.delegated(call.n)?.openedAtMs ?? host.nowMs();
  // The call that began has just tried, in this very turn.
  if (host.nowMs() - openedAtMs < Math.min(limits.delegateBeginMs, giveUpAfterMs)) return 'silent';
  return recordBegun(replay, call, { is: 'failed', reason: begun.reason });
}

/** What is known by the record of the call that began, and needs none of its own. */
function snapshotAtOnce(begun: Exclude<Begun, { is: 'task' }>): Snapshot {
  return begun.is === 'message' ? { at: 'reply', message: begun.message } : lost(begun.reason);
}

async function rest(
  replay: Replay,
  sub: SubAgent,
  call: Call,
  { taskId, contextId, pushes }: Extract<Begun, { is: 'task' }>,
  waited: Waited,
): Promise<Snapshot | 'gone'> {
  const { host } = replay;
  let { recorded } = call;
  if (!recorded) {
    const look = await replay.inside(call, () => lookAt(replay, sub, taskId, waited));
    if (host.signal.aborted) return 'gone';
    if (look === 'working' || look === 'silent') {
      const subTask = { taskId, ...(contextId === undefined ? {} : { contextId }) };
      const delegate = waited.beginning.call.n;
      return replay.pause(() => host.park(call.n, { delegate, subTask, pushes, silent: look === 'silent' }));
    }
    recorded = await replay.record(call, { ok: look as unknown as Json });
  }
  return resultOf<Snapshot>(call, recorded);
}

async function lookAt(
  { host }: Replay,
  sub: SubAgent,
  taskId: string,
  { beginning, giveUpAfterMs, said }: Waited,
): Promise<Snapshot | 'working' | 'silent'> {
  const entry = host.delegated(beginning.call.n);
  const nowMs = host.nowMs();
  if (entry && nowMs - entry.openedAtMs >= giveUpAfterMs) return lost('it took too long');
  const task = await read(sub, taskId, host.signal);
  if ('refused' in task) return lost(task.refused);
  if ('silent' in task) {
    const since = entry?.silentSinceMs;
    return since !== undefined && nowMs - since >= limits.delegateSilentMs ? lost('it does not answer') : 'silent';
  }
  const snapshot = snapshotOf(task.task, nowMs);
  if (snapshot === undefined) return 'working';
  if (!('key' in snapshot) || snapshot.key !== said?.key) return snapshot;
  // What was answered is still open: not seen yet by what serves reads, or not taken at all.
  if (said.refused !== undefined) return lost(`it refused the answer to its question: ${said.refused}`);
  return nowMs - said.atMs >= limits.delegateStaleMs ? lost('it does not go on although it was answered') : 'working';
}

type Read = { readonly task: Task } | { readonly silent: true } | { readonly refused: string };

async function read(sub: SubAgent, taskId: string, signal: AbortSignal): Promise<Read> {
  try {
    const task = await sub.get(taskId, signal);
    return typeof task?.status?.state === 'string' ? { task } : { silent: true };
  } catch (error) {
    if (isRetryable(error)) return { silent: true };
    return { refused: `it cannot be looked at: ${errorText(error)}` };
  }
}

/** Undefined while it works. */
function snapshotOf({ status, artifacts }: Task, seenAtMs: number): Snapshot | undefined {
  const { state, message } = status;
  if (isTerminal(state)) {
    const whole = Array.isArray(artifacts) ? artifacts.filter(hasParts) : [];
    const end = boundedJson({ artifacts: whole, ...(hasParts(message) ? { message } : {}) });
    if (end === undefined) return lost('its result is too large');
    return { at: 'end', state: state as TerminalState, ...(end as unknown as { artifacts: readonly Artifact[] }) };
  }
  if (state === 'TASK_STATE_INPUT_REQUIRED') {
    const question = readForeignQuestion(message);
    return { at: 'question', key: question.questionId ?? keyOf(status), question, seenAtMs };
  }
  if (state === 'TASK_STATE_AUTH_REQUIRED') {
    const asked = readAuth(message);
    return { at: 'auth', key: asked.authId ?? keyOf(status), asked, seenAtMs };
  }
  return undefined;
}

function readAuth(message: Message | undefined): DelegatedAuth {
  const { text } = readForeignQuestion(message);
  const parts = hasParts(message) ? (message?.parts ?? []) : [];
  const data = parts.find((part) => isJsonObject(part.data) && part.data.authId !== undefined)?.data;
  const bounded = data === undefined ? undefined : boundedJson(data);
  if (!isJsonObject(bounded)) return { text };
  const { authId, callbackUrl, expires, request } = bounded;
  const expiresAtMs = typeof expires === 'string' ? Date.parse(expires) : Number.NaN;
  return {
    text,
    // An author hands it on as it is: what is more than an author may say is not taken.
    ...(request === undefined || boundErrors(request, AUTH_REQUEST_BOUNDS).length > 0 ? {} : { request }),
    ...(isShort(authId, limits.idLength) ? { authId } : {}),
    ...(isShort(callbackUrl, limits.uriLength) && URL.canParse(callbackUrl) ? { callbackUrl } : {}),
    ...(Number.isNaN(expiresAtMs) ? {} : { expiresAtMs }),
  };
}

function isShort(value: Json | undefined, most: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= most;
}

/** Without a question id the status message is the question; without an id of its own, what it says and when. */
function keyOf({ message, timestamp }: Task['status']): string {
  const id = message?.messageId;
  if (typeof id === 'string' && id !== '' && id.length <= limits.idLength) return id;
  const said = boundedJson([timestamp, message?.parts ?? []]);
  return `status-${shortHash(canonicalJson(said ?? (typeof timestamp === 'string' ? timestamp : null)))}`;
}

function lost(reason: string): Snapshot {
  return { at: 'lost', reason: reason.slice(0, REASON_CHARS) };
}

const REASON_CHARS = 2_000;
