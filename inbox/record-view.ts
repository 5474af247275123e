/** A task's history and its results, for reading. All of it is the words of others, shown as text. */
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import type { Artifact, Message, Part, Task } from '../core/message.ts';
import { type Child, element } from './dom.ts';
import { extensionOf, hasResult, isDecline } from './outcome.ts';
import { labelOf, oneLine, plainText } from './plain-text.ts';
import { localTime } from './time-left.ts';

export interface Names {
  readonly agent: string;
  /** Whether this tab sent a message. */
  readonly sent: (messageId: string) => boolean;
}

export function historyView({ history = [] }: Task, names: Names): HTMLElement {
  return element('ol', { class: 'history' }, ...history.map((message) => entry(message, names)));
}

function entry(message: Message, { agent, sent }: Names): HTMLElement {
  const isAgent = message.role === 'ROLE_AGENT';
  const sender = isAgent ? agent : sent(message.messageId) ? 'You, in this tab' : 'Caller';
  const { recordedAt } = extensionOf(message);
  const time = typeof recordedAt === 'string' && element('time', { datetime: recordedAt }, localTime(recordedAt));
  return element(
    'li',
    { class: isAgent ? 'by-agent' : 'by-caller' },
    element('p', { class: 'sender' }, element('strong', {}, sender), time),
    ...message.parts.flatMap((part) => said(part, message)),
  );
}

/** A question's data part says to programs what its text says to people. */
function said(part: Part, message: Message): Child[] {
  const { data } = part;
  if (!isJsonObject(data) || typeof data.questionId !== 'string') return partView(part);
  if (message.role === 'ROLE_AGENT') return [];
  if (isDecline(message)) {
    const reason = isJsonObject(data.decline) ? plainText(data.decline.reason) : '';
    return [element('p', { class: 'words' }, reason === '' ? 'Declined to answer.' : `Declined to answer: ${reason}`)];
  }
  const { questionId: _question, ...answer } = data;
  const [only, ...more] = Object.entries(answer);
  // How an answer is wrapped that is one value (docs/question-extension.md).
  const isWrapped = only !== undefined && more.length === 0 && ['value', 'text'].includes(only[0]);
  return [valueView(isWrapped ? only[1] : answer)];
}

/** Nothing unless the task is completed: what lies there before is unfinished. */
export function resultView(task: Task): HTMLElement | undefined {
  if (!hasResult(task)) return undefined;
  return element('div', { class: 'results' }, ...(task.artifacts ?? []).map(artifactView));
}

function artifactView({ name, description, parts }: Artifact): HTMLElement {
  const title = labelOf(name ?? '') || 'Result';
  const about = plainText(description, 1_000);
  return element(
    'article',
    {},
    element('h4', {}, title),
    about !== '' && element('p', { class: 'hint' }, about),
    ...parts.flatMap(partView),
  );
}

function partView({ text, url, raw, data, filename, mediaType }: Part): Child[] {
  if (text !== undefined) return [element('p', { class: 'words' }, plainText(text))];
  if (url !== undefined) return [linkView(url, filename)];
  if (raw !== undefined) return [fileView(raw, filename, mediaType)];
  return data === undefined ? [] : [valueView(data)];
}

/** Only web addresses are links, and the whole address is there to be read before it is followed. */
function linkView(url: string, filename: string | undefined): HTMLElement {
  const address = oneLine(url, 2_000);
  const isWeb = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  const link = isWeb && element('a', { href: url, rel: 'noopener noreferrer nofollow', target: '_blank' }, address);
  return element('p', { class: 'words' }, filename !== undefined && `${oneLine(filename)}: `, link || address);
}

/** A file is saved, never opened here. */
function fileView(raw: string, filename: string | undefined, mediaType: string | undefined): HTMLElement {
  const name = oneLine(filename, 100) || 'file';
  const save = element('button', { type: 'button' }, `Save ${name}`);
  save.addEventListener('click', () => {
    const bytes = Uint8Array.from(atob(raw), (character) => character.charCodeAt(0));
    const address = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
    element('a', { href: address, download: name.replace(/[^\p{L}\p{N}._ -]/gu, '_') }).click();
    URL.revokeObjectURL(address);
  });
  const kind = oneLine(mediaType, 100);
  const size = `${Math.ceil((raw.length * 3) / 4_096)} KB`;
  return element('p', {}, save, ' ', element('span', { class: 'hint' }, kind === '' ? size : `${kind}, ${size}`));
}

/** A flat object as a list of names and values; anything else as JSON. */
function valueView(value: Json): HTMLElement {
  if (!isJsonObject(value)) return plainValue(value);
  const rows = Object.entries(value);
  const isFlat = rows.length > 0 && rows.length <= 50 && rows.every(([, one]) => isSimple(one));
  if (!isFlat) return code(value);
  return element(
    'dl',
    {},
    ...rows.flatMap(([name, one]) => [
      element('dt', {}, labelOf(name)),
      element('dd', {}, Array.isArray(one) ? one.map(scalar).join(', ') : scalar(one)),
    ]),
  );
}

function isSimple(value: Json): boolean {
  const isScalar = (one: Json) => typeof one !== 'object' || one === null;
  return Array.isArray(value) ? value.length > 0 && (value as readonly Json[]).every(isScalar) : isScalar(value);
}

function plainValue(value: Json): HTMLElement {
  return typeof value === 'object' && value !== null ? code(value) : element('p', { class: 'words' }, scalar(value));
}

function scalar(value: Json): string {
  if (typeof value === 'string') return plainText(value);
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return value === null ? '(nothing)' : JSON.stringify(value);
}

function code(value: Json | JsonObject): HTMLElement {
  return element('pre', { tabindex: 0 }, plainText(spelled(value)));
}

/** What `JSON.parse` takes may be too deep for `JSON.stringify`. */
function spelled(value: Json | JsonObject): string {
  try {
    return JSON.stringify(value, null, 2);
  } catch {
    return '(nested too deeply to be shown)';
  }
}
