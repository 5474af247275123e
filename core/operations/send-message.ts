/**
 * SendMessage (A2A 3.1.1). Without a task id: creates a task, or answers directly (`reply`). With one: the message is
 * a repeat, an answer to the open question (answer-question.ts), or a message to a task that is not asking.
 */
import { invalidParams, ProtocolError, RetryableError } from '../errors.ts';
import { deriveContextId, deriveTaskId, type Owner, ownerKey } from '../ids.ts';
import { jsonBytes } from '../json.ts';
import { limits } from '../limits.ts';
import { isInterrupted, isPart, isTerminal, type Message, type Task } from '../message.ts';
import type { Deps } from '../ports.ts';
import type { PushConfigRequest, SendMessageRequest } from '../requests.ts';
import type { OpenAsk, TaskHead } from '../task.ts';
import type { Command } from '../transition/command.ts';
import { createTask } from '../transition/create.ts';
import { viewTask } from '../view/view-task.ts';
import { authMention } from '../auth-request.ts';
import { answerAuth, waitsForAuth } from './answer-auth.ts';
import { answerQuestion, earlierAnswer, lateAnswer } from './answer-question.ts';
import { change } from './change.ts';
import { decide } from './decide.ts';
import { doAllDue, doOverdue, isRetired } from './do-due.ts';
import { isRepeat, markOf } from './message-mark.ts';
import { openTasksBeside } from './open-tasks.ts';
import { ownedTask } from './owned-task.ts';
import { perform } from './perform.ts';
import { checkReceiver, configIdOf, registerFirst, registerPush } from './register-push.ts';
import { hasEnded, hasMoved, type Looked, lookedAfter, type Sent } from './sent.ts';
import { waitUntil } from './watch-task.ts';

export interface SendOptions {
  /** How long a blocking send may wait, in milliseconds; default 25 s. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
  /** Called once the message is recorded and nothing can be refused any more. */
  readonly onAccepted?: () => void;
}

/**
 * Blocks (A2A 3.2.2) until the task is interrupted or terminal, or `waitMs` are over.
 * @throws what `acceptMessage` throws
 */
export async function sendMessage(
  deps: Deps,
  owner: Owner,
  request: SendMessageRequest,
  options: SendOptions = {},
): Promise<{ task: Task } | { message: Message }> {
  const accepted = await acceptMessage(deps, owner, request);
  if ('message' in accepted) return accepted;
  options.onAccepted?.();
  const { returnImmediately, historyLength } = request.configuration ?? {};
  const head = returnImmediately ? accepted.head : await untilItStops(deps, accepted.head, options);
  return { task: await viewTask(deps.store, head, historyLength, accepted.note) };
}

function untilItStops(deps: Deps, head: TaskHead, { waitMs = limits.blockingWaitMs, signal }: SendOptions) {
  const hasStopped = ({ status }: TaskHead) => isTerminal(status.state) || isInterrupted(status.state);
  return waitUntil(deps, head, hasStopped, { waitMs, ...(signal ? { signal } : {}) });
}

/**
 * The part of a send that may refuse: afterwards the message is recorded, and what is owed for it is on its way.
 * @throws ProtocolError TASK_NOT_FOUND, UNSUPPORTED_OPERATION (the task has ended, or takes no messages now),
 *   INVALID_PARAMS (context differs, message id reused, question not open), TASK_GENERATION_MISMATCH,
 *   INVALID_AGENT_RESPONSE (`reply` gave no parts)
 * @throws RetryableError when the store does not answer or the task kept changing
 */
export async function acceptMessage(
  deps: Deps,
  owner: Owner,
  request: SendMessageRequest,
): Promise<Sent | { readonly message: Message }> {
  const { message, configuration } = request;
  const receiver = configuration?.taskPushNotificationConfig;
  if (receiver) await checkReceiver(deps, receiver, 'configuration.taskPushNotificationConfig.');
  if (message.taskId !== undefined) {
    return receive(deps, owner, request, await ownedTask(deps, owner, message.taskId));
  }
  const reply = await directReply(deps, owner, message);
  return reply ? { message: reply } : create(deps, owner, message, receiver);
}

async function directReply(deps: Deps, owner: Owner, message: Message): Promise<Message | undefined> {
  if (!deps.agent.reply) return undefined;
  const parts = await decide(deps, deps.agent.reply(message, owner), 'reply');
  if (!parts) return undefined;
  if (!Array.isArray(parts) || parts.length === 0 || !parts.every(isPart)) {
    throw new ProtocolError('INVALID_AGENT_RESPONSE', 'The agent answered with something that is no message');
  }
  const replyId = deriveTaskId(deps.agent.name, ownerKey(owner), message.messageId);
  return {
    messageId: `r-${replyId}`,
    contextId: message.contextId ?? deriveContextId(replyId),
    role: 'ROLE_AGENT',
    parts,
  };
}

/** Creation and de-duplication are one conditional put. */
async function create(deps: Deps, owner: Owner, message: Message, receiver?: PushConfigRequest): Promise<Sent> {
  const agent = deps.agent.name;
  const seed = deps.agent.settings.idempotency === 'off' ? deps.ids.unique() : message.messageId;
  const taskId = deriveTaskId(agent, ownerKey(owner), seed);
  const nowMs = deps.clock.now();
  const pushConfigId = receiver && (await registerFirst(deps, { taskId, bornMs: nowMs }, receiver));
  const made = createTask({
    taskId,
    contextId: message.contextId ?? deriveContextId(taskId),
    agent,
    owner: ownerKey(owner),
    message,
    mark: markOf(message),
    ...(pushConfigId === undefined ? {} : { pushConfigId }),
    nowMs,
  });
  const result = await createOnce(deps, made);
  if ('created' in result) {
    const dispatched = perform(deps, made.effects);
    const note = message.contextId === undefined ? undefined : await openTasksBeside(deps, result.created);
    await dispatched;
    return note ? { head: result.created, note } : { head: result.created };
  }
  if (!(await isRepeat(deps, result.exists, message))) {
    // The first message's mark is in every task that exists under its derived id.
    throw invalidParams('message.messageId', 'already used', { taskId });
  }
  return repeat(deps, result.exists, receiver);
}

/**
 * A task whose retention has passed makes room first. What is too large for the head would be written before it, so a
 * repeat of a large message is looked for before that.
 */
async function createOnce(deps: Deps, made: ReturnType<typeof createTask>): ReturnType<Deps['store']['create']> {
  const { store } = deps;
  const standing = made.children.length > 0 ? await store.load(made.head.taskId) : undefined;
  const result = standing ? { exists: standing } : await store.create(made.head, made.children);
  if ('created' in result || !isRetired(deps, result.exists)) return result;
  await doAllDue(deps, result.exists);
  return createOnce(deps, made);
}

/**
 * The task as it is now; a turn that is still owed is sent again, since its first send may have been lost. So is what
 * the first message was to register: the config it names may be missing, if it came without one the first time.
 */
async function repeat(deps: Deps, head: TaskHead, receiver?: PushConfigRequest): Promise<Sent> {
  deps.log.count('DuplicatesDropped');
  const settled = (await doOverdue(deps, head)) ?? head;
  const missing = receiver && !settled.push?.ids.includes(configIdOf(receiver));
  const current = missing ? (await registerPush(deps, settled, receiver)).head : settled;
  if (current.turn.phase === 'requested') {
    await perform(deps, [{ kind: 'dispatch', taskId: current.taskId, turn: current.turn.n }]);
  }
  return { head: current };
}

async function receive(
  deps: Deps,
  owner: Owner,
  request: SendMessageRequest,
  head: TaskHead,
  looks = 1,
  meant?: OpenAsk,
): Promise<Sent> {
  const { message, ifGenerationMatch, configuration } = request;
  const receiver = configuration?.taskPushNotificationConfig;
  if (looks > limits.conflictRetries) throw new RetryableError('CONFLICT', `task ${head.taskId} kept changing`);
  if (message.contextId !== undefined && message.contextId !== head.contextId) {
    const both = { taskId: head.taskId, contextId: message.contextId, taskContextId: head.contextId };
    throw invalidParams(
      'message.contextId',
      `"${message.contextId}" is not the context of task ${head.taskId}, which is "${head.contextId}"`,
      both,
    );
  }
  // A repeat is no second message: what it was sent on top of has been decided the first time.
  if (await isRepeat(deps, head, message)) return repeat(deps, head, receiver);
  if (ifGenerationMatch !== undefined && ifGenerationMatch !== head.generation) throw hasMoved(head, ifGenerationMatch);
  if (isTerminal(head.status.state)) throw hasEnded(head);
  if (meant && head.ask?.ask !== meant.ask) return lateAnswer(deps, head, message, meant);
  if (receiver && looks === 1) {
    // Before the message, so that a message that is recorded never misses it.
    const { head: known } = await registerPush(deps, head, receiver);
    return receive(deps, owner, request, known, looks + 1, head.ask);
  }
  const mention = authMention(head.taskId, message);
  const sent = mention
    ? await answerAuth(deps, head, message, mention)
    : head.ask
      ? await answerQuestion(deps, head, message)
      : await unasked(deps, owner, head, message);
  // A race moved the task on: the same message means something else to the task as it is now.
  return sent.decided ? sent : receive(deps, owner, request, sent.head, looks + 1, head.ask);
}

/** S18: what a message to a task that is not asking means is the agent's stated policy. */
async function unasked(deps: Deps, owner: Owner, head: TaskHead, message: Message): Promise<Looked> {
  const earlier = await earlierAnswer(deps, head, message);
  if (earlier) return { ...earlier, decided: true };
  const { agent } = deps;
  const policy = agent.onMessage
    ? await decide(deps, agent.onMessage(message, owner), 'onMessage')
    : agent.settings.onMessage;
  if (policy === 'reject' && head.auth) throw waitsForAuth(head, head.auth);
  if (policy === 'reject') {
    throw new ProtocolError(
      'UNSUPPORTED_OPERATION',
      `Task ${head.taskId} is working and is not asking anything; this agent takes no messages meanwhile`,
      { metadata: { taskId: head.taskId, state: head.status.state } },
    );
  }
  const bytes = jsonBytes(message);
  if (bytes > limits.inboxMessageBytes) {
    const most = `a message to a task that is not asking has at most ${limits.inboxMessageBytes} bytes, not ${bytes}`;
    throw invalidParams('message', most, { taskId: head.taskId });
  }
  const command: Command = { type: 'receive', message, mark: markOf(message) };
  // Who lost a race looks anew: the winner may have brought this very message.
  const changed = await change(deps, head, (now) => (now === head ? command : undefined));
  if (!changed.ok && changed.rejection === 'inbox-full') {
    throw new ProtocolError(
      'UNSUPPORTED_OPERATION',
      `Task ${head.taskId} holds ${limits.inboxMessages} unread messages`,
      {
        metadata: { taskId: head.taskId },
      },
    );
  }
  return lookedAfter(deps, head.taskId, changed);
}
