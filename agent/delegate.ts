/**
 * `turn.delegate`: a task of another agent as one call. A composition of numbered calls (begin, wait, resolve, ask,
 * answer), as `collect` is one: each is recorded, and none of it holds a worker. What the head knows of it is in
 * core/transition/delegates.ts.
 */
import { AgentFault } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import type { Artifact, Message } from '../core/message.ts';
import type { ForeignQuestion } from '../core/question/read-question.ts';
import type { SubTaskRef } from '../core/delegate.ts';
import { unreachable } from '../core/unreachable.ts';
import { hasSecrets } from './accept.ts';
import { type Beginning, begin, type DelegatedMessage } from './delegate-begin.ts';
import {
  type Down,
  relayBy,
  relayQuestion,
  type RestatedQuestion,
  resolveQuestion,
  sendAnswer,
} from './delegate-answer.ts';
import { relayAuth, type RestatedAuth } from './delegate-auth.ts';
import { type Asking, type DelegatedAuth, type Said, type Snapshot, wait } from './delegate-wait.ts';
import { DeclinedError, DelegateError, ExpiredError } from './errors.ts';
import { toJson } from './json-value.ts';
import { optionsProblem } from './options.ts';
import { type Duration, durationMs, durationProblem } from './question.ts';
import type { Replay } from './replay.ts';
import type { AnswerOf, AnswerSchema } from './schema.ts';
import type { StepContext } from './step.ts';
import type { SubAgent } from './sub-agent.ts';

export type { DelegatedMessage } from './delegate-begin.ts';
export type { RestatedQuestion } from './delegate-answer.ts';
export type { RestatedAuth } from './delegate-auth.ts';
export type { DelegatedAuth } from './delegate-wait.ts';
/** What a sub-agent asks, checked against the limits of the question convention. A stranger's words all the same. */
export type DelegatedQuestion = ForeignQuestion;

export interface DelegateOptions<S extends AnswerSchema | undefined = AnswerSchema | undefined> {
  /** The name of the other agent in `agents` of the agent module. */
  readonly agent: string;
  readonly message: DelegatedMessage;
  /**
   * Answers a sub-agent's question from what this agent knows, in the form that question wants; a bare value stands for
   * its one required property. Nothing: not known. Runs as a step does, and what it gives is recorded in the clear; an
   * answer that the question's schema refuses counts as not known.
   */
  readonly resolve?: (question: DelegatedQuestion, context: StepContext) => unknown;
  /**
   * Says the question in this agent's own words, for its own caller: text, schema, options. Runs again on every turn, as
   * code between calls does. Absent, or nothing: such a question is not relayed, and the delegate fails.
   */
  readonly restate?: (question: DelegatedQuestion) => RestatedQuestion<S> | undefined;
  /** From the caller's answer to what the sub-agent's question wants; default: the answer as it is. Runs on every turn. */
  readonly translate?: (answer: AnswerOf<S>, question: DelegatedQuestion) => unknown;
  /**
   * Says in this agent's own words what a sub-agent in auth-required needs; the credential that this task's caller then
   * gives is handed on to the sub-agent. Absent, or nothing: no authorisation is relayed, and the delegate fails.
   */
  readonly restateAuth?: (asked: DelegatedAuth) => RestatedAuth | undefined;
  /** How long a relayed question is open, where the sub-agent's own does not end sooner; 24 hours by default. */
  readonly expiresIn?: Duration;
  /** How long the sub-task may take in all; 30 days by default and at most. */
  readonly giveUpAfter?: Duration;
}

export interface DelegateResult {
  /** Absent where the other agent answered at once, without a task. */
  readonly taskId?: string;
  readonly artifacts: readonly Artifact[];
  /** What it said at the end, if it did. */
  readonly message?: Message;
}

/** The other agents, by the names under which the agent module has them. */
export type SubAgents = Readonly<Record<string, SubAgent>>;

/** `cancel`: the sub-task is live, and nobody waits for it any more. */
type End = { readonly result: DelegateResult } | { readonly error: unknown; readonly cancel: boolean };

export function delegate(
  replay: Replay,
  agents: SubAgents,
  name: string,
  options: DelegateOptions,
): Promise<DelegateResult> {
  const problem = problemOf(agents, name, options);
  if (problem !== undefined) return replay.fault('BAD_CALL', `delegate "${name}": ${problem}`);
  return run(replay, agents[options.agent] as SubAgent, name, options);
}

async function run(replay: Replay, sub: SubAgent, name: string, options: DelegateOptions): Promise<DelegateResult> {
  const beginning = await begin(replay, sub, name, options);
  let end: End;
  try {
    end = await follow(replay, sub, name, options, beginning);
  } catch (error) {
    if (error instanceof AgentFault) return replay.leave(error);
    // Author's code threw. What ends the turn never comes here.
    end = { error, cancel: true };
  }
  if ('result' in end) return end.result;
  if (end.cancel) await giveUp(replay, name, beginning.call.n);
  throw end.error;
}

async function follow(
  replay: Replay,
  sub: SubAgent,
  name: string,
  options: DelegateOptions,
  beginning: Beginning,
): Promise<End> {
  const { giveUpAfter } = options;
  const giveUpAfterMs = giveUpAfter === undefined ? limits.delegateMaxMs : durationMs(giveUpAfter, 'giveUpAfter');
  let said: Said | undefined;
  for (let round = 0; ; round++) {
    const { snapshot, begun } = await wait(replay, sub, { name, beginning, giveUpAfterMs, said });
    if (snapshot.at === 'reply') return { result: { artifacts: [], message: snapshot.message } };
    if (snapshot.at === 'lost' || begun.is !== 'task') {
      const reason = snapshot.at === 'lost' ? snapshot.reason : 'it has no task';
      return { error: new DelegateError(name, undefined, reason), cancel: false };
    }
    if (snapshot.at !== 'end' && round >= limits.delegateRounds) {
      return failed(name, `it asked more than ${limits.delegateRounds} questions`);
    }
    const { taskId, contextId } = begun;
    const subTask: SubTaskRef = { taskId, ...(contextId === undefined ? {} : { contextId }) };
    switch (snapshot.at) {
      case 'end':
        return ended(name, subTask, snapshot);
      case 'auth': {
        const { key } = snapshot;
        const authorized = await relayAuth(replay, sub, name, options, snapshot);
        if ('failed' in authorized) return failed(name, authorized.failed);
        if ('thrown' in authorized) return { error: authorized.thrown, cancel: true };
        said =
          'handed' in authorized
            ? { key, ...authorized.handed }
            : await sendAnswer(replay, sub, name, { subTask, key, down: authorized });
        break;
      }
      case 'question': {
        const down = await answerTo(replay, name, options, subTask, snapshot);
        if ('error' in down) return down;
        const sent = await sendAnswer(replay, sub, name, {
          subTask,
          key: snapshot.key,
          question: snapshot.question,
          down,
        });
        // A fault of this agent's own, not a race: looking again would change nothing.
        if (sent.unfit !== undefined) return failed(name, `the answer does not fit its question: ${sent.unfit}`);
        said = sent;
        break;
      }
      default:
        return unreachable('snapshot', snapshot);
    }
  }
}

/** What is sent down, or why nothing is. */
async function answerTo(
  replay: Replay,
  name: string,
  options: DelegateOptions,
  subTask: SubTaskRef,
  asking: Asking,
): Promise<Down | Extract<End, { error: unknown }>> {
  const { question } = asking;
  const known = options.resolve && (await resolveQuestion(replay, name, question, options.resolve));
  if (known !== undefined && 'answer' in known) return { answer: known.answer };
  const restated = options.restate?.(question);
  if (restated === undefined) {
    return failed(name, known ? `it refuses the answer: ${known.refused}` : 'it asks what this agent does not know');
  }
  const by = relayBy(question, asking.seenAtMs);
  if (by === undefined) return failed(name, 'its question expires too soon');
  const { expiresIn } = options;
  const { questionId } = question;
  const relays = { taskId: subTask.taskId, ...(questionId === undefined ? {} : { questionId }) };
  const asked = { ...(expiresIn === undefined ? {} : { expiresIn }), ...restated };
  const result = await relayQuestion(replay, name, asked, { ...by, relays });
  switch (result.outcome) {
    case 'answered':
    case 'defaulted': {
      const answer = options.translate ? options.translate(result.value, question) : result.value;
      const down = toJson(answer, `what translate of delegate "${name}" gave`);
      return { answer: down, ...(hasSecrets(name, asked.schema) ? { secret: true } : {}) };
    }
    case 'declined': {
      // Outside the convention there is no word for it.
      if (questionId === undefined) return { error: new DeclinedError(name, result.reason), cancel: true };
      return { decline: result.reason === undefined ? {} : { reason: result.reason }, of: { questionId } };
    }
    case 'expired':
      return { error: new ExpiredError(name), cancel: true };
    default:
      return unreachable('outcome', result);
  }
}

function ended(name: string, subTask: SubTaskRef, end: Extract<Snapshot, { at: 'end' }>): End {
  const { state, artifacts, message } = end;
  if (state === 'TASK_STATE_COMPLETED') {
    return { result: { taskId: subTask.taskId, artifacts, ...(message ? { message } : {}) } };
  }
  const words = (message?.parts ?? []).flatMap(({ text }) => (text === undefined ? [] : [text])).join('\n');
  return { error: new DelegateError(name, state, words === '' ? 'it did not say why' : words), cancel: false };
}

function failed(name: string, reason: string): Extract<End, { error: unknown }> {
  return { error: new DelegateError(name, undefined, reason), cancel: true };
}

/** The sub-task is to be canceled, by whoever takes up that debt; recorded, so that it is decided once. */
function giveUp(replay: Replay, name: string, delegate: number): Promise<void> {
  return replay.call<void>('step', `${name}/cancel`, 'in order', async (call) => {
    await replay.host.closeDelegate(delegate, 'cancel');
    if (!call.recorded) await replay.record(call, { ok: null as Json });
    return { value: undefined };
  });
}

const OPTIONS = ['agent', 'message', 'resolve', 'restate', 'translate', 'restateAuth', 'expiresIn', 'giveUpAfter'];

function problemOf(agents: SubAgents, name: unknown, options: DelegateOptions): string | undefined {
  if (typeof name !== 'string' || name === '' || name.length > limits.delegateNameLength) {
    return `the name is a string of 1 to ${limits.delegateNameLength} characters`;
  }
  const problem = optionsProblem(options, OPTIONS);
  if (problem !== undefined) return problem;
  if (!Object.hasOwn(agents, options.agent)) return `the agent module has no agent "${options.agent}" in \`agents\``;
  const { message, giveUpAfter } = options;
  const parts: unknown = typeof message === 'string' ? [message] : message?.parts;
  if (message === '' || !Array.isArray(parts) || parts.length === 0) return 'message is a text, or has parts';
  return giveUpAfter === undefined ? undefined : durationProblem(giveUpAfter, 'giveUpAfter', limits.delegateMaxMs);
}
