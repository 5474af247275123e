/**
 * `node --import tsx scripts/build-inbox.ts`: joins inbox/ (page, style, program) into functions/inbox-page.ts, from where
 * it is served in one piece and bundled with the api function. test/inbox/page.test.ts fails while the two differ.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import { root } from './run.ts';

export const INBOX_PAGE = join(root, 'functions', 'inbox-page.ts');

export function inboxPageModule(): string {
  const style = joinCss();
  const script = bundled();
  const html = read('page.html').replace('<style></style>', () => `<style>${style}</style>`);
  const opening = '<script type="module">';
  const page = html.replace(`${opening}</script>`, () => `${opening}${script}</script>`);
  if (!page.includes(style) || !page.includes(script))
    throw new Error('inbox/page.html has no place for style or script');
  return `/**
 * The inbox page in one piece, made of inbox/ by scripts/build-inbox.ts. Not edited by hand, and therefore allowed more
 * than 300 lines. The hashes are those of its style and its script, for the content security policy.
 */
export const INBOX_STYLE_HASH = '${hash(style)}';
export const INBOX_SCRIPT_HASH = '${hash(script)}';
export const INBOX_HTML = \`${page.replace(/[\\`]|\$\{/g, (special) => `\\${special}`)}\`;
`;
}

function bundled(): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(root, 'inbox', 'main.ts')],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
    // As the compiler reads it: nothing of a package is wanted here.
    packages: 'external',
    tsconfigRaw: '{}',
    logLevel: 'error',
  });
  const [script] = outputFiles;
  if (!script) throw new Error('esbuild made nothing');
  if (/<\/script|<!--/i.test(script.text)) throw new Error('the script would end early in the page');
  return script.text.trim();
}

function joinCss(): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(root, 'inbox', 'style.css')],
    write: false,
    minify: true,
    logLevel: 'error',
  });
  return (outputFiles[0]?.text ?? '').trim();
}

function read(name: string): string {
  return readFileSync(join(root, 'inbox', name), 'utf8');
}

function hash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) writeFileSync(INBOX_PAGE, inboxPageModule());
