/**
 * The form of a question. A question with one small choice is answered by pressing its button; every other one has fields
 * and a button to send. It knows nothing of tasks: it hands over an answer.
 */
import type { JsonObject } from '../core/json.ts';
import { type Entries, entriesFor, flat, placeErrors, readForm } from './answer.ts';
import { button, element, fill, form, setBusy } from './dom.ts';
import { errorLine, type FieldView, fieldView, markError } from './field-view.ts';
import { type ChoiceField, type Field, fieldsOf } from './fields.ts';
import type { OpenQuestion } from './question.ts';

export interface FormView {
  readonly root: HTMLElement;
  readonly fields: readonly Field[];
  entries(): Entries;
  /** While an answer is on its way nothing can be sent. */
  busy(on: boolean): void;
  /** Says on the button that the same answer is sent once more. */
  offerAgain(): void;
  focusError(): boolean;
}

/**
 * @param typed what somebody had typed into the form of the same question before it was asked again
 * @param labelledBy the id of the element that holds the question
 */
export function formView(
  question: OpenQuestion,
  typed: Entries,
  labelledBy: string,
  onAnswer: (answer: JsonObject) => void,
): FormView {
  const fields = fieldsOf(question);
  const given = { ...typed, ...entriesFor(fields, question.prefill) };
  const [only] = fields;
  const isButtons = fields.length === 1 && only?.kind === 'choice' && only.from !== 'enum' && only.required;
  const parts = isButtons && !only.nullable ? buttons(only, given, onAnswer) : inputs(fields, given, onAnswer);
  const { beside, above } = placeErrors(fields, question.errors);
  parts.showErrors(beside);
  const summary = element('ul', { class: 'error', hidden: above.length === 0 });
  fill(summary, ...above.map((message) => element('li', {}, message)));
  const root = element('div', { class: 'answer', role: 'group', 'aria-labelledby': labelledBy }, summary, parts.root);
  return {
    root,
    fields,
    entries: parts.entries,
    busy(on) {
      root.setAttribute('aria-busy', String(on));
      setBusy(root, on);
    },
    offerAgain() {
      if (parts.submit) parts.submit.textContent = 'Send again';
    },
    focusError: parts.focusError,
  };
}

interface Parts extends Pick<FieldView, 'root' | 'entries' | 'showErrors' | 'focusError'> {
  readonly submit?: HTMLButtonElement;
}

function inputs(fields: readonly Field[], given: Entries, onAnswer: (answer: JsonObject) => void): Parts {
  const views = fields.map((field) => fieldView(field, given));
  const entries = () => Object.assign({}, ...views.map((view) => view.entries())) as Entries;
  const showErrors = (errors: ReadonlyMap<string, string>) => {
    for (const view of views) view.showErrors(errors);
  };
  const focusError = () => views.some((view) => view.focusError());
  const submit = element('button', { type: 'submit', class: 'primary' }, 'Send answer');
  const marked = flat(fields).some(({ required, nullable }) => required && !nullable) && flat(fields).length > 1;
  const root = form(
    'fields',
    () => {
      const { answer, errors } = readForm(fields, entries());
      showErrors(errors);
      if (errors.size === 0) onAnswer(answer);
      else focusError();
    },
    marked && element('p', { class: 'hint' }, 'Fields marked * must be filled in.'),
    ...views.map((view) => view.root),
    submit,
  );
  root.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) root.requestSubmit();
  });
  return { root, entries, showErrors, focusError, submit };
}

function buttons(field: ChoiceField, given: Entries, onAnswer: (answer: JsonObject) => void): Parts {
  const error = errorLine(field.id);
  const options = field.choices.map(({ value, label, description }) => {
    const option = button('', 'option', () => onAnswer({ [field.name]: value }));
    fill(
      option,
      element('span', { class: 'option-label' }, label),
      // All that can be read on it is its name: whoever speaks to the page says what they see.
      description !== undefined && ' ',
      description !== undefined && element('small', {}, description),
    );
    return option;
  });
  const group = element(
    'div',
    { class: 'field', role: 'group', 'aria-label': field.label },
    field.description !== undefined && element('p', { class: 'hint', id: `${field.id}-hint` }, field.description),
    element('p', { class: 'hint' }, 'Your choice is sent at once.'),
    element('div', { class: 'options' }, ...options),
    error,
  );
  const other = field.other && inputs([field.other], given, onAnswer);
  return {
    root: element('div', {}, group, other?.root),
    entries: () => other?.entries() ?? {},
    showErrors(errors) {
      markError(group, field, error, errors.get(field.id));
      other?.showErrors(errors);
    },
    focusError() {
      if (error.hidden) return other?.focusError() === true;
      options[0]?.focus();
      return true;
    },
    ...(other?.submit ? { submit: other.submit } : {}),
  };
}
