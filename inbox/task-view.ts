/**
 * One task on the page: its question and form, what became of it, its result, its history. It draws what it is told and
 * decides nothing; task-session.ts does the talking.
 */
import type { JsonObject } from '../core/json.ts';
import type { Task, TaskState } from '../core/message.ts';
import type { Entries } from './answer.ts';
import { button, type Child, element, fill, form, setBusy } from './dom.ts';
import { type FormView, formView } from './form-view.ts';
import { hasEnded } from './outcome.ts';
import { type OpenQuestion, textOf } from './question.ts';
import { oneLine } from './plain-text.ts';
import { historyView, type Names, resultView } from './record-view.ts';
import { timeLeft, urgency } from './time-left.ts';

export type Tone = 'good' | 'plain' | 'warning' | 'bad';

export interface TaskHandlers {
  readonly onAnswer: (question: OpenQuestion, answer: JsonObject) => void;
  readonly onDecline: (question: OpenQuestion, reason: string) => void;
  readonly onCancel: () => void;
}

const STATES: Readonly<Record<TaskState, string>> = {
  TASK_STATE_SUBMITTED: 'Waiting for the agent to start',
  TASK_STATE_WORKING: 'The agent is working',
  TASK_STATE_INPUT_REQUIRED: 'Waiting for your answer',
  TASK_STATE_AUTH_REQUIRED: 'Waiting for a permission that is given elsewhere',
  TASK_STATE_COMPLETED: 'Completed',
  TASK_STATE_FAILED: 'Failed',
  TASK_STATE_CANCELED: 'Canceled',
  TASK_STATE_REJECTED: 'Rejected by the agent',
};

export class TaskView {
  readonly root: HTMLElement;
  readonly #names: Names;
  readonly #handlers: TaskHandlers;
  readonly #heading = element('h2', { tabindex: -1 });
  readonly #state = element('p', { class: 'state' });
  readonly #notice = element('div', { class: 'notice', role: 'status', tabindex: -1, hidden: true });
  readonly #question = element('section', { class: 'question', 'aria-label': 'Question', hidden: true });
  readonly #time = element('time', {});
  readonly #result = element('section', { 'aria-labelledby': 'result-heading', hidden: true });
  readonly #history = element('section', { 'aria-labelledby': 'history-heading' });
  readonly #cancel: HTMLDetailsElement;
  #form: FormView | undefined;
  #tone: Tone | undefined;

  constructor(names: Names, handlers: TaskHandlers) {
    this.#names = names;
    this.#handlers = handlers;
    this.#heading.textContent = names.agent;
    this.#cancel = this.#cancelView();
    this.root = element(
      'div',
      { class: 'task' },
      element('p', { class: 'back' }, element('a', { href: '#/' }, '← All questions')),
      element('header', {}, this.#heading, this.#state),
      this.#notice,
      this.#question,
      this.#result,
      this.#history,
      this.#cancel,
    );
  }

  focusHeading(): void {
    this.#heading.focus();
  }

  showTask(task: Task): void {
    const { state, message } = task.status;
    const said = state === 'TASK_STATE_INPUT_REQUIRED' ? '' : textOf(message);
    const known = Object.hasOwn(STATES, state);
    const word = known ? STATES[state] : oneLine(state, 60);
    fill(this.#state, element('span', { class: known ? `badge ${state}` : 'badge' }, word), said && ` ${said}`);
    this.#cancel.hidden = hasEnded(task);
    const result = resultView(task);
    this.#result.hidden = result === undefined;
    fill(this.#result, element('h3', { id: 'result-heading' }, 'Result'), result);
    fill(this.#history, element('h3', { id: 'history-heading' }, 'History'), historyView(task, this.#names));
  }

  /** @param typed kept from the form of the question before */
  showQuestion(question: OpenQuestion, typed: Entries): void {
    this.#form = formView(question, typed, 'question-text', (answer) => this.#handlers.onAnswer(question, answer));
    this.#heading.textContent = `${this.#names.agent} asks`;
    const { attempt, maxAttempts } = question;
    fill(
      this.#question,
      element('p', { class: 'words', id: 'question-text' }, question.text),
      element(
        'p',
        { class: 'facts' },
        this.#time,
        attempt > 1 && element('span', {}, `attempt ${attempt} of ${maxAttempts}`),
      ),
      this.#form.root,
      question.questionId !== undefined && this.#declineView(question),
    );
    this.#question.hidden = false;
  }

  hideQuestion(): void {
    this.#question.hidden = true;
    this.#heading.textContent = this.#names.agent;
    fill(this.#question);
    this.#form = undefined;
  }

  /** Of the notice that is shown. */
  get tone(): Tone | undefined {
    return this.#tone;
  }

  get form(): FormView | undefined {
    return this.#form;
  }

  /** Whether the reader is somewhere in the form. */
  hasFocus(): boolean {
    return this.#question.contains(document.activeElement);
  }

  /** Read out by screen readers; takes the focus where what had it has gone. */
  notice(text: string, tone: Tone, focus = false): void {
    this.#notice.hidden = false;
    this.#notice.className = `notice ${tone}`;
    this.#tone = tone;
    fill(this.#notice, element('p', {}, text));
    if (focus) this.#notice.focus();
  }

  clearNotice(): void {
    this.#notice.hidden = true;
    this.#tone = undefined;
    fill(this.#notice);
  }

  busy(on: boolean): void {
    this.#form?.busy(on);
    setBusy(this.root, on);
  }

  tick(expiresAtMs: number, nowMs: number): void {
    setText(this.#time, timeLeft(expiresAtMs, nowMs));
    this.#time.className = urgency(expiresAtMs, nowMs);
    if (!Number.isNaN(expiresAtMs)) {
      const at = new Date(expiresAtMs);
      this.#time.dateTime = at.toISOString();
      this.#time.title = `until ${at.toLocaleString()}`;
    }
  }

  #declineView(question: OpenQuestion): HTMLElement {
    const reason = element('textarea', { id: 'decline-reason', rows: 2 });
    return disclosure(
      'Decline to answer',
      form(
        'fields',
        () => this.#handlers.onDecline(question, reason.value),
        element('label', { for: 'decline-reason', class: 'label' }, 'Reason (may be left empty; the agent reads it)'),
        reason,
        element('button', { type: 'submit' }, 'Decline'),
      ),
    );
  }

  #cancelView(): HTMLDetailsElement {
    return disclosure(
      'Cancel the task',
      element('p', { class: 'hint' }, 'This ends the task for good. It cannot be taken up again.'),
      button('Cancel this task', 'danger', () => this.#handlers.onCancel()),
    );
  }
}

function disclosure(title: string, ...children: readonly Child[]): HTMLDetailsElement {
  return element('details', {}, element('summary', {}, title), element('div', { class: 'disclosed' }, ...children));
}

/** Leaves the text alone that is right already, so that nobody's selection is lost every second. */
export function setText(on: HTMLElement, text: string): void {
  if (on.textContent !== text) on.textContent = text;
}
