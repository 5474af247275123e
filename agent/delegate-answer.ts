/**
 * Answers what a sub-agent asks: from what this agent knows, or by asking its own caller in its own words. Each piece
 * is a call of its own on the turn, so that nothing is decided or sent twice.
 */
import { errorText } from '../core/error-text.ts';
import { idempotencyKey } from '../core/ids.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import type { Message, Part } from '../core/message.ts';
import {
  type ForeignQuestion,
  judgeForeignAnswer,
  onlyProperty,
  secretProperties,
} from '../core/question/read-question.ts';
import type { AnswerError, RelayedQuestion } from '../core/question/types.ts';
import type { SubTaskRef } from '../core/delegate.ts';
import { type AskPlan, type AskResult, planOf, tryAsk } from './ask.ts';
import type { Said } from './delegate-wait.ts';
import { toJson } from './json-value.ts';
import type { AskOptions } from './question.ts';
import type { Replay } from './replay.ts';
import type { AnswerSchema } from './schema.ts';
import { retrying } from './retrying.ts';
import { AttemptFailed, resultOf, type StepContext, step } from './step.ts';
import { isRetryable, type SubAgent } from './sub-agent.ts';
import { withoutCredential } from './without-credential.ts';

/** A question in this agent's own words, for its own caller. */
export type RestatedQuestion<S extends AnswerSchema | undefined = AnswerSchema | undefined> = AskOptions<S>;

export type Resolve = (question: ForeignQuestion, context: StepContext) => unknown;

/** What goes down: an answer that has yet to be held against the question, or a decline. */
export type Down =
  | {
      readonly answer: Json;
      /** It holds what the caller gave as a secret. */
      readonly secret?: true;
    }
  /** With what names it: a question id, or the id of an authorisation. */
  | { readonly decline: { readonly reason?: string }; readonly of: JsonObject };

type Resolved = { readonly answer: JsonObject | string } | { readonly refused: string } | undefined;

/** Undefined: this agent does not know. An answer that the sub-agent's schema refuses is not sent. */
export function resolveQuestion(
  replay: Replay,
  name: string,
  question: ForeignQuestion,
  resolve: Resolve,
): Promise<Resolved> {
  return step<Resolved>(replay, `${name}/resolve`, async (context) => {
    const given = await resolve(question, context);
    if (given === undefined || given === null) return undefined;
    const fitted = inForm(question, toJson(given, `what resolve of delegate "${name}" gave`));
    return 'unfit' in fitted ? { refused: fitted.unfit } : fitted;
  });
}

/**
 * Asks this task's own caller. Never open for longer than `byMs`, so that an answer can still be sent down.
 * @param byMs milliseconds since the epoch; undefined: the sub-agent has not said when its question ends
 */
export function relayQuestion(
  replay: Replay,
  name: string,
  restated: RestatedQuestion,
  { byMs, relays }: { readonly byMs: number | undefined; readonly relays: RelayedQuestion },
): Promise<AskResult<Json>> {
  const plan = planOf(name, restated);
  const relayed: AskPlan = {
    ...plan,
    spec: () => ({ ...plan.spec(), relays, ...(byMs === undefined ? {} : { expiresByMs: byMs }) }),
  };
  return tryAsk<Json>(replay, name, relayed);
}

/** When a question of ours has to end so that its answer can be sent on; undefined: that leaves the caller no time. */
export function relayBy(
  { expiresAtMs }: { readonly expiresAtMs?: number },
  seenAtMs: number,
): { readonly byMs: number | undefined } | undefined {
  if (expiresAtMs === undefined) return { byMs: undefined };
  const leftMs = expiresAtMs - seenAtMs;
  const byMs = Math.floor(expiresAtMs - Math.max(limits.delegateMarginMs, leftMs * limits.delegateMarginShare));
  return byMs - seenAtMs < limits.delegateAskMinMs ? undefined : { byMs };
}

/**
 * Sends an answer down once, however often: the message has one id. A sub-agent that cannot be reached fails the
 * attempt, and the turn tries again later; one that refuses is looked at again, since it may have been answered or its
 * question have expired meanwhile.
 */
export function sendAnswer(
  replay: Replay,
  sub: SubAgent,
  name: string,
  to: { readonly subTask: SubTaskRef; readonly key: string; readonly question?: ForeignQuestion; readonly down: Down },
): Promise<Sent> {
  const { host } = replay;
  return replay.call<Sent>('step', `${name}/answer`, 'at once', async (call) => {
    let { recorded } = call;
    if (!recorded) {
      const parts = partsOf(to.question, to.down);
      const sent =
        'unfit' in parts
          ? parts
          : await replay.inside(call, () => {
              const messageId = idempotencyKey(host.taskId, call.n);
              return sendOrRefused(
                replay,
                sub,
                { messageId, ...to.subTask, role: 'ROLE_USER', ...parts },
                tellable(to),
              );
            });
      if (sent === 'gone') return 'gone';
      recorded = await replay.record(call, { ok: { atMs: host.nowMs(), ...sent } });
    }
    return { value: { ...resultOf<Omit<Sent, 'key'>>(call, recorded), key: to.key } };
  });
}

/** `unfit`: nothing was sent, for it fits what the sub-agent asks for in no way. */
export type Sent = Said & { readonly unfit?: string };

/** How what is said of an answer may be told: without what is secret here or there, should it be quoted. */
function tellable({ question, down }: { readonly question?: ForeignQuestion; readonly down: Down }) {
  const isSecret = 'answer' in down && (down.secret || (question && secretProperties(question).length > 0));
  return (text: string): string => (isSecret ? withoutCredential(text, down.answer) : text);
}

async function sendOrRefused(
  replay: Replay,
  sub: SubAgent,
  message: Message,
  told: (text: string) => string,
): Promise<{ readonly refused?: string } | 'gone'> {
  const { signal } = replay.host;
  const once = async (): Promise<{ readonly refused?: string }> => {
    const reply = await sub.send(message, { signal });
    if (!('task' in reply) || reply.task.id === message.taskId) return {};
    // It began something new of it, which nobody has asked for; and its question stays as it was.
    await sub.cancel(reply.task.id, signal).catch(() => undefined);
    return { refused: 'it took the answer for the beginning of another task' };
  };
  const tried = await retrying(replay, once, { isFinal: (error) => !isRetryable(error) });
  if (tried === 'gone') return 'gone';
  if ('value' in tried) return tried.value;
  const { error, isFinal } = tried;
  const said = errorText(error);
  const text = told(said).slice(0, limits.declineReasonBytes);
  if (isFinal) return { refused: text };
  // Not recorded: the answer has been accepted from the caller and must not be lost with one connection.
  throw new AttemptFailed(`an answer could not be sent down: ${text}`, told(said) === said ? { cause: error } : {});
}

/** In the form that the question wants. A bare value stands for the one required property. */
function inForm(
  question: ForeignQuestion,
  given: Json,
): { readonly answer: JsonObject | string } | { readonly unfit: string } {
  const only = onlyProperty(question);
  const answer = isJsonObject(given) ? given : only === undefined ? given : { [only]: given };
  if (!isJsonObject(answer)) {
    if (question.schema === undefined) return { answer: typeof answer === 'string' ? answer : JSON.stringify(answer) };
    return { unfit: 'an answer to this question is an object' };
  }
  const errors = judgeForeignAnswer(question, answer);
  return errors.length === 0 ? { answer } : { unfit: errors.map(inWords).join('; ') };
}

function inWords({ pointer, message }: AnswerError): string {
  return pointer === '' ? message : `${pointer}: ${message}`;
}

function partsOf(
  question: ForeignQuestion | undefined,
  down: Down,
): { readonly parts: readonly Part[] } | { readonly unfit: string } {
  if ('decline' in down) return { parts: [dataPart({ ...down.of, decline: down.decline })] };
  if (question === undefined) return { unfit: 'nothing was asked' };
  const { questionId } = question;
  const fitted = inForm(question, down.answer);
  if ('unfit' in fitted) return fitted;
  const { answer } = fitted;
  if (typeof answer === 'string') return { parts: [{ text: answer }] };
  return { parts: [dataPart(questionId === undefined ? answer : { ...answer, questionId })] };
}

function dataPart(data: JsonObject): Part {
  return { data, mediaType: 'application/json' };
}
