/**
 * Tells what happens to a task while the loop runs: lines for a person, one JSON object in each line for a program.
 * What has been told is not told again, however often a stream or a poll brings it.
 */
import type { JsonObject } from '../../core/json.ts';
import type { Artifact, TaskStatus } from '../../core/message.ts';
import { cleanLine } from '../../core/clean-text.ts';
import { plainJson } from '../json-text.ts';
import type { RuleUsed } from '../from-policy.ts';
import type { AgentIdentity, OpenQuestion, Resolution, TaskUpdate } from '../types.ts';
import { fieldLines, questionLines } from './form.ts';
import { type Output, present } from './output.ts';
import { partsIn, partText, questionPart, stateWord, textOf } from './render-task.ts';
import type { World } from './world.ts';

export interface Reporter {
  update(update: TaskUpdate): void;
  question(question: OpenQuestion): void;
  /** A rule of a policy spoke. */
  rule(used: RuleUsed): void;
  /** Undefined until the agent has made a task. */
  readonly taskId: string | undefined;
}

export interface ReporterOptions {
  /** Called once, when the task is known. */
  readonly onTask: (taskId: string) => void;
  /** A person here is asked next, and sees the choices then. */
  readonly asksHere: boolean;
}

export function createReporter(
  agent: AgentIdentity,
  world: World,
  out: Output,
  { onTask, asksHere }: ReporterOptions,
): Reporter {
  let taskId: string | undefined;
  let lastStatus = '';
  let lastQuestion = '';

  const found = (id: string, contextId: string) => {
    if (taskId !== undefined || id === '') return;
    taskId = id;
    out.object({ type: 'task', taskId: id, contextId, agent: { name: agent.name, url: agent.url } });
    out.progress(out.paint('dim', `Task ${cleanLine(id)} at ${agent.name} (${agent.url})`));
    onTask(id);
  };

  const status = ({ state, message, timestamp }: TaskStatus) => {
    // A question is told by itself, with what belongs to it.
    const text = questionPart(message) || state === 'TASK_STATE_INPUT_REQUIRED' ? '' : textOf(message);
    const told = `${state} ${text}`;
    if (told === lastStatus) return;
    lastStatus = told;
    out.object(
      present({ type: 'status', taskId, state: stateWord(state), at: timestamp, text: text === '' ? undefined : text }),
    );
    out.progress(out.paint('dim', `… ${stateWord(state)}${text === '' ? '' : `: ${cleanLine(text)}`}`));
  };

  const artifact = (content: Artifact, append: boolean) => {
    const whole = content as unknown as JsonObject;
    out.object({ type: 'artifact', taskId: taskId ?? '', artifact: whole, ...(append ? { append } : {}) });
    const name = cleanLine(content.name || content.artifactId);
    const [first = ''] = append ? partsIn(content).map(partText) : [];
    out.progress(out.paint('dim', append ? `… ${name}: ${cleanLine(first)}` : `… artifact ${name}`));
  };

  return {
    get taskId() {
      return taskId;
    },
    update(update) {
      if ('task' in update) {
        found(update.task.id, update.task.contextId);
        status(update.task.status);
      } else if ('statusUpdate' in update) {
        found(update.statusUpdate.taskId, update.statusUpdate.contextId);
        status(update.statusUpdate.status);
      } else if ('artifactUpdate' in update) {
        artifact(update.artifactUpdate.artifact, update.artifactUpdate.append === true);
      }
    },
    question(question) {
      found(question.taskId, question.contextId);
      if (question.key === lastQuestion) return;
      lastQuestion = question.key;
      out.object({ type: 'question', taskId: question.taskId, question: questionObject(question) });
      for (const line of questionLines(question, out, world.now())) out.progress(line);
      if (!asksHere) for (const line of fieldLines(question)) out.progress(line);
    },
    rule({ question, rule, said }) {
      const shown = shownOf(question, said);
      out.object(present({ type: 'rule', taskId: question.taskId, questionId: question.questionId, rule, ...shown }));
      out.progress(ruleLine(rule, shown));
    },
  };
}

interface Shown {
  readonly answer?: JsonObject;
  readonly text?: string;
  readonly decline?: JsonObject;
  /** Properties whose values are not shown. */
  readonly secrets?: readonly string[];
}

function shownOf(question: OpenQuestion, said: Resolution): Shown {
  if (typeof said === 'string') return {};
  if ('text' in said) return { text: said.text };
  if ('decline' in said) return { decline: said.decline };
  const { answer } = said;
  const fields = question.kind === 'question' ? question.fields : [];
  const secrets = fields.filter(({ name, secret }) => secret && Object.hasOwn(answer, name)).map(({ name }) => name);
  const known = Object.fromEntries(Object.entries(answer).filter(([name]) => !secrets.includes(name)));
  return { answer: known, ...(secrets.length > 0 ? { secrets } : {}) };
}

function ruleLine(rule: number, { answer, text, decline, secrets = [] }: Shown): string {
  if (decline) return `declined by rule ${rule}${decline.reason ? `: ${cleanLine(String(decline.reason))}` : ''}`;
  if (text !== undefined) return `answered by rule ${rule}: ${cleanLine(text)}`;
  if (!answer) return `left open by rule ${rule}`;
  const values = Object.values(answer);
  const [only] = values;
  const kept = secrets.length > 0 ? [`${secrets.map((name) => cleanLine(name)).join(', ')} (not shown)`] : [];
  const shown = values.length === 1 && typeof only === 'string' ? cleanLine(only) : plainJson(answer);
  return `answered by rule ${rule}: ${[...(values.length === 0 && kept.length > 0 ? [] : [shown]), ...kept].join(', ')}`;
}

/** A question as `--json` shows it. */
export function questionObject(question: OpenQuestion): JsonObject {
  const { kind, text, questionId } = question;
  if (kind === 'free-text') return present({ kind, questionId, text });
  const { name, schema, fields, allowOther, expiresAtMs, attempt, maxAttempts, errors, prefill } = question;
  const options = Object.fromEntries(
    fields.filter((field) => field.options.length > 0).map((field) => [field.name, field.options]),
  ) as unknown as JsonObject;
  return present({
    kind,
    questionId,
    name,
    text,
    schema,
    options: Object.keys(options).length > 0 ? options : undefined,
    allowOther,
    expires: expiresAtMs === undefined ? undefined : new Date(expiresAtMs).toISOString(),
    attempt,
    maxAttempts,
    errors: errors.length > 0 ? (errors as unknown as readonly JsonObject[]) : undefined,
    prefill,
  });
}
