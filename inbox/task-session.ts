/**
 * One opened task: follows it, sends what the reader decides, and says what became of it, whoever decided it. An answer is
 * sent once; sent again after a failure it is the same message.
 */
import { canonicalJson, type JsonObject } from '../core/json.ts';
import type { Message, Task } from '../core/message.ts';
import { type A2a, type AgentFacts, Refused, Unreachable } from './a2a.ts';
import { type Entries, flat } from './answer.ts';
import { follow } from './follow.ts';
import { hasEnded, type Outcome, outcomeOf, outcomeText } from './outcome.ts';
import { declineOf, type Outbox } from './outbox.ts';
import { type OpenQuestion, openQuestion } from './question.ts';
import { TaskView, type Tone } from './task-view.ts';

export interface SessionOptions {
  readonly a2a: A2a;
  readonly agent: AgentFacts;
  readonly taskId: string;
  readonly outbox: Outbox;
  /** The server's time. */
  readonly now: () => number;
  /** The task has changed, and the list of questions with it. */
  readonly onChange: () => void;
  readonly onRefused: (error: Refused) => void;
}

/** How often a question whose time is up is looked at, until the server says so too. */
const OVERDUE_MS = 3_000;

export class TaskSession {
  readonly view: TaskView;
  readonly #options: SessionOptions;
  readonly #over = new AbortController();
  #question: OpenQuestion | undefined;
  #shown = false;
  #sending = false;
  #lost = false;
  #lookedAtMs = 0;

  constructor(options: SessionOptions) {
    this.#options = options;
    const { agent, outbox } = options;
    const names = { agent: agent.name, sent: (id: string) => outbox.sent(id) };
    this.view = new TaskView(names, {
      onAnswer: (question, answer) => void this.#send(question, answer),
      onDecline: (question, reason) => void this.#send(question, declineOf(reason)),
      onCancel: () => void this.#cancel(),
    });
  }

  /** Resolves when the task has ended or was closed. */
  async run(): Promise<void> {
    const { a2a, agent, taskId, onRefused } = this.#options;
    const { signal } = this.#over;
    const onConnection = (connected: boolean) => this.#connection(connected);
    const onTask = (task: Task) => this.#show(task);
    try {
      await follow(a2a, taskId, { onTask, onConnection, sleep, streaming: agent.streaming, signal });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.#question = undefined;
      this.view.hideQuestion();
      this.view.notice(refusedText(error), 'bad');
      onRefused(error);
    }
  }

  close(): void {
    this.#over.abort();
  }

  tick(): void {
    if (!this.#question) return;
    const nowMs = this.#options.now();
    const { expiresAtMs } = this.#question;
    this.view.tick(expiresAtMs, nowMs);
    if (nowMs < expiresAtMs || nowMs - this.#lookedAtMs < OVERDUE_MS || Number.isNaN(expiresAtMs)) return;
    this.#lookedAtMs = nowMs;
    this.#options.a2a.task(this.#options.taskId).then(
      (task) => this.#show(task),
      () => undefined,
    );
  }

  #show(task: Task): void {
    if (this.#over.signal.aborted) return;
    const before = this.#question;
    const question = openQuestion(task);
    const hadFocus = this.view.hasFocus();
    this.view.showTask(task);
    if (before && isSame(before, question)) return;
    this.#question = question;
    if (!before && question && this.#shown) this.view.notice('The agent has another question.', 'plain');
    this.#shown = true;
    if (question) this.view.showQuestion(question, this.#typed(before, question));
    else this.view.hideQuestion();
    this.tick();
    if (before) this.#tellOutcome(task, before, hadFocus);
    if (!before && hasEnded(task)) this.#tellEnd(task);
    this.#options.onChange();
  }

  #tellOutcome(task: Task, { questionId }: OpenQuestion, hadFocus: boolean): void {
    if (questionId === undefined) return;
    const outcome = outcomeOf(task, questionId, (id) => this.#options.outbox.sent(id));
    const text = outcomeText(outcome);
    if (text === undefined) return;
    const again = outcome.kind === 'asked-again' && outcome.mine;
    this.view.notice(text, toneOf(outcome), hadFocus && !again);
    if (again && hadFocus && this.view.form?.focusError() === false) this.view.focusHeading();
  }

  #tellEnd({ status }: Task): void {
    // That somebody else was first is still to be read.
    if (this.view.tone === 'warning' || this.view.tone === 'bad') return;
    if (status.state === 'TASK_STATE_COMPLETED') this.view.notice('The task is completed.', 'good');
  }

  /** What was typed stays, where the same is asked again; secrets are typed anew. */
  #typed(before: OpenQuestion | undefined, question: OpenQuestion): Entries {
    const form = this.view.form;
    if (!before || !form || canonicalJson(before.schema) !== canonicalJson(question.schema)) return {};
    const secret = flat(form.fields).flatMap((field) => (field.kind === 'text' && field.secret ? [field.id] : []));
    return Object.fromEntries(Object.entries(form.entries()).filter(([id]) => !secret.includes(id)));
  }

  async #send(question: OpenQuestion, content: JsonObject): Promise<void> {
    const message = this.#options.outbox.answer(question, content);
    await this.#attempt(
      () => this.#options.a2a.send(message),
      'Sending …',
      () => this.#overtaken(question, message),
    );
  }

  async #cancel(): Promise<void> {
    await this.#attempt(
      () => this.#options.a2a.cancel(this.#options.taskId),
      'Canceling …',
      async () => {},
    );
  }

  /** One thing at a time. What failed on the way can be done again, and counts once. */
  async #attempt(call: () => Promise<Task>, doing: string, refused: () => Promise<void>): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    this.view.notice(doing, 'plain');
    this.view.busy(true);
    try {
      this.#show(await call());
    } catch (error) {
      if (error instanceof Refused) {
        this.view.notice(refusedText(error), 'bad', true);
        await refused().catch(() => undefined);
        if (error.status === 401 || error.status === 403) this.#options.onRefused(error);
      } else {
        this.view.form?.offerAgain();
        this.view.notice(failedText(error), 'warning', true);
      }
    } finally {
      this.#sending = false;
      this.view.busy(false);
    }
  }

  /** The answer was refused because the question is closed: the record says by what. */
  async #overtaken(question: OpenQuestion, { messageId }: Message): Promise<void> {
    const task = await this.#options.a2a.task(this.#options.taskId);
    this.#show(task);
    const outcome =
      question.questionId &&
      outcomeOf(task, question.questionId, (id) => id !== messageId && this.#options.outbox.sent(id));
    const text = outcome && outcomeText(outcome);
    if (text) this.view.notice(text, toneOf(outcome), true);
  }

  #connection(connected: boolean): void {
    if (this.#sending) return;
    if (!connected) this.view.notice('The connection is lost. Trying again; nothing you typed is lost.', 'warning');
    else if (this.#lost) this.view.clearNotice();
    this.#lost = !connected;
  }
}

function isSame(before: OpenQuestion, now: OpenQuestion | undefined): boolean {
  return now !== undefined && before.questionId === now.questionId && before.text === now.text;
}

function toneOf(outcome: Outcome): Tone {
  if (outcome.kind === 'answered' || outcome.kind === 'declined') return outcome.mine ? 'good' : 'warning';
  return outcome.kind === 'no-valid-answer' ? 'bad' : 'warning';
}

function refusedText({ status, reason, message }: Refused): string {
  if (status === 401) return 'The agent wants to know who you are. Enter an access token above.';
  if (status === 403) return 'This access token does not let you in.';
  if (reason === 'TASK_NOT_FOUND') return 'There is no such task, or it is not yours.';
  if (status === 429) return 'Too many requests. Wait a moment and send again: it counts once.';
  return `The agent refused: ${message}.`;
}

function failedText(error: unknown): string {
  const what = error instanceof Unreachable ? error.message : 'Something went wrong';
  return `${what}. Send again when you are connected: the same answer counts once, however often it is sent.`;
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
}
