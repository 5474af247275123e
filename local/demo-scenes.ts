/** The scenes of the demo: what is said, what must come back, and what is printed of it. */
import { deepStrictEqual, match, ok, rejects } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../core/json.ts';
import type { Message, Task } from '../core/message.ts';
import type { QuestionData } from '../core/question/types.ts';
import { fileLedger } from '../examples/expense-agent/ledger.ts';
import type { Caller } from './official-client.ts';

export interface Stage {
  readonly caller: Caller;
  readonly ledgerFolder: string;
}

export interface Played {
  readonly caller: Caller;
  readonly messages: readonly Message[];
  readonly done: Task;
}

const REQUEST = 'File my taxi receipt from Tuesday, 42 euros';
const QUESTION = 'Which cost centre should this expense be charged to?';
const EXPECTED_ONE_OF = 'expected one of CC-4410, CC-4420';

/** `restart` kills the server between question and answer, starts it again and gives a new caller. */
export async function workedExample(stage: Stage, restart: () => Promise<Caller>): Promise<Played> {
  scene('The worked example');
  const request = say(REQUEST);
  tell('assistant', REQUEST);
  const asked = await stage.caller.send(request);
  const first = questionOf(asked);
  deepStrictEqual(asked.status.state, 'TASK_STATE_INPUT_REQUIRED');
  deepStrictEqual(asked.status.message?.role, 'ROLE_AGENT');
  deepStrictEqual(textOf(asked), QUESTION);
  match(first.questionId, /-1$/);
  deepStrictEqual(Date.parse(first.expires) - Date.parse(asked.status.timestamp), 24 * 60 * 60 * 1_000);
  deepStrictEqual(first.options, ['CC-4410', 'CC-4420']);
  const { type, required, properties } = first.answerSchema as JsonObject & { properties: JsonObject };
  deepStrictEqual({ type, required }, { type: 'object', required: ['costCentre'] });
  deepStrictEqual((properties.costCentre as JsonObject).pattern, '^CC-[0-9]{4}$');
  tell('agent', textOf(asked), `[${asked.status.state}, ${first.questionId}, expires ${first.expires}]`);

  const caller = await restart();
  deepStrictEqual(await caller.get(asked.id), asked);
  note('the task waits as before');

  const bad = say('engineering', asked);
  tell('assistant', 'engineering');
  const again = await caller.send(bad);
  const second = questionOf(again);
  deepStrictEqual(again.status.state, 'TASK_STATE_INPUT_REQUIRED');
  match(second.questionId, /-2$/);
  ok(
    second.errors?.some(({ message }) => message.includes(EXPECTED_ONE_OF)),
    `errors do not say ${EXPECTED_ONE_OF}`,
  );
  tell('agent', second.errors?.[0]?.message ?? '', `[${again.status.state}, ${second.questionId}]`);

  const good = reply(again, { costCentre: 'CC-4410' });
  tell('assistant', JSON.stringify(good.parts[0]?.data));
  const done = await caller.send(good);
  deepStrictEqual(done.status.state, 'TASK_STATE_COMPLETED');
  deepStrictEqual(done.artifacts?.length, 1);
  const { expenseId } = expenseOf(done);
  match(expenseId, /^EXP-\d{6}$/);
  tell('agent', `artifact expense: ${expenseId}`, `[${done.status.state}]`);

  const said = (done.history ?? []).map(({ role, messageId }) => `${role} ${messageId}`);
  deepStrictEqual(said, [
    `ROLE_USER ${request.messageId}`,
    `ROLE_AGENT ${first.questionId}`,
    `ROLE_USER ${bad.messageId}`,
    `ROLE_AGENT ${second.questionId}`,
    `ROLE_USER ${good.messageId}`,
  ]);
  deepStrictEqual(await ledgerIds(stage), [expenseId]);
  note('the history has the request, both questions and both answers; the ledger has one entry');
  return { caller, messages: [request, bad, good], done };
}

export async function repeats({ caller, ledgerFolder }: Stage, { messages, done }: Played): Promise<void> {
  scene('The same messages again');
  for (const message of messages) deepStrictEqual(await caller.send(message), done);
  deepStrictEqual((await ledgerIds({ ledgerFolder })).length, 1);
  note('nothing has changed');
}

export async function simultaneousAnswers({ caller, ledgerFolder }: Stage): Promise<void> {
  scene('Two different valid answers at the same instant');
  const before = (await ledgerIds({ ledgerFolder })).length;
  const asked = await caller.send(say(REQUEST));
  const choices = ['CC-4410', 'CC-4420'];
  const sent = await Promise.allSettled(choices.map((costCentre) => caller.send(reply(asked, { costCentre }))));
  ok(
    sent.some(({ status }) => status === 'fulfilled'),
    'both answers were refused',
  );
  const done = await caller.get(asked.id);
  deepStrictEqual(done.status.state, 'TASK_STATE_COMPLETED');
  deepStrictEqual(done.history?.length, 3);
  deepStrictEqual((await ledgerIds({ ledgerFolder })).length, before + 1);
  note(`one expense was filed, on ${expenseOf(done).costCentre}`);
}

export async function badAnswers({ caller, ledgerFolder }: Stage): Promise<void> {
  scene('Three bad answers');
  const before = (await ledgerIds({ ledgerFolder })).length;
  const asked = await caller.send(say(REQUEST));
  const states: string[] = [];
  let task = asked;
  for (const text of ['engineering', 'sales', 'CC-9999']) {
    task = await caller.send(say(text, asked));
    states.push(task.status.state);
  }
  deepStrictEqual(states, ['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_FAILED']);
  ok(textOf(task).includes('no valid answer'), `the reason is "${textOf(task)}"`);
  deepStrictEqual((await ledgerIds({ ledgerFolder })).length, before);
  tell('agent', textOf(task), `[${task.status.state}]`);
}

export async function cancel({ caller, ledgerFolder }: Stage): Promise<void> {
  scene('A canceled task');
  const before = (await ledgerIds({ ledgerFolder })).length;
  const asked = await caller.send(say(REQUEST));
  deepStrictEqual((await caller.cancel(asked.id)).status.state, 'TASK_STATE_CANCELED');
  await rejects(caller.send(reply(asked, { costCentre: 'CC-4410' })), (error: unknown) => {
    ok(error instanceof Error);
    match(error.name, /UnsupportedOperation/);
    note(`the answer is refused: ${error.message}`);
    return true;
  });
  deepStrictEqual((await caller.get(asked.id)).status.state, 'TASK_STATE_CANCELED');
  deepStrictEqual((await ledgerIds({ ledgerFolder })).length, before);
}

function say(text: string, task?: Task): Message {
  const to = task ? { taskId: task.id, contextId: task.contextId } : {};
  return { messageId: randomUUID(), role: 'ROLE_USER', ...to, parts: [{ text }] };
}

function reply(task: Task, answer: JsonObject): Message {
  const data = { questionId: questionOf(task).questionId, ...answer };
  return { ...say('', task), parts: [{ data, mediaType: 'application/json' }] };
}

function questionOf(task: Task): QuestionData {
  const part = task.status.message?.parts.find(({ data }) => data !== undefined);
  ok(part, `the task asks nothing: ${JSON.stringify(task.status)}`);
  return part.data as unknown as QuestionData;
}

function expenseOf(task: Task): { readonly expenseId: string; readonly costCentre: string } {
  const artifact = task.artifacts?.find(({ name }) => name === 'expense');
  ok(artifact, `the task has no artifact named expense: ${JSON.stringify(task.artifacts)}`);
  return artifact.parts[0]?.data as { readonly expenseId: string; readonly costCentre: string };
}

function textOf(task: Task): string {
  return task.status.message?.parts.map(({ text }) => text ?? '').join('') ?? '';
}

async function ledgerIds({ ledgerFolder }: Pick<Stage, 'ledgerFolder'>): Promise<readonly string[]> {
  return (await fileLedger(ledgerFolder).entries()).map(({ id }) => id);
}

function scene(title: string): void {
  console.log(`\n${title}`);
}

function tell(who: 'assistant' | 'agent', what: string, state = ''): void {
  console.log(`  ${`${who}:`.padEnd(11)}${what}${state === '' ? '' : `\n${' '.repeat(13)}${state}`}`);
}

function note(what: string): void {
  console.log(`  ${what}`);
}
