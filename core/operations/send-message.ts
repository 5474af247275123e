/**
 * SendMessage (A2A 3.1.1). Without a task id: creates a task, or answers directly (`reply`). With one: the message is
 * a repeat, an answer to the open question (answer-question.ts), or a message to a task that is not asking.
 */
import { invalidParams, ProtocolError, RetryableError, taskNotFound } from '../errors.ts';
import { deriveContextId, deriveTaskId, type Owner, ownerKey } from '../ids.ts';
import { limits } from '../limits.ts';
import { isTerminal, type Message, type Task } from '../message.ts';
import type { Deps } from '../ports.ts';
import type { SendMessageRequest } from '../requests.ts';
import type { TaskHead } from '../task.ts';
import { createTask } from '../transition/create.ts';
import { viewTask } from '../view/view-task.ts';
import { answerQuestion, earlierAnswer } from './answer-question.ts';
import { change } from './change.ts';
import { settleQuestion } from './do-due.ts';
import { isRepeat, markOf } from './message-mark.ts';
import { ownedTask } from './owned-task.ts';
import { perform } from './perform.ts';
import { hasEnded, type Looked, type Sent, tooManyMessages } from './sent.ts';
import { waitForTask } from './wait-for-task.ts';

export interface SendOptions {
  /** How long a blocking send may wait, in milliseconds; default 25 s. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * @throws ProtocolError TASK_NOT_FOUND, UNSUPPORTED_OPERATION (the task has ended, or takes no messages now),
 *   INVALID_PARAMS (context differs, message id reused, question not open)
 * @throws RetryableError when the store does not answer or the task kept changing
 */
export async function sendMessage(
  deps: Deps,
  owner: Owner,
  request: SendMessageRequest,
  options: SendOptions = {},
): Promise<{ task: Task } | { message: Message }> {
  const { message, configuration } = request;
  if (message.taskId === undefined) {
    const reply = await directReply(deps, owner, message);
    if (reply) return { message: reply };
  }
  const sent =
    message.taskId === undefined
      ? await create(deps, owner, message)
      : await receive(deps, owner, message, await ownedTask(deps, owner, message.taskId));
  const waitMs = configuration?.returnImmediately ? 0 : (options.waitMs ?? limits.blockingWaitMs);
  const head = await waitForTask(deps, sent.head, { waitMs, ...(options.signal ? { signal: options.signal } : {}) });
  return { task: await viewTask(deps.store, head, configuration?.historyLength, sent.note) };
}

async function directReply(deps: Deps, owner: Owner, message: Message): Promise<Message | undefined> {
  if (!deps.agent.reply) return undefined;
  const parts = await decide(deps, deps.agent.reply(message, owner), 'reply');
  if (!parts) return undefined;
  const replyId = deriveTaskId(deps.agent.name, ownerKey(owner), message.messageId);
  return {
    messageId: `r-${replyId}`,
    contextId: message.contextId ?? deriveContextId(replyId),
    role: 'ROLE_AGENT',
    parts,
  };
}

/** The author's decisions run in the API and must be quick. */
async function decide<T>(deps: Deps, decision: Promise<T>, name: string): Promise<T> {
  const over = new AbortController();
  const late = deps.clock.sleep(limits.decisionMs, over.signal).then((): never => {
    throw new RetryableError('STORE_UNAVAILABLE', `the agent's ${name} took longer than ${limits.decisionMs} ms`);
  });
  try {
    return await Promise.race([decision, late]);
  } finally {
    late.catch(() => undefined);
    over.abort();
  }
}

/** Creation and de-duplication are one conditional put. */
async function create(deps: Deps, owner: Owner, message: Message): Promise<Sent> {
  const agent = deps.agent.name;
  const seed = deps.agent.settings.idempotency === 'off' ? deps.ids.unique() : message.messageId;
  const taskId = deriveTaskId(agent, ownerKey(owner), seed);
  const made = createTask({
    taskId,
    contextId: message.contextId ?? deriveContextId(taskId),
    agent,
    owner: ownerKey(owner),
    message,
    mark: markOf(message),
    nowMs: deps.clock.now(),
  });
  const result = await deps.store.create(made.head, made.children);
  if ('created' in result) {
    await perform(deps, made.effects);
    return { head: result.created };
  }
  if (!(await isRepeat(deps, result.exists, message))) {
    // The first message's mark is in every task that exists under its derived id.
    throw invalidParams('message.messageId', 'already used', { taskId });
  }
  return repeat(deps, result.exists);
}

/** The task as it is now; a turn that is still owed is sent again, since its first send may have been lost. */
async function repeat(deps: Deps, head: TaskHead): Promise<Sent> {
  deps.log.count('DuplicatesDropped');
  const current = (await settleQuestion(deps, head)) ?? head;
  if (current.turn.phase === 'requested') {
    await perform(deps, [{ kind: 'dispatch', taskId: current.taskId, turn: current.turn.n }]);
  }
  return { head: current };
}

async function receive(deps: Deps, owner: Owner, message: Message, head: TaskHead, looks = 1): Promise<Sent> {
  if (looks > limits.conflictRetries) throw new RetryableError('CONFLICT', `task ${head.taskId} kept changing`);
  if (message.contextId !== undefined && message.contextId !== head.contextId) {
    const both = { taskId: head.taskId, contextId: message.contextId, taskContextId: head.contextId };
    throw invalidParams(
      'message.contextId',
      `"${message.contextId}" is not the context of task ${head.taskId}, which is "${head.contextId}"`,
      both,
    );
  }
  if (await isRepeat(deps, head, message)) return repeat(deps, head);
  if (isTerminal(head.status.state)) throw hasEnded(head);
  const sent = head.ask ? await answerQuestion(deps, head, message) : await unasked(deps, owner, head, message);
  // A race moved the task on: the same message means something else to the task as it is now.
  return sent.decided ? sent : receive(deps, owner, message, sent.head, looks + 1);
}

/** S18: what a message to a task that is not asking means is the agent's stated policy. */
async function unasked(deps: Deps, owner: Owner, head: TaskHead, message: Message): Promise<Looked> {
  const earlier = await earlierAnswer(deps, head, message);
  if (earlier) return { ...earlier, decided: true };
  const { agent } = deps;
  const policy = agent.onMessage
    ? await decide(deps, agent.onMessage(message, owner), 'onMessage')
    : agent.settings.onMessage;
  if (policy === 'reject') {
    throw new ProtocolError(
      'UNSUPPORTED_OPERATION',
      `Task ${head.taskId} is working and is not asking anything; this agent takes no messages meanwhile`,
      { metadata: { taskId: head.taskId, state: head.status.state } },
    );
  }
  const changed = await change(deps, head, () => ({ type: 'receive', message, mark: markOf(message) }));
  if (changed.ok) return { head: changed.head, decided: true };
  if (!changed.head) throw taskNotFound(head.taskId);
  if (changed.rejection === 'inbox-full') {
    throw new ProtocolError(
      'UNSUPPORTED_OPERATION',
      `Task ${head.taskId} holds ${limits.inboxMessages} unread messages`,
      {
        metadata: { taskId: head.taskId },
      },
    );
  }
  if (changed.rejection === 'too-many-messages') throw tooManyMessages(head);
  return { head: changed.head, decided: false };
}
