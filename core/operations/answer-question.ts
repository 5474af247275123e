/** What a message to an asking task does: answers, declines, is refused and asked again, or names another question. */
import { ProtocolError } from '../errors.ts';
import { questionNumber } from '../ids.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import type { Message } from '../message.ts';
import type { Deps } from '../ports.ts';
import { interpretAnswer } from '../question/interpret-answer.ts';
import type { Interpretation, Redacted } from '../question/types.ts';
import type { AskRecord, CallRecord, OpenAsk, TaskHead } from '../task.ts';
import type { CallerCommand } from '../transition/command.ts';
import { unreachable } from '../unreachable.ts';
import { statusMessage } from '../view/entries.ts';
import { resolveKept } from '../view/kept.ts';
import { change } from './change.ts';
import { markOf } from './message-mark.ts';
import { sealSecret } from './secrets.ts';
import { type Looked, lookedAfter, type Sent } from './sent.ts';

/**
 * @throws ProtocolError INVALID_PARAMS when the message names a question that is not open
 */
export async function answerQuestion(deps: Deps, head: TaskHead, message: Message): Promise<Looked> {
  const open = head.ask as OpenAsk;
  const question = await openMessage(deps, head);
  const meaning = interpretAnswer(open, question, message);
  if (meaning.kind === 'other-question') {
    const earlier = await earlierAnswer(deps, head, message);
    if (earlier) return { ...earlier, decided: true };
    throw notOpen(head, meaning.questionId);
  }
  const command = await commandFor(deps, head, open, question, message, meaning);
  // Another event came in between: what the message means to the task as it is now is decided anew.
  const changed = await change(deps, head, (now) => (now.generation === head.generation ? command : undefined));
  return lookedAfter(deps, head.taskId, changed);
}

async function openMessage(deps: Deps, head: TaskHead): Promise<Message> {
  const kept = statusMessage(head);
  if (!kept) throw new Error(`task ${head.taskId} asks without a status message`);
  return resolveKept(deps.store, head, kept);
}

async function commandFor(
  deps: Deps,
  head: TaskHead,
  open: OpenAsk,
  question: Message,
  message: Message,
  meaning: Exclude<Interpretation, { kind: 'other-question' }>,
): Promise<CallerCommand> {
  const { questionId } = open;
  if (meaning.kind === 'text') {
    return { type: 'answer', questionId, message, mark: markOf(message), accepted: { text: meaning.text } };
  }
  const { redacted } = meaning;
  const received = { message: redacted.message, mark: markOf(message, redacted.hidden !== undefined) };
  switch (meaning.kind) {
    case 'decline':
      return {
        type: 'decline',
        questionId,
        ...received,
        ...(meaning.reason === undefined ? {} : { reason: meaning.reason }),
      };
    case 'invalid':
      return {
        type: 'refuse-answer',
        questionId,
        question,
        ...received,
        errors: meaning.errors,
        ...(meaning.prefill ? { prefill: meaning.prefill } : {}),
      };
    case 'answer': {
      const { plain, secret } = parted(open, redacted, meaning.value);
      if (!secret) return { type: 'answer', questionId, ...received, accepted: { value: plain } };
      const sealed = await sealSecret(deps, head.taskId, secret);
      return { type: 'answer', questionId, ...received, accepted: { value: plain }, secret: sealed };
    }
    default:
      return unreachable('interpretation', meaning);
  }
}

/**
 * What of an accepted answer may be recorded, and what is sealed: secret properties, and what stands under a name that
 * the schema does not know, since that may be a secret whose name was mistyped. `withSecret` in turn-records.ts puts
 * them together again; a wrapped answer that is secret leaves nothing to record.
 */
function parted(open: OpenAsk, redacted: Redacted, value: Json): { plain: Json; secret?: JsonObject } {
  if (!redacted.hidden) return { plain: value };
  if (open.wrapped || !isJsonObject(value))
    return redacted.secret ? { plain: null, secret: redacted.secret } : { plain: value };
  const shown = redacted.message.parts[0]?.data;
  const isShown = (name: string) => isJsonObject(shown) && Object.hasOwn(shown, name);
  const entries = Object.entries(value);
  const secret = entries.filter(([name]) => !isShown(name));
  const plain = Object.fromEntries(entries.filter(([name]) => isShown(name)));
  return secret.length === 0 ? { plain } : { plain, secret: Object.fromEntries(secret) };
}

/**
 * An answer to a question that has been answered before: the task as it is, with whose message won (design,
 * section 6). Undefined when the message names no such question.
 * @throws ProtocolError INVALID_PARAMS when the question it names has closed without an answer
 */
export async function earlierAnswer(deps: Deps, head: TaskHead, message: Message): Promise<Sent | undefined> {
  const questionId = namedQuestion(message);
  if (questionId === undefined) return undefined;
  const number = questionNumber(head.taskId, questionId);
  const wasAsked = number !== undefined && number <= head.used.questions;
  const record = wasAsked ? await closedAsk(deps, head, ({ open }) => open.questionId === questionId) : undefined;
  if (record?.messageId === undefined) throw notOpen(head, questionId, record);
  return { head, note: { questionId, answeredBy: record.messageId } };
}

/**
 * A message came while `meant` was open, and lost a race: whatever the task asks now, it is no answer to that, and no
 * message to the agent either (R01, R47).
 * @throws ProtocolError INVALID_PARAMS when the ask has closed without an answer
 */
export async function lateAnswer(deps: Deps, head: TaskHead, message: Message, meant: OpenAsk): Promise<Sent> {
  const named = await earlierAnswer(deps, head, message);
  if (named) return named;
  const record = await closedAsk(deps, head, ({ open }) => open.ask === meant.ask);
  const questionId = record?.open.questionId ?? meant.questionId;
  if (record?.messageId === undefined) throw notOpen(head, questionId, record);
  return { head, note: { questionId, answeredBy: record.messageId } };
}

async function closedAsk(
  deps: Deps,
  head: TaskHead,
  isMeant: (record: AskRecord) => boolean,
): Promise<AskRecord | undefined> {
  const matches = (call: CallRecord): call is AskRecord => call.kind === 'ask' && isMeant(call);
  const inHead = head.calls.find(matches);
  const closed = head.used.asks - (head.ask || head.auth ? 1 : 0);
  // Only records that have left the head are looked for among all that is recorded.
  const known = head.calls.filter(({ kind }) => kind === 'ask' || kind === 'auth').length;
  if (inHead || closed <= known) return inHead;
  for (const step of await deps.store.steps(head)) {
    if ('record' in step.result && matches(step.result.record)) return step.result.record;
  }
  return undefined;
}

/** The question id in the message's data parts, if it names one. */
function namedQuestion(message: Message): string | undefined {
  for (const { data } of message.parts) {
    // No question has so long an id, and what is told back to the caller is bounded.
    if (isJsonObject(data) && typeof data.questionId === 'string') return data.questionId.slice(0, limits.idLength);
  }
  return undefined;
}

function notOpen(head: TaskHead, questionId: string, closed?: AskRecord): ProtocolError {
  const why = closed
    ? `question ${questionId} ${closed.outcome === 'expired' ? 'has expired' : 'is closed'}`
    : `question ${questionId} is not open`;
  const openId = head.ask?.questionId;
  const text = openId ? `${why}; the open question is ${openId}` : `${why}; this task is not asking anything now`;
  return new ProtocolError('INVALID_PARAMS', text, {
    metadata: { taskId: head.taskId, questionId, ...(openId ? { openQuestionId: openId } : {}) },
    violations: [{ field: 'message.parts', description: text }],
  });
}
