/** The journal a turn starts from: STEP items and the calls recorded in the head, with every value in hand. */
import type { AuthRecord } from '../auth-request.ts';
import { messageDigest } from '../ids.ts';
import { isJsonObject, type Json } from '../json.ts';
import type { Message } from '../message.ts';
import { inParallel } from '../parallel.ts';
import type { Deps } from '../ports.ts';
import type { Recorded, RecordedOutcome, StepResult } from '../turn-host.ts';
import type { HoldRecord } from '../hold.ts';
import type { AskRecord, CallRecord, StepRecord, TaskHead } from '../task.ts';
import { unreachable } from '../unreachable.ts';
import { resolveKept } from '../view/kept.ts';
import { openSecret } from './secrets.ts';

/** By call number. The head wins over a STEP item: that may be of a write that was lost when the ask left the head. */
export async function loadRecords(deps: Deps, head: TaskHead): Promise<Map<number, Recorded>> {
  const records = new Map<number, Recorded>();
  if (mayHaveSteps(head)) {
    const steps = await deps.store.steps(head);
    const recorded = await inParallel(steps, async (step) => [step.call, await fromStep(deps, head, step)] as const);
    for (const [call, record] of recorded) records.set(call, record);
  }
  // Few, and hardly ever one that is not in the head itself.
  for (const call of head.calls) records.set(call.call, await fromCall(deps, head, call));
  return records;
}

/**
 * Whether STEP items are to be looked for. The first attempt of a turn finds none, unless the head says that an earlier
 * turn left some; later attempts always look, since a worker that died could not say so.
 */
export function mayHaveSteps({ turn, steps }: TaskHead): boolean {
  return turn.attempts > 1 || steps === true;
}

export async function fromStep(deps: Deps, head: TaskHead, step: StepRecord): Promise<Recorded> {
  const { result, kind, name } = step;
  if ('record' in result) return fromCall(deps, head, result.record);
  if (kind === 'artifact') return { kind, name };
  const read: StepResult = 'ok' in result ? { ok: await resolveKept(deps.store, head, result.ok) } : result;
  if (
    kind !== 'step' &&
    kind !== 'now' &&
    kind !== 'random' &&
    kind !== 'inbox' &&
    kind !== 'delegate' &&
    kind !== 'wait'
  ) {
    throw new Error(`task ${head.taskId}: the ${kind} at call ${step.call} is recorded as a result`);
  }
  return { kind, name, result: read };
}

async function fromCall(deps: Deps, head: TaskHead, call: CallRecord): Promise<Recorded> {
  if (call.kind === 'artifact') return { kind: 'artifact', name: call.name };
  if (call.kind === 'auth') return fromAuth(deps, head, call);
  if (call.kind === 'hold') return fromHold(deps, head, call);
  if (call.kind !== 'ask') return { kind: call.kind, name: call.name, done: call.done };
  const { name, checked } = call;
  if (checked) return { kind: 'ask', name, checked: await resolveKept(deps.store, head, checked) };
  return { kind: 'ask', name, outcome: await outcomeOf(deps, head, call) };
}

async function fromHold(deps: Deps, head: TaskHead, { kind, name, n, came }: HoldRecord): Promise<Recorded> {
  if ('gone' in came) return { kind, name, n, gone: true };
  return { kind, name, n, result: 'ok' in came ? { ok: await resolveKept(deps.store, head, came.ok) } : came };
}

async function fromAuth(deps: Deps, head: TaskHead, record: AuthRecord): Promise<Recorded> {
  const { kind, name, outcome, result, declineReason } = record;
  if (result) {
    return { kind, name, result: 'ok' in result ? { ok: await resolveKept(deps.store, head, result.ok) } : result };
  }
  return { kind, name, authorisation: outcome, ...(declineReason === undefined ? {} : { reason: declineReason }) };
}

/**
 * The credential that was granted.
 * @throws Error when it is not there, or cannot be opened: not the author's fault
 */
export function readCredential(deps: Deps, head: TaskHead, { secret }: AuthRecord): Promise<Json> {
  return openSecret(deps, head, secret, 'the credential');
}

async function outcomeOf(deps: Deps, head: TaskHead, record: AskRecord): Promise<RecordedOutcome> {
  const value = record.value ? await resolveKept(deps.store, head, record.value) : null;
  switch (record.outcome) {
    case 'answered':
      if (record.text) return { outcome: 'answered', text: await resolveKept(deps.store, head, record.text) };
      return { outcome: 'answered', value: await withSecret(deps, head, record, value) };
    case 'declined':
      return { outcome: 'declined', ...(record.declineReason === undefined ? {} : { reason: record.declineReason }) };
    case 'expired':
      return { outcome: 'expired' };
    case 'defaulted':
      return { outcome: 'defaulted', value };
    default:
      return unreachable('outcome', record.outcome);
  }
}

async function withSecret(deps: Deps, head: TaskHead, record: AskRecord, value: Json): Promise<Json> {
  if (record.secret === undefined) return value;
  const secret = await openSecret(deps, head, record.secret, 'secret');
  if (!isJsonObject(secret)) throw new Error(`secret ${record.secret} of task ${head.taskId} is not an object`);
  if (record.open.wrapped) return secret.value ?? null;
  return { ...(isJsonObject(value) ? value : {}), ...secret };
}

/** The messages that earlier attempts have read from the inbox. */
export function readMessages(records: ReadonlyMap<number, Recorded>): ReadonlySet<string> {
  return new Set([...records.values()].flatMap(messagesIn).map(readKey));
}

/** The messages that a recorded read of the inbox gave. */
export function messagesIn(record: Recorded): readonly Message[] {
  if (record.kind !== 'inbox' || !('ok' in record.result) || !Array.isArray(record.result.ok)) return [];
  return record.result.ok as unknown as readonly Message[];
}

/** Without idempotency two messages may have one id. */
export function readKey(message: Message): string {
  return `${messageDigest(message)} ${message.messageId}`;
}
