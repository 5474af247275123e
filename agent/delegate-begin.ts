/**
 * Begins a sub-task: what is about to be sent is written into the head first, so that it can be canceled whatever
 * happens next; the message has one id for ever, so that sending it again begins nothing new.
 */
import { errorText } from '../core/error-text.ts';
import { idempotencyKey } from '../core/ids.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import type { Message, Part } from '../core/message.ts';
import type { SubTaskRef } from '../core/delegate.ts';
import { boundedJson } from './delegate-json.ts';
import { toJson } from './json-value.ts';
import type { Call, Replay } from './replay.ts';
import { retrying } from './retrying.ts';
import { resultOf } from './step.ts';
import { isRetryable, type Reply, type SubAgent } from './sub-agent.ts';

/** A text is a message with one text part. */
export type DelegatedMessage =
  | string
  | {
      readonly parts: readonly Part[];
      readonly metadata?: JsonObject;
      readonly extensions?: readonly string[];
      /** Of the other agent, to go on in a context of its own. */
      readonly contextId?: string;
    };

/** As it is recorded under the call that begins. */
export type Begun =
  | ({ readonly is: 'task'; readonly pushes: boolean } & SubTaskRef)
  /** Answered at once, without a task. */
  | { readonly is: 'message'; readonly message: Message }
  | { readonly is: 'failed'; readonly reason: string };

/** Not recorded: the other agent could not be reached. The turn is to end here; the next one sends again. */
export interface Unsent {
  readonly is: 'unsent';
  readonly reason: string;
}

export interface Beginning {
  /** Names the sub-task from then on. */
  readonly call: Omit<Call, 'recorded'>;
  readonly begun: Begun | Unsent;
}

export function begin(
  replay: Replay,
  sub: SubAgent,
  name: string,
  { agent, message }: { readonly agent: string; readonly message: DelegatedMessage },
): Promise<Beginning> {
  const { host } = replay;
  return replay.call('delegate', name, 'at once', async (call) => {
    if (call.recorded) return { value: { call, begun: resultOf<Begun>(call, call.recorded) } };
    const given = firstMessage(name, idempotencyKey(host.taskId, call.n), message);
    const first = await host.openDelegate(call.n, { name, agent, message: given });
    const callback = await host.delegateCallback(call.n);
    const sent = await replay.inside(call, () => send(replay, sub, first, callback));
    if (sent === 'gone') return 'gone';
    return { value: { call, begun: sent.is === 'unsent' ? sent : await recordBegun(replay, call, sent) } };
  });
}

export async function recordBegun(replay: Replay, call: Beginning['call'], begun: Begun): Promise<Begun> {
  return resultOf<Begun>(call, await replay.record(call, { ok: begun as unknown as Json }));
}

function firstMessage(name: string, messageId: string, given: DelegatedMessage): Message {
  const content = typeof given === 'string' ? { parts: [{ text: given }] } : given;
  return toJson(
    { ...content, messageId, role: 'ROLE_USER' },
    `the message of delegate "${name}"`,
  ) as unknown as Message;
}

async function send(
  replay: Replay,
  sub: SubAgent,
  message: Message,
  pushUrl: string | undefined,
): Promise<Begun | Unsent | 'gone'> {
  const { host } = replay;
  const { signal } = host;
  let url = pushUrl;
  const once = async (): Promise<Begun> => {
    const pushes = url !== undefined && (await sub.pushes?.(signal)) === true;
    const reply = await sub.send(message, { signal, ...(pushes && url !== undefined ? { pushUrl: url } : {}) });
    return begunBy(reply, pushes);
  };
  const onceOrUncalled = (): Promise<Begun> =>
    once().catch((error: unknown) => {
      if (isRetryable(error) || url === undefined || host.over) throw error;
      // It may only be that the other agent cannot reach us.
      url = undefined;
      return once();
    });
  const tried = await retrying(replay, onceOrUncalled, { isFinal: (error) => !isRetryable(error) });
  if (tried === 'gone') return 'gone';
  if ('value' in tried) return tried.value;
  const { error, isFinal } = tried;
  const reason = errorText(error).slice(0, REASON_CHARS);
  return { is: isFinal ? 'failed' : 'unsent', reason };
}

const REASON_CHARS = 2_000;

function begunBy(reply: Reply, pushes: boolean): Begun {
  if ('message' in reply) {
    const message = boundedJson(reply.message) as Message | undefined;
    return message ? { is: 'message', message } : { is: 'failed', reason: 'its answer is too large' };
  }
  const { id, contextId } = reply.task;
  if (!isId(id)) return { is: 'failed', reason: 'it answered with a task that has no usable id' };
  return { is: 'task', taskId: id, ...(isId(contextId) ? { contextId } : {}), pushes };
}

/** They lie in the head of every task that waits. */
function isId(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && id.length <= 2 * limits.idLength;
}
