/**
 * What must hold between any two versions of a head that follow each other, stated without the code's own formulas
 * (design, section 5). Each check names the invariant that it holds.
 */
import { jsonBytes } from '../../core/json.ts';
import type { AskRecord, LogEntry, TaskHead } from '../../core/task.ts';
import type { Commit } from './world.ts';

export function must(holds: boolean, rule: string, ...facts: readonly unknown[]): void {
  if (!holds) throw new Error([rule, ...facts.map((fact) => JSON.stringify(fact))].join('\n'));
}

const NEXT_STATES: Readonly<Record<string, readonly string[]>> = {
  TASK_STATE_SUBMITTED: ['TASK_STATE_WORKING', 'TASK_STATE_CANCELED'],
  TASK_STATE_WORKING: [
    'TASK_STATE_INPUT_REQUIRED',
    'TASK_STATE_AUTH_REQUIRED',
    'TASK_STATE_COMPLETED',
    'TASK_STATE_FAILED',
    'TASK_STATE_CANCELED',
    'TASK_STATE_REJECTED',
  ],
  TASK_STATE_INPUT_REQUIRED: ['TASK_STATE_WORKING', 'TASK_STATE_FAILED', 'TASK_STATE_CANCELED'],
  TASK_STATE_AUTH_REQUIRED: ['TASK_STATE_WORKING', 'TASK_STATE_FAILED', 'TASK_STATE_CANCELED'],
};
const ENDS = ['TASK_STATE_COMPLETED', 'TASK_STATE_FAILED', 'TASK_STATE_CANCELED', 'TASK_STATE_REJECTED'];

/** When reminders of an ask go out: an hour before it expires, where the agent asks for it. */
const REMIND_BEFORE_MS = 3_600_000;

export function checkTrace(commits: readonly Commit[]): void {
  for (const [index, commit] of commits.entries()) {
    const before = index === 0 ? undefined : commits[index - 1];
    checkHead(commit);
    checkStep(before, commit);
    checkTurn(before, commit);
    checkAsk(before, commit);
    checkReminder(before, commit);
  }
  const reminded = commits.filter((commit, index) => isReminder(commits[index - 1], commit));
  const asks = reminded.map(({ head }) => head.ask?.ask);
  must(new Set(asks).size === asks.length, '6: an ask is reminded of once', asks);
}

function isReminder(before: Commit | undefined, commit: Commit): boolean {
  return added(before, commit).some((entry) => entry.reminds !== undefined);
}

function checkReminder(before: Commit | undefined, commit: Commit): void {
  if (!isReminder(before, commit)) return;
  const { ask } = commit.head;
  const inTime =
    ask !== undefined && commit.atMs >= ask.expiresAtMs - REMIND_BEFORE_MS && commit.decidedAtMs < ask.expiresAtMs;
  must(inTime && ask.questionId === before?.head.ask?.questionId, '6: only an open question is reminded of', ask);
}

/** The log entries that this commit added. */
export function added(before: Commit | undefined, { head }: Commit): readonly LogEntry[] {
  return head.log.filter((entry) => entry.seq > (before?.head.seq ?? 0));
}

export function askRecords(head: TaskHead): readonly AskRecord[] {
  return head.calls.filter((call): call is AskRecord => call.kind === 'ask');
}

function checkHead({ head, atMs }: Commit): void {
  const { state } = head.status;
  must(jsonBytes(head) <= 24_576, '9: the head has at most 24 KB', jsonBytes(head));
  must(head.turn.attempts <= 5, '9: at most five attempts', head.turn);
  must(
    (state === 'TASK_STATE_INPUT_REQUIRED') === (head.ask !== undefined),
    '3: asking means a question is open',
    head,
  );
  if (head.ask) {
    must(head.turn.phase === 'idle', '4: nothing runs while the task waits', head.turn);
    must(Number.isSafeInteger(head.ask.expiresAtMs), '3: a visible question has an expiry', head.ask);
    must(head.dueMs <= head.ask.expiresAtMs, '3: due is not later than the expiry', head.dueMs, head.ask);
  }
  must(
    (state === 'TASK_STATE_AUTH_REQUIRED') === (head.auth !== undefined),
    '3: auth-required means that an authorisation is waited for',
    head,
  );
  if (head.auth) {
    must(head.turn.phase === 'idle' && head.ask === undefined, '4: nothing runs while the task waits', head.turn);
    must(head.dueMs <= head.auth.expiresAtMs, '3: due is not later than the expiry', head.dueMs, head.auth);
  }
  if (ENDS.includes(state)) {
    must(head.turn.phase === 'idle', '2: nothing runs after the end', head.turn);
    const dueAfterMs = head.secrets ? 120_000 : 2_592_000_000;
    const undos = [...(head.holds ?? []), ...(head.delegates ?? [])].flatMap(({ undo }) =>
      undo && !undo.gaveUp ? [undo.dueMs] : [],
    );
    if (undos.length > 0) must(head.dueMs <= Math.min(...undos), 'what is to be undone is due', head.dueMs, undos);
    else must(head.dueMs === head.status.atMs + dueAfterMs, 'retention is due 30 days after the end', head.dueMs);
  }
  if (head.turn.phase === 'requested') must(head.dueMs <= atMs + 3_600_000, '3: a requested turn is due in an hour');
  if (head.turn.phase === 'running') must(head.dueMs <= (head.turn.lease?.untilMs ?? 0), '3: due at the lease end');
  if (head.turn.phase === 'parked') must(head.dueMs <= (head.turn.parked?.untilMs ?? 0), '3: due when parked ends');
  const gapless = head.log.every((entry, index) => index === 0 || entry.seq === (head.log[index - 1]?.seq ?? 0) + 1);
  must(gapless && (head.log.at(-1)?.seq ?? head.seq) === head.seq, '1: the log in the head has no gap', head.log);
}

function checkStep(before: Commit | undefined, after: Commit): void {
  const { head } = after;
  must(head.version === (before?.head.version ?? 0) + 1, '1: each write follows the version before', head.version);
  const entries = added(before, after);
  must(entries.length === head.seq - (before?.head.seq ?? 0), '1: every new entry stands in the head', entries);
  let generation = before?.head.generation ?? 0;
  for (const entry of entries) {
    const isEvent = entry.state !== undefined || entry.artifact !== undefined;
    must((entry.generation !== undefined) === isEvent, 'generation is of events only', entry);
    if (isEvent) must(entry.generation === ++generation, 'generations are gapless and rise', entry, generation);
  }
  must(generation === head.generation, 'the head names the newest generation', generation, head.generation);
  const received = entries.filter((entry) => entry.received !== undefined);
  must(received.length <= 1, '1: one message in one write', received);
  const counted = head.used.messages - (before?.head.used.messages ?? 0);
  must(counted === received.length, '1: mark and place in history come together', counted, received);
  if (!before) return;
  const from = before.head.status.state;
  // A debt may also begin after the end: a worker that was taken to be dead has reserved something all the same.
  const debts = owes(before.head) || owes(head);
  const onlyDebts = head.seq === before.head.seq && head.status.state === from && debts;
  must(!ENDS.includes(from) || onlyDebts, 'a terminal state is never left', before.head.status, head.status);
  const to = head.status.state;
  must(from === to || (NEXT_STATES[from] ?? []).includes(to), 'illegal move', from, to);
  const event = entries.find((entry) => entry.seq === head.status.seq);
  must(from === to || event?.state === to, '1: a state changes with its event', entries, head.status);
  must(event === undefined || event.state === to, '1: the status names its own event', event);
}

function checkTurn(before: Commit | undefined, { head, atMs, actor }: Commit): void {
  const was = before?.head.turn;
  const { turn } = head;
  if (!was) return must(turn.n === 1 && turn.phase === 'requested', 'a new task owes its first turn', turn);
  must(turn.n === was.n || turn.n === was.n + 1, '6: turns are numbered without gaps', was, turn);
  const waits = turn.phase === 'parked' && turn.parked?.for === 'delegate';
  if (turn.n > was.n) must(turn.phase === 'requested' || waits, '3: a new turn is requested before it runs', turn);
  const starts = turn.phase === 'running' && was.phase !== 'running';
  if (starts) {
    must(turn.n === was.n && turn.attempts === was.attempts + 1, '2: a claim counts one attempt', was, turn);
    if (was.phase === 'parked') must(atMs >= (was.parked?.untilMs ?? 0), '3: parked until its time', was, atMs);
    must(was.phase !== 'idle', '2: only a requested turn is claimed', was);
    must(actor.name === `worker of turn ${turn.n}`, '6: a message starts the turn that it names', actor.name, turn);
  }
  if (was.phase !== 'running') return;
  const holder = was.lease?.token.startsWith(`${actor.kind}-${actor.id}-`) === true;
  const over = atMs >= (was.lease?.untilMs ?? 0);
  const received = head.used.messages > (before?.head.used.messages ?? 0);
  const kept = turn.phase === 'running' && turn.lease?.token === was.lease?.token && turn.n === was.n;
  const hinted = actor.name === 'hint' && head.seq === before?.head.seq;
  if (kept) {
    // A hold whose time has passed is released whatever the turn does.
    const owed = head.seq === before?.head.seq && JSON.stringify(head.holds) !== JSON.stringify(before.head.holds);
    must(
      holder || received || hinted || owed,
      '2: only the lease holder and callers write while a turn runs',
      was,
      actor,
    );
    return;
  }
  must(holder || over || head.status.state === 'TASK_STATE_CANCELED', '2: a lease is only taken when it is over', was, {
    actor: actor.name,
    atMs,
  });
}

function checkAsk(before: Commit | undefined, after: Commit): void {
  const { head, decidedAtMs: atMs, actor } = after;
  const was = before?.head.ask;
  const entries = added(before, after);
  const received = entries.find((entry) => entry.received)?.received;
  const message = received && 'value' in received ? received.value : undefined;
  const known = new Set(before ? askRecords(before.head).map((record) => record.open.questionId) : []);
  const closed = askRecords(head).filter((record) => !known.has(record.open.questionId));
  must(closed.length <= 1, '2: one ask is closed at a time', closed);
  for (const record of closed) {
    must(record.open.questionId === was?.questionId, '6: what is closed was open', record, was);
    const byCaller = record.outcome === 'answered' || record.outcome === 'declined';
    const late = atMs >= record.open.expiresAtMs;
    must(byCaller === !late, '7: in time is answered, late is expired', record, atMs);
    must(byCaller === (message !== undefined), '8: an answer has its message, an expiry has none', record, message);
    must(record.messageId === message?.messageId, '1: the answer names its message', record, message);
    must(head.turn.n === (before?.head.turn.n ?? 0) + 1, '3: an outcome owes the next turn', head.turn);
  }
  if (was && head.ask && head.ask.questionId !== was.questionId) {
    must(message !== undefined && atMs < was.expiresAtMs, 'a re-ask answers a refused message in time', head.ask);
    must(head.ask.attempt === was.attempt + 1 && head.ask.attempt <= 10, '9: attempts are counted', was, head.ask);
    must(head.ask.expiresAtMs === was.expiresAtMs, 'a re-ask keeps the expiry', was, head.ask);
  }
  if (was && !head.ask && closed.length === 0) {
    const late = atMs >= was.expiresAtMs;
    const refused = message !== undefined && was.attempt === was.maxAttempts;
    const canceled = actor.name === 'cancel' && head.status.state === 'TASK_STATE_CANCELED';
    const expired = JSON.stringify(entries.at(-1)?.message ?? '').includes('QUESTION_EXPIRED');
    must(late === expired, '7: the clock decides what ends a question', head.status, actor.name, atMs);
    must(late || refused || canceled, 'a question ends by expiry, cancel or its last refusal', entries, actor.name);
  }
  if (head.ask && head.ask.questionId !== was?.questionId) {
    const number = Number(head.ask.questionId.split('-').at(-1));
    must(number === (before?.head.used.questions ?? 0) + 1, '6: question ids are never used again', head.ask);
    const shown = entries.find((entry) => entry.seq === head.status.seq)?.message;
    must(shown !== undefined, '1: a question is visible with its state', entries);
  }
}

/** Something outside has still to be undone: the one thing that goes on after the end. */
function owes({ holds = [], delegates = [] }: TaskHead): boolean {
  return [...holds, ...delegates].some(({ undo }) => undo !== undefined);
}
