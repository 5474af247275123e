/**
 * Reads what an agent asks out of its status message. The agent is a stranger: whatever is too large, too deep, leads
 * elsewhere or takes too long is not used, and the question falls back to its words. Answers nothing and shows nothing.
 */
import { isJsonObject, type JsonObject, jsonBytes } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import type { Part, Task } from '../core/message.ts';
import { checkSchema } from '../core/question/check-schema.ts';
import { SchemaProblem } from '../core/question/expand-schema.ts';
import { ANSWER_BOUNDS, boundErrors } from '../core/question/json-bounds.ts';
import { OutOfTime } from '../core/question/time-limit.ts';
import type { AnswerError } from '../core/question/types.ts';
import { compile, type PreparedSchema, prepare } from '../core/question/validate.ts';
import { cleanLine, cleanText } from '../core/clean-text.ts';
import { fieldsOf } from './fields.ts';
import { questionKey, questionPart, shortId } from './question-key.ts';
import type { AgentIdentity, FreeText, OpenQuestion, Question } from './types.ts';

/** A small schema can refer to a large part of itself many times; a question must fit into a store's item. */
const FIELDS_BYTES = 128 * 1_024;

/** What a question without words of its own is shown as. */
const NO_WORDS = 'The agent asks for something and does not say what.';

/** Why a data part cannot be used as a question. */
class Unusable extends Error {
  override readonly name = 'Unusable';
}

/**
 * What the task's status asks; only for a task in TASK_STATE_INPUT_REQUIRED. Never throws for anything an agent sends.
 */
export function readQuestion(task: Pick<Task, 'id' | 'contextId' | 'status'>, agent: AgentIdentity): OpenQuestion {
  const { message } = task.status;
  const parts = (message?.parts ?? []).filter(isJsonObject) as readonly Part[];
  const words = cleanText(parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n'));
  const open = { agent, taskId: task.id, contextId: task.contextId, text: words === '' ? NO_WORDS : words };
  const key = questionKey(task.status);
  const data = questionPart(message);
  if (!data) return { kind: 'free-text', ...open, key };
  const questionId = shortId(data.questionId);
  try {
    if (questionId === undefined) throw new Unusable('its questionId is no short string');
    return structured({ ...open, key }, questionId, data);
  } catch (error) {
    if (!(error instanceof Unusable || error instanceof SchemaProblem || error instanceof OutOfTime)) throw error;
    const problem = error instanceof OutOfTime ? 'its schema takes too long to check' : cleanLine(error.message);
    const unread: FreeText = { kind: 'free-text', ...open, key, problem };
    return questionId === undefined ? unread : { ...unread, questionId };
  }
}

type Words = Pick<Question, 'agent' | 'taskId' | 'contextId' | 'text' | 'key'>;

function structured(words: Words, questionId: string, data: JsonObject): Question {
  if (!isJsonObject(data.answerSchema)) throw new Unusable('it has no answerSchema');
  const { schema, wrapped } = checkSchema(data.answerSchema);
  if (wrapped) throw new Unusable('the root of its schema is not an object');
  const prepared = compiled(schema);
  const options = checkedOptions(data.options);
  const fields = fieldsOf(prepared, options);
  if (jsonBytes(fields) > FIELDS_BYTES) throw new Unusable('its schema is too large once references are expanded');
  const name = shortId(data.name) ?? nameOf(prepared, schema);
  const expiresAtMs = typeof data.expires === 'string' ? Date.parse(data.expires) : Number.NaN;
  const attempt = count(data.attempt, 1);
  const prefill = prefillOf(data.prefill, prepared);
  return {
    kind: 'question',
    ...words,
    questionId,
    ...(name === undefined ? {} : { name: cleanLine(name) }),
    schema,
    fields,
    allowOther: data.allowOther === true || fields.every((field) => field.options.length === 0),
    ...(Number.isNaN(expiresAtMs) ? {} : { expiresAtMs }),
    attempt,
    maxAttempts: Math.max(attempt, count(data.maxAttempts, attempt)),
    errors: errorsOf(data.errors),
    ...(prefill ? { prefill } : {}),
  };
}

function compiled(schema: JsonObject): PreparedSchema {
  const prepared = prepare(schema);
  try {
    compile(prepared);
  } catch (error) {
    if (error instanceof OutOfTime) throw error;
    throw new Unusable(`its schema means nothing: ${(error as Error).message}`);
  }
  return prepared;
}

function checkedOptions(options: unknown): unknown {
  if (options === undefined || options === null) return undefined;
  const bounds = {
    bytes: limits.questionOptionsBytes,
    depth: limits.schemaDepth,
    arrayItems: limits.questionOptionsMax,
  };
  const [problem] = boundErrors(options, bounds);
  if (problem) throw new Unusable(`its options: ${problem.message}`);
  const lists = Array.isArray(options) || (isJsonObject(options) && Object.values(options).every(Array.isArray));
  if (!lists) throw new Unusable('its options are no lists');
  return options;
}

/** The one required property says best what is asked; the wrappers `value` and `text` say nothing. */
function nameOf({ root }: PreparedSchema, schema: JsonObject): string | undefined {
  const [only, ...more] = root.required;
  if (only !== undefined && more.length === 0 && !['value', 'text'].includes(only)) return only;
  return typeof schema.title === 'string' && schema.title !== '' ? schema.title : undefined;
}

function prefillOf(prefill: unknown, { root }: PreparedSchema): JsonObject | undefined {
  if (!isJsonObject(prefill) || boundErrors(prefill, ANSWER_BOUNDS).length > 0) return undefined;
  const known = Object.entries(prefill).filter(([name]) => root.properties.has(name) && !root.secret.includes(name));
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

function errorsOf(errors: unknown): AnswerError[] {
  if (!Array.isArray(errors)) return [];
  return errors.slice(0, limits.answerErrorsReported).flatMap((error: unknown) => {
    if (!isJsonObject(error) || typeof error.message !== 'string') return [];
    const pointer = typeof error.pointer === 'string' ? error.pointer : '';
    return [{ pointer: pointer.length > POINTER_CHARS ? '' : pointer, message: cleanLine(error.message) }];
  });
}

const POINTER_CHARS = 256;

function count(value: unknown, otherwise: number): number {
  return Number.isInteger(value) && (value as number) >= 1 ? (value as number) : otherwise;
}
