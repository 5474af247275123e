/** What every single call must have come to: of callers, of strangers, of workers, timers and sweeps. */
import { AgentFault, ProtocolError, RetryableError } from '../../core/errors.ts';
import { isJsonObject } from '../../core/json.ts';
import { isTerminal, type Message, type Task } from '../../core/message.ts';
import { FIRST, saidIn } from './callers.ts';
import { entriesOf, receivedIn } from './end-properties.ts';
import { must } from './trace-properties.ts';
import type { Call, Commit, World } from './world.ts';

export function checkCalls(world: World): void {
  for (const actor of world.scheduler.actors) {
    if (actor.outcome === undefined || !('error' in actor.outcome)) continue;
    const { error } = actor.outcome;
    const told = error instanceof RetryableError || (actor.kind === 'api' && error instanceof ProtocolError);
    must(told, 'no error but those of the table', actor.name, String(error), (error as Error).stack);
    // Who was not disturbed may only be told that others kept changing the task.
    const spared = error instanceof RetryableError && !actor.disturbed;
    must(!spared || error.reason === 'CONFLICT', 'throttled only when throttled', actor.name, String(error));
  }
  for (const { level, fields, message } of world.log.lines) {
    const { error } = fields;
    if (level !== 'error' || error instanceof RetryableError) continue;
    // Time that was moved on while somebody undid something: tried again.
    if (message === 'what a task had begun could not be undone') continue;
    const step = error instanceof AgentFault && error.reason === 'STEP_FAILED' && world.ledgerFaults >= 3;
    must(step, 'no turn fails but by a fault from outside', String(error), (error as Error).stack);
  }
  for (const call of world.calls) {
    if (call.actor.status !== 'done' || call.actor.outcome === undefined) continue;
    if (call.kind === 'intrude') checkIntruder(world, call);
    else checkCall(world, call);
  }
}

/** Heads that stood at some time during the call, oldest first. */
function during(world: World, call: Call): readonly Commit[] {
  return world.commits.slice(Math.max(0, call.from - 1), call.to);
}

function own(world: World, call: Call): readonly Commit[] {
  return world.commits.filter(({ actor }) => actor === call.actor);
}

function checkIntruder(world: World, call: Call): void {
  const outcome = call.actor.outcome as { error?: unknown };
  must(own(world, call).length === 0, '10: another owner changes nothing', own(world, call));
  if (outcome.error instanceof RetryableError) return;
  const { error } = outcome;
  const right =
    error instanceof ProtocolError &&
    error.reason === 'TASK_NOT_FOUND' &&
    error.message === `Task not found: ${world.taskId}` &&
    JSON.stringify(error.metadata) === JSON.stringify({ taskId: world.taskId });
  must(right, '10: another owner is told what a random id is told', String(error));
}

function checkCall(world: World, call: Call): void {
  const { outcome } = call.actor;
  if (!outcome || ('error' in outcome && outcome.error instanceof RetryableError)) return;
  const refused = 'error' in outcome ? (outcome.error as ProtocolError) : undefined;
  const task = 'value' in outcome ? taskIn(outcome.value) : undefined;
  must(refused?.reason !== 'TASK_NOT_FOUND', 'its owner always finds a task', refused?.message);
  if (call.kind === 'get') {
    must(task !== undefined, 'a get shows the task', refused?.message);
    const shown = task?.status.message?.parts.find(({ data }) => isJsonObject(data))?.data;
    const expires = isJsonObject(shown) ? Date.parse(String(shown.expires)) : Number.POSITIVE_INFINITY;
    must(expires > call.actor.startedAtMs, '7: nobody is shown a question that is over', shown);
  }
  if (call.kind === 'cancel') {
    const last = during(world, call).at(-1)?.head.status.state ?? 'TASK_STATE_SUBMITTED';
    must(task ? last === 'TASK_STATE_CANCELED' : isTerminal(last), 'cancel tells the truth', last, refused?.message);
  }
  if (call.kind === 'send') checkSend(world, call, call.message as Message, task, refused);
}

function checkSend(world: World, call: Call, message: Message, task?: Task, refused?: ProtocolError): void {
  const before = recorded(world.commits.slice(0, call.from), message);
  const at = recorded(world.commits.slice(0, call.to), message);
  const wrote = own(world, call).filter(({ head }) => head.used.messages > 0 && isNews(world, head.version));
  if (task) {
    const won = winner(task);
    must(
      at === 'same' || won !== undefined,
      '8: who was told of success finds the message or the winner',
      message,
      task,
    );
    if (won !== undefined) {
      const winners = entriesOf(world.commits).flatMap((entry) => receivedIn(entry)?.messageId ?? []);
      must(winners.includes(won), 'the winner that was named is in the history', won);
    }
  }
  if (refused) must(before !== 'same' && wrote.length === 0, 'who was refused left no trace', message, refused.message);
  if (before === 'other') must(refused?.reason === 'INVALID_PARAMS', 'an id is not used again', message);
  if (before !== 'none') must(wrote.length === 0, 'a repeat changes nothing', message, wrote);
  checkAnswer(world, call, message, refused, wrote);
}

/** The version brought a caller's message. */
function isNews(world: World, version: number): boolean {
  const before = world.commits[version - 2]?.head.used.messages ?? 0;
  return (world.commits[version - 1]?.head.used.messages ?? 0) > before;
}

/** Whether the message stands in the history of these commits, or another under its id. */
function recorded(commits: readonly Commit[], message: Message): 'same' | 'other' | 'none' {
  for (const entry of entriesOf(commits)) {
    const known = receivedIn(entry);
    if (known?.messageId !== message.messageId) continue;
    return JSON.stringify(known.parts) === JSON.stringify(message.parts) ? 'same' : 'other';
  }
  return 'none';
}

function checkAnswer(
  world: World,
  call: Call,
  message: Message,
  refused: ProtocolError | undefined,
  wrote: readonly Commit[],
): void {
  const { questionId, choice } = saidIn(message);
  if (questionId === undefined || message.messageId === FIRST.messageId) return;
  const stood = during(world, call);
  const open = stood.some(({ head }) => head.ask?.questionId === questionId);
  if (stood.every(({ head }) => head.ask !== undefined)) {
    must(open || wrote.length === 0, '6: what names another question changes nothing', message, wrote);
  }
  // Visible means that it was there when its answer was sent.
  const shown = call.from > 0 && stood[0]?.head.ask?.questionId === questionId;
  const last = stood.at(-1)?.head.ask;
  const still = last?.questionId === questionId && last.expiresAtMs > world.nowMs;
  const valid = choice !== undefined && message.parts.length === 1;
  must(
    !(shown && still && valid && refused),
    '5: a valid answer to a visible question is accepted',
    message,
    refused?.message,
  );
}

function taskIn(value: unknown): Task {
  return (isJsonObject(value) && 'task' in value ? value.task : value) as Task;
}

function winner(task: Task): string | undefined {
  const note = Object.values(task.metadata ?? {}).find(isJsonObject)?.answeredBy;
  return typeof note === 'string' ? note : undefined;
}
