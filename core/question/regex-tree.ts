/**
 * Reads a regular expression (ECMAScript, flag u) as a tree: as much of the syntax as `regex-ambiguity.ts` needs.
 * It is given patterns that `RegExp` has accepted, so it checks nothing.
 */

/** Ranges of code points, both ends included. */
export type CharSet = readonly (readonly [number, number])[];

export type RegexNode =
  | { readonly kind: 'chars'; readonly set: CharSet }
  | { readonly kind: 'sequence'; readonly items: readonly RegexNode[] }
  | { readonly kind: 'choice'; readonly items: readonly RegexNode[] }
  | { readonly kind: 'repeat'; readonly item: RegexNode; readonly min: number; readonly max: number };

export interface RegexTree {
  readonly main: RegexNode;
  /** Bodies of lookaheads and lookbehinds: matched on their own, consuming nothing. */
  readonly assertions: readonly RegexNode[];
}

const LAST = 0x10ffff;
const EMPTY: RegexNode = { kind: 'sequence', items: [] };
const DIGIT: CharSet = [[0x30, 0x39]];
const WORD: CharSet = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
const SPACE: CharSet = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
const LINE_END: CharSet = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];
const ANY: CharSet = [[0, LAST]];
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 };

/** Undefined for what this reader does not know: groups with flags of their own, as in `(?i:a)`. */
export function readRegex(pattern: string): RegexTree | undefined {
  const reader: Reader = { chars: [...pattern], at: 0, assertions: [], known: true };
  const main = readChoice(reader);
  return reader.known && reader.at === reader.chars.length ? { main, assertions: reader.assertions } : undefined;
}

interface Reader {
  readonly chars: readonly string[];
  at: number;
  readonly assertions: RegexNode[];
  known: boolean;
}

function peek(reader: Reader): string | undefined {
  return reader.chars[reader.at];
}

function take(reader: Reader): string {
  return reader.chars[reader.at++] ?? '';
}

function skip(reader: Reader, text: string): boolean {
  if (!text || reader.chars.slice(reader.at, reader.at + text.length).join('') !== text) return false;
  reader.at += text.length;
  return true;
}

function readUntil(reader: Reader, end: string): string {
  let text = '';
  while (reader.at < reader.chars.length && !skip(reader, end)) text += take(reader);
  return text;
}

function readChoice(reader: Reader): RegexNode {
  const items = [readSequence(reader)];
  while (skip(reader, '|')) items.push(readSequence(reader));
  return items.length === 1 ? (items[0] as RegexNode) : { kind: 'choice', items };
}

function readSequence(reader: Reader): RegexNode {
  const items: RegexNode[] = [];
  for (let next = peek(reader); next !== undefined && next !== '|' && next !== ')'; next = peek(reader)) {
    items.push(readRepeat(reader, readAtom(reader)));
  }
  return { kind: 'sequence', items };
}

function readRepeat(reader: Reader, item: RegexNode): RegexNode {
  const bounds = readBounds(reader);
  if (!bounds) return item;
  skip(reader, '?');
  return { kind: 'repeat', item, min: bounds[0], max: bounds[1] };
}

function readBounds(reader: Reader): readonly [number, number] | undefined {
  if (skip(reader, '*')) return [0, Number.POSITIVE_INFINITY];
  if (skip(reader, '+')) return [1, Number.POSITIVE_INFINITY];
  if (skip(reader, '?')) return [0, 1];
  if (!skip(reader, '{')) return undefined;
  const [min = '', max] = readUntil(reader, '}').split(',');
  return [Number(min), max === undefined ? Number(min) : max === '' ? Number.POSITIVE_INFINITY : Number(max)];
}

function readAtom(reader: Reader): RegexNode {
  const char = take(reader);
  if (char === '(') return readGroup(reader);
  if (char === '[') return { kind: 'chars', set: readClass(reader) };
  if (char === '.') return { kind: 'chars', set: invert(LINE_END) };
  if (char === '^' || char === '$') return EMPTY;
  if (char !== '\\') return { kind: 'chars', set: one(char) };
  if (skip(reader, 'b') || skip(reader, 'B')) return EMPTY;
  return readReference(reader) ?? { kind: 'chars', set: readEscape(reader) };
}

/** What a back reference repeats is not known here: taken as any text, which can only find too much. */
function readReference(reader: Reader): RegexNode | undefined {
  if (skip(reader, 'k')) readUntil(reader, '>');
  else if (!/[1-9]/.test(peek(reader) ?? '')) return undefined;
  while (/[0-9]/.test(peek(reader) ?? '')) take(reader);
  return { kind: 'repeat', item: { kind: 'chars', set: ANY }, min: 0, max: Number.POSITIVE_INFINITY };
}

function readGroup(reader: Reader): RegexNode {
  for (const opening of ['?=', '?!', '?<=', '?<!']) {
    if (!skip(reader, opening)) continue;
    reader.assertions.push(readChoice(reader));
    skip(reader, ')');
    return EMPTY;
  }
  if (!skip(reader, '?:') && skip(reader, '?<')) readUntil(reader, '>');
  else if (peek(reader) === '?') reader.known = false;
  const body = readChoice(reader);
  skip(reader, ')');
  return body;
}

function readEscape(reader: Reader): CharSet {
  const char = take(reader);
  switch (char) {
    case 'd':
      return DIGIT;
    case 'D':
      return invert(DIGIT);
    case 'w':
      return WORD;
    case 'W':
      return invert(WORD);
    case 's':
      return SPACE;
    case 'S':
      return invert(SPACE);
    case 'p':
    case 'P':
      // Which characters have a property is not known here: taken as any, which can only find too much.
      readUntil(reader, '}');
      return ANY;
    case 'x':
      return code(Number.parseInt(take(reader) + take(reader), 16));
    case 'u':
      if (skip(reader, '{')) return code(Number.parseInt(readUntil(reader, '}'), 16));
      return code(Number.parseInt(take(reader) + take(reader) + take(reader) + take(reader), 16));
    case 'c':
      return code((take(reader).codePointAt(0) ?? 0) % 32);
    default:
      return code(CONTROLS[char] ?? char.codePointAt(0) ?? 0);
  }
}

function readClass(reader: Reader): CharSet {
  const negated = skip(reader, '^');
  const ranges: (readonly [number, number])[] = [];
  while (peek(reader) !== undefined && peek(reader) !== ']') {
    const low = readClassAtom(reader);
    if (peek(reader) === '-' && reader.chars[reader.at + 1] !== ']') {
      take(reader);
      const high = readClassAtom(reader);
      ranges.push([low[0]?.[0] ?? 0, high.at(-1)?.[1] ?? LAST]);
    } else {
      ranges.push(...low);
    }
  }
  skip(reader, ']');
  const sorted = ranges.sort(([a], [b]) => a - b);
  return negated ? invert(sorted) : sorted;
}

function readClassAtom(reader: Reader): CharSet {
  const char = take(reader);
  if (char !== '\\') return one(char);
  return skip(reader, 'b') ? code(8) : readEscape(reader);
}

function one(char: string): CharSet {
  return code(char.codePointAt(0) ?? 0);
}

function code(point: number): CharSet {
  return [[point, point]];
}

/** `set` must be sorted by lower ends; ranges may overlap. */
function invert(set: CharSet): CharSet {
  const rest: (readonly [number, number])[] = [];
  let from = 0;
  for (const [low, high] of set) {
    if (low > from) rest.push([from, low - 1]);
    from = Math.max(from, high + 1);
  }
  if (from <= LAST) rest.push([from, LAST]);
  return rest;
}

export function overlaps(a: CharSet, b: CharSet): boolean {
  return a.some(([lowA, highA]) => b.some(([lowB, highB]) => lowA <= highB && lowB <= highA));
}
