/** The list of open questions, the most urgent first. Redrawn only when it differs, so that nobody loses their place. */
import { element, fill } from './dom.ts';
import { oneLine } from './plain-text.ts';
import type { OpenQuestion } from './question.ts';
import { setText } from './task-view.ts';
import { timeLeft, urgency } from './time-left.ts';

export const taskAddress = (taskId: string): string => `#/task/${encodeURIComponent(taskId)}`;

export class ListView {
  readonly #root: HTMLElement;
  #drawn = '';
  #times: (readonly [HTMLTimeElement, number])[] = [];

  constructor(root: HTMLElement) {
    this.#root = root;
  }

  show(questions: readonly OpenQuestion[], agent: string, selected: string | undefined): void {
    const drawn = JSON.stringify([
      agent,
      selected,
      questions.map((one) => [one.taskId, one.questionId, one.text, one.request]),
    ]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#times = [];
    const active = document.activeElement;
    const focused = active !== null && this.#root.contains(active);
    const address = focused ? active.getAttribute('href') : undefined;
    fill(this.#root, ...questions.map((question) => this.#item(question, agent, question.taskId === selected)));
    if (!focused) return;
    const links = [...this.#root.querySelectorAll('a')];
    (links.find((link) => link.getAttribute('href') === address) ?? links[0])?.focus();
  }

  tick(nowMs: number): void {
    for (const [time, expiresAtMs] of this.#times) {
      setText(time, timeLeft(expiresAtMs, nowMs));
      time.className = urgency(expiresAtMs, nowMs);
    }
  }

  #item(
    { taskId, text, request, expiresAtMs, attempt }: OpenQuestion,
    agent: string,
    isSelected: boolean,
  ): HTMLElement {
    const time = element('time', {
      datetime: Number.isNaN(expiresAtMs) ? undefined : new Date(expiresAtMs).toISOString(),
    });
    this.#times.push([time, expiresAtMs]);
    return element(
      'li',
      {},
      element(
        'a',
        { href: taskAddress(taskId), 'aria-current': isSelected && 'true' },
        element('span', { class: 'sender' }, agent),
        element('span', { class: 'excerpt' }, oneLine(text, 200)),
        request !== '' && element('span', { class: 'request' }, `“${request}”`),
        element('span', { class: 'facts' }, time, attempt > 1 && element('span', {}, 'asked again')),
      ),
    );
  }
}
