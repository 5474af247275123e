/** Tasks, their results and their record as lines for a terminal. Texts are the agent's: all go through cleanText. */
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { Artifact, Message, Part, Task, TaskState } from '../../core/message.ts';
import { QUESTION_EXTENSION_URI } from '../../core/question/extension.ts';
import { cleanLine, cleanText } from '../../core/clean-text.ts';
import { jsonText } from '../json-text.ts';
import type { OpenQuestion } from '../types.ts';
import type { Output } from './output.ts';
import { utc, whenDue } from './time-left.ts';

/** "input-required" */
export function stateWord(state: TaskState | string): string {
  return cleanLine(
    state
      .replace(/^TASK_STATE_/, '')
      .toLowerCase()
      .replaceAll('_', '-'),
  );
}

/** What stands under the question extension in the metadata. */
export function extensionOf(metadata: JsonObject | undefined): JsonObject {
  const own = metadata?.[QUESTION_EXTENSION_URI];
  return isJsonObject(own) ? own : {};
}

/** The reason of a status message, under the question extension. */
export function reasonOf(message: Message | undefined): string | undefined {
  const { reason } = extensionOf(message?.metadata);
  return typeof reason === 'string' ? reason : undefined;
}

/** The text parts, one after the other; empty when there are none. */
export function textOf(message: Pick<Message, 'parts'> | undefined): string {
  const texts = (message?.parts ?? []).map(({ text }) => text).filter((text) => text !== undefined && text !== '');
  return cleanText(texts.join('\n'));
}

/** The official client leaves out a list of parts that is empty, whatever A2A's types say. */
export function partsIn({ parts }: { readonly parts?: readonly Part[] }): readonly Part[] {
  return parts ?? [];
}

const REQUEST_CHARS = 100;

/** The first line of a request, so that a person knows one task from another; undefined when it has no words. */
export function requestLine(parts: readonly Part[]): string | undefined {
  const text = parts.find((part) => typeof part.text === 'string' && part.text.trim() !== '')?.text ?? '';
  const [first = ''] = cleanText(text).split('\n');
  return cleanLine(first, REQUEST_CHARS) || undefined;
}

/** A message that asks and is no plain text. */
export function questionPart(message: Message | undefined): JsonObject | undefined {
  const data = partsIn(message ?? {})
    .map((part) => part.data)
    .find((value) => isJsonObject(value) && typeof value.questionId === 'string');
  return isJsonObject(data) ? data : undefined;
}

export function artifactLines(artifact: Artifact, out: Output): string[] {
  const { name, artifactId, description } = artifact;
  const head = out.paint('bold', cleanLine(name || artifactId));
  const said = description ? [indent(cleanText(description))] : [];
  return [head, ...said, ...partsIn(artifact).map((part) => indent(partText(part)))];
}

/** A result may be a report, and go into a file: it is cut only where it would fill the memory. */
const RESULT_CHARS = 5_000_000;

export function partText({ text, data, raw, url, filename, mediaType }: Part): string {
  if (text !== undefined) return cleanText(text, RESULT_CHARS);
  if (data !== undefined) return dataText(data);
  const named = cleanLine(filename || 'a file');
  const type = mediaType ? ` (${cleanLine(mediaType)})` : '';
  if (url !== undefined) return `${named}${type}: ${cleanLine(url, 2000)}`;
  return `${named}${type}, ${Math.floor(((raw ?? '').length * 3) / 4)} bytes`;
}

function dataText(data: Json): string {
  try {
    return cleanText(jsonText(data, 2), RESULT_CHARS);
  } catch {
    return '(data that is nested too deeply to be shown)';
  }
}

/**
 * The audit trail: each message once, in order, with its time and its sender. Secrets are as the agent redacts them.
 * @param you what the caller is called
 */
export function historyLines(task: Task, agent: string, out: Output, you = 'you'): string[] {
  const lines = (task.history ?? []).flatMap((message) => {
    const { recordedAt } = extensionOf(message.metadata);
    const time = typeof recordedAt === 'string' ? utc(recordedAt) : 'time unknown           ';
    const sender = message.role === 'ROLE_AGENT' ? agent : you;
    const head = `${out.paint('dim', time)}  ${out.paint('bold', sender)}  ${out.paint('dim', cleanLine(message.messageId))}`;
    return [head, ...bodyOf(message).map(indent)];
  });
  return [...lines, statusLine(task, out)];
}

export function statusLine({ id, status }: Task, out: Output): string {
  const reason = reasonOf(status.message);
  const why = questionPart(status.message) ? '' : cleanLine(textOf(status.message), 500);
  const more = [why === '' ? undefined : why, reason === undefined ? undefined : `(${cleanLine(reason)})`].filter(
    Boolean,
  );
  const since = status.timestamp ? ` since ${utc(status.timestamp)}` : '';
  const detail = more.length > 0 ? `: ${more.join(' ')}` : '';
  return `Task ${cleanLine(id)} is ${out.paint('bold', stateWord(status.state))}${since}${detail}`;
}

/** A question is told in its words and not in its schema; what was answered, as data. */
function bodyOf(message: Message): string[] {
  const question = questionPart(message);
  if (message.role !== 'ROLE_AGENT' || !question) return partsIn(message).map(partText);
  const attempt =
    Number(question.attempt) > 1 ? ` (attempt ${Number(question.attempt)} of ${Number(question.maxAttempts)})` : '';
  const texts = partsIn(message)
    .filter(({ data }) => data !== question)
    .map(partText);
  return [`asks${attempt}: ${texts.join('\n')}`];
}

export interface Waiting {
  readonly question: OpenQuestion;
  /** The beginning of what the task was asked to do, where that is known. */
  readonly request?: string;
}

/** In the order they are given in. */
export function inboxLines(waiting: readonly Waiting[], out: Output, nowMs: number): string[] {
  return waiting.flatMap(({ question, request }) => {
    const { taskId, agent, text } = question;
    const due =
      question.kind === 'question' && question.expiresAtMs !== undefined
        ? whenDue(question.expiresAtMs, nowMs)
        : 'no expiry known';
    return [
      `${out.paint('bold', cleanLine(taskId))}  ${agent.name} (${agent.url})  ${due}`,
      ...(request === undefined ? [] : [indent(out.paint('dim', `"${request}"`))]),
      indent(cleanLine(text)),
    ];
  });
}

export function indent(text: string): string {
  return text.replace(/^/gm, '  ');
}
