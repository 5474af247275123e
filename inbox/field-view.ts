/** One field of a form on the page: its label, its input by kind, its description, and its error beside it. */
import { unreachable } from '../core/unreachable.ts';
import { type Entries, OTHER, UNREADABLE } from './answer.ts';
import { type Child, element, setAttribute } from './dom.ts';
import type { Choice, ChoiceField, Field, ManyField, NumberField, TextField } from './fields.ts';

export interface FieldView {
  readonly root: HTMLElement;
  /** What stands in it, by field id. */
  entries(): Entries;
  /** Shows what is wrong with the fields that are named, and takes all other errors away. */
  showErrors(errors: ReadonlyMap<string, string>): void;
  /** Moves the focus to where something is to be mended. False: not here. */
  focusError(): boolean;
}

export function fieldView(field: Field, given: Entries): FieldView {
  switch (field.kind) {
    case 'choice':
      return field.from === 'enum' && field.other === undefined ? selectView(field, given) : radioView(field, given);
    case 'many':
      return checkboxView(field, given);
    case 'group':
      return groupView(field, given);
    case 'number':
      return inputView(field, numberInput(field), given);
    case 'text':
      return inputView(field, textInput(field), given);
    case 'json':
      return inputView(field, jsonInput(), given);
    default:
      return unreachable('field', field);
  }
}

type Input = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

function inputView(field: Field, input: Input, given: Entries): FieldView {
  const error = errorLine(field.id);
  input.id = field.id;
  if (field.required && !field.nullable) input.required = true;
  input.value = textOf(given, field.id);
  const root = element(
    'div',
    { class: 'field' },
    element('label', { for: field.id, class: 'label' }, ...labelled(field)),
    hint(field),
    input,
    error,
  );
  const describe = (message: string | undefined) => markError(input, field, error, message);
  describe(undefined);
  return {
    root,
    entries: () => ({ [field.id]: entryOf(input) }),
    showErrors: (errors) => describe(errors.get(field.id)),
    focusError: () => focusIf(!error.hidden, input),
  };
}

/** What the browser cannot read is not the same as nothing. */
function entryOf(input: Input): string {
  return input instanceof HTMLInputElement && input.validity.badInput ? UNREADABLE : input.value;
}

function numberInput({ whole, min, max, step }: NumberField): HTMLInputElement {
  return element('input', {
    type: 'number',
    inputmode: whole ? 'numeric' : 'decimal',
    min,
    max,
    step: step ?? (whole ? 1 : 'any'),
    class: 'short',
  });
}

const TYPES = { line: 'text', email: 'email', date: 'date', 'date-time': 'datetime-local', uri: 'url' } as const;

function textInput({ form, secret, most }: TextField): Input {
  // Longer than allowed may be typed: an error says more than a key that does nothing.
  if (secret) return element('input', { type: 'password', autocomplete: 'off', spellcheck: 'false' });
  if (form === 'lines') return element('textarea', { rows: most !== undefined && most > 500 ? 5 : 2 });
  const dated = form === 'date' || form === 'date-time';
  return element('input', {
    type: TYPES[form],
    step: form === 'date-time' ? 1 : undefined,
    class: dated ? 'short' : undefined,
  });
}

function jsonInput(): HTMLTextAreaElement {
  return element('textarea', { rows: 5, class: 'code', spellcheck: 'false', autocapitalize: 'off' });
}

function selectView(field: ChoiceField, given: Entries): FieldView {
  const options = field.choices.map(({ label }, index) => element('option', { value: index }, label));
  const none = element('option', { value: '' }, field.required && !field.nullable ? 'Choose …' : 'No answer');
  return inputView(field, element('select', {}, none, ...options), given);
}

function radioView(field: ChoiceField, given: Entries): FieldView {
  const chosen = textOf(given, field.id);
  const other = field.other === undefined ? undefined : fieldView(field.other, given);
  const offered: readonly (readonly [entry: string, choice: Choice])[] = [
    ...field.choices.map((choice, index) => [String(index), choice] as const),
    ...(other === undefined ? [] : [[OTHER, { value: null, label: 'Another answer' }] as const]),
    ...(field.required && !field.nullable ? [] : [['', { value: null, label: 'No answer' }] as const]),
  ];
  const radios = offered.map(([value]) => {
    const radio = element('input', { type: 'radio', name: field.id, value });
    radio.checked = value === chosen;
    return radio;
  });
  const entry = () => radios.find(({ checked }) => checked)?.value ?? '';
  const error = errorLine(field.id);
  const root = fieldset(field, error, 'radiogroup', ...offered.map(([, choice], index) => card(radios[index], choice)));
  if (field.required && !field.nullable) root.setAttribute('aria-required', 'true');
  if (other) {
    root.insertBefore(other.root, error);
    const follow = () => {
      other.root.hidden = entry() !== OTHER;
    };
    root.addEventListener('change', follow);
    follow();
  }
  return {
    root,
    entries: () => ({ [field.id]: entry(), ...other?.entries() }),
    showErrors(errors) {
      markError(root, field, error, errors.get(field.id));
      other?.showErrors(errors);
    },
    focusError: () => focusIf(!error.hidden, radios[0]) || other?.focusError() === true,
  };
}

function checkboxView(field: ManyField, given: Entries): FieldView {
  const ticked = given[field.id] ?? [];
  const boxes = field.choices.map((_choice, index) => {
    const box = element('input', { type: 'checkbox', value: index });
    box.checked = ticked.includes(String(index));
    return box;
  });
  const error = errorLine(field.id);
  const root = fieldset(field, error, 'group', ...field.choices.map((choice, index) => card(boxes[index], choice)));
  return {
    root,
    entries: () => ({ [field.id]: boxes.filter(({ checked }) => checked).map(({ value }) => value) }),
    showErrors: (errors) => markError(root, field, error, errors.get(field.id)),
    focusError: () => focusIf(!error.hidden, boxes[0]),
  };
}

function groupView(field: Extract<Field, { kind: 'group' }>, given: Entries): FieldView {
  const views = field.fields.map((inner) => fieldView(inner, given));
  const error = errorLine(field.id);
  const root = fieldset(field, error, undefined, ...views.map((view) => view.root));
  root.classList.add('nested');
  root.tabIndex = -1;
  return {
    root,
    entries: () => Object.assign({}, ...views.map((view) => view.entries())) as Entries,
    showErrors(errors) {
      markError(root, field, error, errors.get(field.id));
      for (const view of views) view.showErrors(errors);
    },
    focusError: () => views.some((view) => view.focusError()) || focusIf(!error.hidden, root),
  };
}

function fieldset(field: Field, error: HTMLElement, role: string | undefined, ...children: readonly Child[]) {
  const legend = element('legend', { class: 'label' }, ...labelled(field));
  return element('fieldset', { class: 'field', id: field.id, role }, legend, hint(field), ...children, error);
}

function card(input: HTMLElement | undefined, { label, description }: Choice): HTMLElement {
  const text = element('span', {}, label, description !== undefined && element('small', {}, description));
  return element('label', { class: 'card' }, input, text);
}

function labelled({ label, required, nullable }: Field): readonly Child[] {
  const must = required && !nullable;
  return [label, must && element('span', { class: 'mark', 'aria-hidden': 'true' }, '\u00a0*')];
}

function hint({ id, description }: Field): Child {
  return description !== undefined && element('p', { class: 'hint', id: `${id}-hint` }, description);
}

export function errorLine(id: string): HTMLElement {
  return element('p', { class: 'error', id: `${id}-error`, hidden: true });
}

export function markError(on: HTMLElement, field: Field, line: HTMLElement, message: string | undefined): void {
  line.textContent = message ?? '';
  line.hidden = message === undefined;
  const described = [field.description !== undefined && `${field.id}-hint`, message !== undefined && line.id];
  setAttribute(on, 'aria-describedby', described.filter(Boolean).join(' ') || undefined);
  setAttribute(on, 'aria-invalid', message === undefined ? undefined : 'true');
}

function focusIf(condition: boolean, target: HTMLElement | undefined): boolean {
  if (condition) target?.focus();
  return condition;
}

function textOf(given: Entries, id: string): string {
  const entry = given[id] ?? '';
  return typeof entry === 'string' ? entry : '';
}
