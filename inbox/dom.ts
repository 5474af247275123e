/** Makes elements. Text becomes text and nothing else: no function of this page takes markup. */

export type Child = Node | string | undefined | false;

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** `true` sets an attribute without a value; `false` and undefined leave it out. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(made, name, value);
  made.append(...present(children));
  return made;
}

export function setAttribute(on: Element, name: string, value: Attributes[string]): void {
  if (value === undefined || value === false) on.removeAttribute(name);
  else on.setAttribute(name, value === true ? '' : String(value));
}

export function fill(parent: Element, ...children: readonly Child[]): void {
  parent.replaceChildren(...present(children));
}

/** An element of page.html. */
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${id}`);
  return found;
}

export function button(label: string, className: string, onClick: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button', class: className }, label);
  made.addEventListener('click', onClick);
  return made;
}

/** A form whose sending is ours alone; the browser's own checks are off, errors stand beside the fields. */
export function form(className: string, onSubmit: () => void, ...children: readonly Child[]): HTMLFormElement {
  const made = element('form', { class: className, novalidate: true }, ...children);
  made.addEventListener('submit', (event) => {
    event.preventDefault();
    onSubmit();
  });
  return made;
}

/** Buttons say that they do nothing now; really disabled, the one that was pressed would lose the focus. */
export function setBusy(within: Element, on: boolean): void {
  for (const control of within.querySelectorAll('button')) setAttribute(control, 'aria-disabled', on && 'true');
}

function present(children: readonly Child[]): (Node | string)[] {
  return children.filter((child) => child !== undefined && child !== false);
}
