/** What must hold once a world is quiet: of the record, of the outcome, and of all that the task did outside. */
import { isJsonObject, type Json } from '../../core/json.ts';
import { isTerminal, type Message, type Task } from '../../core/message.ts';
import type { AskRecord, LogEntry, TaskHead } from '../../core/task.ts';
import { entriesFrom } from '../../core/view/entries.ts';
import { viewTask } from '../../core/view/view-task.ts';
import type { AgentUnderTest, Choice, Closed } from './agents.ts';
import { saidIn } from './callers.ts';
import { added, askRecords, must } from './trace-properties.ts';
import type { Commit, World } from './world.ts';

/**
 * One letter for each thing said: Request, Question, an Answer, a refused (X) one, an Expiry after which the task goes
 * on, Inbox, a status text (S) at the end.
 */
const ORDER = /^RI*(Q(X(?=Q|S)|AI*|EI*))*Q?S?$/;

const LETTERS: Readonly<Record<string, string>> = { TASK_STATE_INPUT_REQUIRED: 'Q', TASK_STATE_WORKING: 'E' };

export async function checkEnd(world: World, agent: AgentUnderTest): Promise<void> {
  const task = await checkRecord(world);
  if (task) checkOutcome(world, agent, task);
}

/** All but what the task came to; gives the task as its caller sees it. */
export async function checkRecord(world: World): Promise<Task | undefined> {
  const { head } = world;
  if (!head) return undefined;
  const asking = head.status.state === 'TASK_STATE_INPUT_REQUIRED' && head.ask !== undefined;
  must(isTerminal(head.status.state) || asking, '3: at rest a task has ended or asks', head);
  if (head.ask) must(head.ask.expiresAtMs > world.nowMs, '3: what is asked can still be answered', head.ask);
  must(head.dueMs > world.nowMs, '3: at rest nothing is due', head.dueMs, world.nowMs);
  const task = await viewTask(world.store, head, 1_000);
  await checkLog(world, head);
  checkHistory(world, task);
  checkTurnsFollow(world);
  checkSteps(world);
  return task;
}

/** What is read back from the head and the LOG items is what was committed, once, in order. */
async function checkLog(world: World, head: TaskHead): Promise<void> {
  const committed = entriesOf(world.commits);
  const stored = await entriesFrom(world.store, head, 1);
  must(JSON.stringify(stored) === JSON.stringify(committed), '8: the log holds each entry once, in order', stored);
  must(
    committed.every((entry, index) => entry.seq === index + 1),
    '8: seq is gapless',
    committed,
  );
}

export function entriesOf(commits: readonly Commit[]): readonly LogEntry[] {
  return commits.flatMap((commit, index) => added(commits[index - 1], commit));
}

export function receivedIn(entry: LogEntry): Message | undefined {
  return entry.received && 'value' in entry.received ? entry.received.value : undefined;
}

function checkHistory(world: World, task: Task): void {
  let letters = '';
  const ids: string[] = [];
  for (const [index, commit] of world.commits.entries()) {
    const asked = world.commits[index - 1]?.head.ask !== undefined;
    for (const entry of added(world.commits[index - 1], commit)) {
      const received = receivedIn(entry);
      const shown = entry.message && 'value' in entry.message ? entry.message.value : undefined;
      if (received) letters += entry.seq === 1 ? 'R' : entry.state === 'TASK_STATE_WORKING' ? 'A' : asked ? 'X' : 'I';
      else if (shown && !entry.transient) letters += LETTERS[entry.state ?? ''] ?? 'S';
      if (received) ids.push(received.messageId);
      else if (shown && !entry.transient) ids.push(shown.messageId);
    }
  }
  const history = task.history?.map((message) => message.messageId) ?? [];
  must(JSON.stringify(history) === JSON.stringify(ids), '8: the history shows what was said, in order', history, ids);
  must(new Set(ids).size === ids.length, '8: nothing is said twice', ids);
  must(ids[0] === 'm-first', '8: the history begins with the request', ids);
  must(ORDER.test(letters), '8: request, questions and answers in order', letters);
  const questions = ids.filter((id) => id.startsWith('q-')).map((id) => Number(id.split('-').at(-1)));
  must(
    questions.every((number, index) => number === index + 1),
    '8: each question once, in order',
    questions,
  );
  must(questions.length === world.head?.used.questions, '8: every question is in the history', questions);
}

/** An accepted answer, and every other outcome, is followed by its turn, unless the task was canceled first. */
function checkTurnsFollow(world: World): void {
  const { commits } = world;
  for (const [index, { head }] of commits.entries()) {
    const before = commits[index - 1]?.head;
    if (head.turn.phase !== 'requested' || before?.turn.n === head.turn.n) continue;
    const later = commits.slice(index + 1);
    const ran = later.some((next) => next.head.turn.n === head.turn.n && next.head.turn.phase === 'running');
    must(ran || world.head?.status.state === 'TASK_STATE_CANCELED', '3: a turn that is owed is run', head.turn);
  }
}

/** A step's first result stands: whoever comes to another one takes it. */
function checkSteps(world: World): void {
  const first = new Map<number, string>();
  for (const { call, standing } of world.steps) {
    const json = JSON.stringify(standing);
    must((first.get(call) ?? json) === json, '2: a recorded step never changes', first.get(call), standing);
    first.set(call, json);
  }
  for (const { key, actor } of world.runs) {
    const before = world.steps.find(({ call, actors }) => key === `${world.taskId}-${call}` && actors < actor.id);
    must(before === undefined, '2: what was recorded before a worker began is not run again', before, actor.name);
  }
}

/** What a record of an answered ask gives the code: as the schema took it, or as the author's check passed it. */
function givenBy(record: AskRecord): Json | undefined {
  const kept = record.checked ?? record.value;
  return kept && 'value' in kept ? kept.value : undefined;
}

/** The last word on each ask, by name. */
export function closedAsks(commits: readonly Commit[]): Closed {
  const closed: Record<string, Closed[string]> = {};
  for (const { head } of commits) {
    for (const record of askRecords(head)) {
      const value = givenBy(record);
      const choice = isJsonObject(value) ? (value.choice as Choice) : undefined;
      if (record.outcome === 'answered') must(choice !== undefined, 'an answer has a value', record);
      closed[record.name] = record.outcome === 'answered' ? (choice as Choice) : record.outcome;
    }
  }
  return closed;
}

/** The answer that counts is the one that was said: the value in the record is the choice in the winner's message. */
function checkValues(world: World): void {
  const said = new Map(entriesOf(world.commits).map((entry) => [receivedIn(entry)?.messageId, receivedIn(entry)]));
  for (const { head } of world.commits) {
    for (const record of askRecords(head).filter(({ outcome }) => outcome === 'answered')) {
      const message = said.get(record.messageId as string);
      must(message !== undefined, '8: who answered is in the history', record);
      const { choice, questionId } = saidIn(message as Message);
      const value = givenBy(record);
      must(JSON.stringify(value) === JSON.stringify({ choice }), 'the agent gets what was said', value, message);
      must(questionId === undefined || questionId === record.open.questionId, '6: ids bind', record, message);
    }
  }
}

function checkOutcome(world: World, agent: AgentUnderTest, task: Task): void {
  checkValues(world);
  const closed = closedAsks(world.commits);
  const unasked = unaskedMessages(world.commits);
  const artifacts = (task.artifacts ?? []).map(({ parts }) => parts[0]?.data as Json);
  const ids = task.artifacts?.map(({ artifactId }) => artifactId) ?? [];
  must(new Set(ids).size === ids.length, '2: each artifact once', ids);
  const opened = entriesOf(world.commits).filter(({ artifact }) => artifact !== undefined);
  must(opened.length === ids.length, '2: each artifact is sent once', opened, ids);
  const ledger = [...world.ledger.values()];
  const { state } = task.status;
  const reason = reasonOf(task);
  const expected = agent.expected(closed, unasked);
  const meant = state === 'TASK_STATE_COMPLETED' || (state === 'TASK_STATE_REJECTED' && reason === 'AGENT_ENDED');
  if (meant) {
    const end = { state, artifacts, ledger };
    must(JSON.stringify(end) === JSON.stringify(expected), '2: the task comes to what its answers say', end, expected);
    return;
  }
  // Ended or stopped on the way: what is there is the beginning of what would have been.
  must(isPrefix(artifacts, expected.artifacts), '2: artifacts only as far as the task came', artifacts, expected);
  must(isPrefix(ledger, expected.ledger), '2: effects only as far as the task came', ledger, expected);
  if (state === 'TASK_STATE_FAILED') checkFailure(world, reason);
}

function isPrefix(part: readonly Json[], whole: readonly Json[]): boolean {
  return JSON.stringify(part) === JSON.stringify(whole.slice(0, part.length));
}

function checkFailure(world: World, reason: string): void {
  // What is undone is written after the end.
  const end = world.commits.findIndex(({ head }) => isTerminal(head.status.state));
  const last = world.commits[end - 1]?.head;
  if (reason === 'AGENT_FAILED') {
    must(last?.turn.attempts === 5 || world.ledgerFaults >= 3, '3: only five lost attempts or a failed step', last);
  } else {
    must(['NO_VALID_ANSWER', 'QUESTION_EXPIRED'].includes(reason), 'a failure has a clear reason', reason);
    // The author's own check refuses in the turn after the answer.
    const asked = last?.ask ?? (last && askRecords(last).at(-1)?.open);
    const used = asked?.attempt === asked?.maxAttempts;
    must(asked !== undefined && (reason !== 'NO_VALID_ANSWER' || used), 'it is the end of a question', last);
  }
}

export function reasonOf(task: Task): string {
  const [own] = Object.values(task.status.message?.metadata ?? {});
  return isJsonObject(own) && typeof own.reason === 'string' ? own.reason : '';
}

/** Ids of the messages that were taken while the task was not asking. */
export function unaskedMessages(commits: readonly Commit[]): readonly string[] {
  return commits.flatMap((commit, index) => {
    const before = commits[index - 1];
    if (!before || before.head.ask) return [];
    return added(before, commit).flatMap((entry) => receivedIn(entry)?.messageId ?? []);
  });
}
