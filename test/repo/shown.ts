/** What the README shows of a session: commands, and what they print; "…" stands for what differs each time. */
import { type Block, blocks } from './markdown.ts';
import { text } from './tree.ts';

export interface Shown {
  readonly command: Block;
  readonly output: Block;
}

/** The pairs of a `sh` block and the output below it in one section. */
export function shownIn(file: string, heading: string): Shown[] {
  const [before = '', after] = text(file).split(heading);
  if (after === undefined) throw new Error(`${file} has no heading "${heading}"`);
  const first = before.split('\n').length;
  const last = first + (after.split(/\n## /)[0] ?? '').split('\n').length;
  const section = blocks(file).filter(({ line }) => line > first && line < last);
  return section.flatMap((command, index) => {
    const output = section[index + 1];
    const isOutput = output?.language === 'json' || output?.language === 'text';
    return command.language === 'sh' && isOutput ? [{ command, output }] : [];
  });
}

/** Puts the real value where the shown one says "…", so that a difference elsewhere stands out. */
export function fill(shown: unknown, real: unknown): unknown {
  if (shown === '…' && real !== undefined) return real;
  if (typeof shown === 'string' && typeof real === 'string' && shown.includes('…')) {
    const pieces = shown.split('…').map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^${pieces.join('.+')}$`).test(real) ? real : shown;
  }
  if (Array.isArray(shown) && Array.isArray(real)) return shown.map((item, index) => fill(item, real[index]));
  if (isObject(shown) && isObject(real)) {
    return Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, fill(value, real[key])]));
  }
  return shown;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
