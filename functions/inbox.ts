/**
 * Serves the inbox page: fixed bytes, the same for everybody, with nothing of any task in them. What the page shows it
 * fetches itself, as the caller whose token it is given. Reading it therefore changes nothing and needs nobody's name.
 */
import type { HttpRequest, HttpResponse } from '../core/wire/http.ts';
import { INBOX_PATH } from '../core/wire/inbox-path.ts';
import { INBOX_HTML, INBOX_SCRIPT_HASH, INBOX_STYLE_HASH } from './inbox-page.ts';

/** One script, one style, one origin; no frames, no forms that send, no markup made of text. */
const POLICY = [
  "default-src 'none'",
  `script-src '${INBOX_SCRIPT_HASH}'`,
  `style-src '${INBOX_STYLE_HASH}'`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  'cache-control': 'no-cache',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Undefined for every other path. */
export function inboxResponse({ method, path }: Pick<HttpRequest, 'method' | 'path'>): HttpResponse | undefined {
  if (path !== INBOX_PATH && path !== `${INBOX_PATH}/`) return undefined;
  if (method === 'GET') return { status: 200, headers: HEADERS, body: INBOX_HTML };
  if (method === 'HEAD') return { status: 200, headers: HEADERS, body: '' };
  const text = { 'content-type': 'text/plain; charset=utf-8', allow: 'GET, HEAD' };
  return { status: 405, headers: text, body: 'This page can only be read.' };
}
