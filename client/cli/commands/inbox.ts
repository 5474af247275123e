/** `askback inbox`: what waits for an answer, the soonest due first: what was left here, and what an agent lists. */
import type { JsonObject } from '../../../core/json.ts';
import type { Task } from '../../../core/message.ts';
import { readQuestion } from '../../read-question.ts';
import type { OpenQuestion } from '../../types.ts';
import { type Agent, agentUrl, openAgent } from '../agent.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { failureOf } from '../failures.ts';
import { type LoginOptions, loginOf } from '../login.ts';
import { type Output, present } from '../output.ts';
import { inboxLines, partsIn, requestLine, type Waiting } from '../render-task.ts';
import { questionObject } from '../reporter.ts';
import { pendingStore } from '../run.ts';
import { rememberTasks, taskBook } from '../tasks.ts';
import type { World } from '../world.ts';

interface Found extends Waiting {
  readonly source: 'local' | 'agent';
}

/** An inbox is for reading: more than this is a queue, and is said to be cut. */
const MOST = 1_000;
/** A list may also go on without tasks. */
const MOST_PAGES = 50;
/** Of each task: as far back as to the request of one that has been answered a few times. */
const MESSAGES = 20;
/** For the schemas of one list. */
const SCHEMAS_MS = 5_000;

export async function showInbox(
  url: string | undefined,
  options: LoginOptions,
  world: World,
  out: Output,
): Promise<ExitCode> {
  const local = await leftHere(world);
  const { waiting: listed, cut } =
    url === undefined ? { waiting: [], cut: false } : await listedBy(agentUrl(url), options, world);
  const known = new Set(listed.map(({ question }) => question.taskId));
  const waiting = [...listed, ...local.filter(({ question }) => !known.has(question.taskId))].sort(
    (a, b) => dueOf(a.question) - dueOf(b.question),
  );
  out.object({ type: 'inbox', exitCode: EXIT.completed, questions: waiting.map(objectOf) });
  if (cut) out.progress(out.paint('yellow', 'the agent lists more than is shown'));
  if (waiting.length === 0) {
    const more = url === undefined ? ' What an agent lists is shown with its address: askback inbox <url>' : '';
    out.progress(`No open questions.${more}`);
    return EXIT.completed;
  }
  for (const line of inboxLines(waiting, out, world.now())) out.result(line);
  out.progress(out.paint('dim', 'To answer: askback answer <task>'));
  return EXIT.completed;
}

async function leftHere(world: World): Promise<Found[]> {
  const stored = await pendingStore(world).list();
  const known = new Map((await taskBook(world).all()).map(({ taskId, url, request }) => [`${url} ${taskId}`, request]));
  return stored.flatMap(({ task: { question, state } }): Found[] => {
    if (!question || state === 'done' || state === 'working') return [];
    const request = known.get(`${question.agent.url} ${question.taskId}`);
    return [{ question, source: 'local', ...(request === undefined ? {} : { request }) }];
  });
}

async function listedBy(url: string, options: LoginOptions, world: World): Promise<{ waiting: Found[]; cut: boolean }> {
  const agent = await openAgent(url, loginOf(options), world);
  const { tasks, cut } = await asking(agent);
  await rememberTasks(
    tasks.map((task) => ({ taskId: task.id, request: requestOf(task) })),
    agent,
    world,
  );
  return { waiting: await readAll(tasks, agent, world), cut };
}

/** Strangers' schemas take up to a second each; in a list the words are enough, and `answer` reads the schema again. */
async function readAll(tasks: readonly Task[], { identity }: Agent, world: World): Promise<Found[]> {
  const until = world.now() + SCHEMAS_MS;
  const waiting: Found[] = [];
  for (const task of tasks) {
    const inTime = world.now() < until ? task : inWords(task);
    const request = requestOf(task);
    const question = readQuestion(inTime, identity);
    waiting.push({ question, source: 'agent', ...(request === undefined ? {} : { request }) });
    // So that Ctrl-C is heard.
    await new Promise((resolve) => setImmediate(resolve));
    world.interrupted.throwIfAborted();
  }
  return waiting;
}

/** Undefined where the history does not go back to it. */
function requestOf({ history = [] }: Task): string | undefined {
  const [first] = history;
  return first && history.length < MESSAGES && first.role === 'ROLE_USER' ? requestLine(partsIn(first)) : undefined;
}

function inWords({ status, ...task }: Task): Task {
  if (!status.message) return { ...task, status };
  const parts = (status.message.parts ?? []).filter(({ data }) => data === undefined);
  return { ...task, status: { ...status, message: { ...status.message, parts } } };
}

interface Listed {
  readonly tasks: readonly Task[];
  /** There is more than was read. */
  readonly cut: boolean;
}

async function asking({ calls, identity }: Agent): Promise<Listed> {
  const tasks: Task[] = [];
  let pageToken = '';
  try {
    for (let pages = 0; pages < MOST_PAGES && tasks.length < MOST; pages += 1) {
      const filter = { status: 'TASK_STATE_INPUT_REQUIRED', pageSize: 100, historyLength: MESSAGES } as const;
      const page = await calls.list({ ...filter, pageToken });
      tasks.push(...page.tasks);
      const before = pageToken;
      pageToken = page.nextPageToken === before ? '' : page.nextPageToken;
      if (pageToken === '') break;
    }
  } catch (error) {
    throw failureOf(error, identity.url);
  }
  const waiting = new Map(
    tasks.filter(({ status }) => status?.state === 'TASK_STATE_INPUT_REQUIRED').map((task) => [task.id, task]),
  );
  return { tasks: [...waiting.values()].slice(0, MOST), cut: pageToken !== '' || waiting.size > MOST };
}

function objectOf({ question, source, request }: Found): JsonObject {
  const { taskId, contextId, agent } = question;
  const who = { name: agent.name, url: agent.url };
  return present({ taskId, contextId, agent: who, request, question: questionObject(question), source });
}

function dueOf(question: OpenQuestion): number {
  return question.kind === 'question' ? (question.expiresAtMs ?? Infinity) : Infinity;
}
