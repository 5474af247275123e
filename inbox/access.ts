/**
 * The access token of the reader: in this page's memory, or, if the reader wants that, in the tab's session storage,
 * which ends with the tab. It goes into the Authorization header of requests to this origin and nowhere else.
 */
import { byId, fill, setAttribute } from './dom.ts';
import { store, stored } from './tab-storage.ts';

export interface Access {
  readonly token: () => string | undefined;
  /** Opens the form, because the agent wants to know who calls. */
  ask(): void;
}

export function accessForm(base: string, onChange: () => void): Access {
  const key = `askback-inbox-token:${base}`;
  const details = byId('access', HTMLDetailsElement);
  const summary = byId('access-state', HTMLElement);
  const input = byId('token', HTMLInputElement);
  const keep = byId('keep-token', HTMLInputElement);
  const forget = byId('forget-token', HTMLButtonElement);
  let token = stored(key);
  keep.checked = token !== undefined;
  const show = () => {
    fill(summary, token === undefined ? 'No access token' : 'With access token');
    setAttribute(forget, 'hidden', token === undefined);
  };
  const use = (next: string | undefined) => {
    token = next;
    store(key, keep.checked ? next : undefined);
    input.value = '';
    details.open = false;
    summary.focus();
    show();
    onChange();
  };
  byId('access-form', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    const given = input.value.trim().replace(/^Bearer +/i, '');
    // What no header can carry would only fail later, and say less.
    input.setAttribute('aria-invalid', String(!/^[\x21-\x7e]+$/.test(given)));
    if (/^[\x21-\x7e]+$/.test(given)) use(given);
    else input.focus();
  });
  forget.addEventListener('click', () => use(undefined));
  show();
  return {
    token: () => token,
    ask() {
      if (details.open) return;
      details.open = true;
      input.focus();
    },
  };
}
