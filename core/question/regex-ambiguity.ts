/**
 * Finds patterns that a backtracking engine may need exponential time for.
 *
 * That happens exactly when some loop can read one text in two different ways. The pattern becomes an automaton with
 * one position per character set (Glushkov's construction); two positions walk it side by side over the same text, and
 * if they start together in a loop, part, and meet again at the start, there are two ways round. Two identical moves
 * between the same positions count as two ways as well: `(a+)+` has them.
 * What the pattern can match after the loop is not looked at, so some harmless patterns are found too.
 */
import { unreachable } from '../unreachable.ts';
import { type CharSet, overlaps, type RegexNode, readRegex } from './regex-tree.ts';

/** Beyond it, bounded repetitions count as endless, which can only find too much. */
const POSITIONS = 400;
/** Moves of the pair looked at before giving up. */
const MOVES = 200_000;

/** Undefined: the pattern is too large, or uses what cannot be judged here. */
export function isAmbiguousLoop(pattern: string): boolean | undefined {
  const tree = readRegex(pattern);
  if (!tree) return undefined;
  const verdicts = [tree.main, ...tree.assertions].map(judge);
  if (verdicts.includes(true)) return true;
  return verdicts.includes(undefined) ? undefined : false;
}

interface Automaton {
  readonly sets: CharSet[];
  /** Where a position may move, and whether in more than one way. */
  readonly follow: Map<number, boolean>[];
}

interface Piece {
  readonly nullable: boolean;
  readonly first: readonly number[];
  readonly last: readonly number[];
}

const NOTHING: Piece = { nullable: true, first: [], last: [] };

function judge(node: RegexNode): boolean | undefined {
  const automaton: Automaton = { sets: [], follow: [] };
  build(automaton, node);
  return automaton.sets.length > 4 * POSITIONS ? undefined : hasTwoWaysRound(automaton);
}

function build(automaton: Automaton, node: RegexNode): Piece {
  switch (node.kind) {
    case 'chars': {
      const position = automaton.sets.push(node.set) - 1;
      automaton.follow.push(new Map());
      return { nullable: false, first: [position], last: [position] };
    }
    case 'sequence':
      return node.items.reduce<Piece>((piece, item) => joined(automaton, piece, build(automaton, item)), NOTHING);
    case 'choice': {
      const pieces = node.items.map((item) => build(automaton, item));
      return {
        nullable: pieces.some((piece) => piece.nullable),
        first: pieces.flatMap((piece) => piece.first),
        last: pieces.flatMap((piece) => piece.last),
      };
    }
    case 'repeat':
      return repeated(automaton, node);
    default:
      return unreachable('node', node);
  }
}

function repeated(automaton: Automaton, node: Extract<RegexNode, { kind: 'repeat' }>): Piece {
  const { item, min, max } = node;
  const copies = Number.isFinite(max) ? max : Math.max(min, 1);
  const endless = !Number.isFinite(max);
  if (automaton.sets.length + copies * size(item) > POSITIONS) return looped(automaton, build(automaton, item), min);
  // x{2,4} is xx(x(x)?)?, built from the inside; x{2,} is xx+.
  let piece: Piece = NOTHING;
  for (let copy = copies; copy >= 1; copy--) {
    const built = build(automaton, item);
    const head = endless && copy === copies ? looped(automaton, built, 1) : built;
    const both = joined(automaton, head, piece);
    piece = copy > min ? { ...both, nullable: true } : both;
  }
  return piece;
}

function looped(automaton: Automaton, piece: Piece, min: number): Piece {
  connect(automaton, piece.last, piece.first);
  return min === 0 ? { ...piece, nullable: true } : piece;
}

function joined(automaton: Automaton, a: Piece, b: Piece): Piece {
  connect(automaton, a.last, b.first);
  return {
    nullable: a.nullable && b.nullable,
    first: a.nullable ? [...a.first, ...b.first] : a.first,
    last: b.nullable ? [...a.last, ...b.last] : b.last,
  };
}

function connect(automaton: Automaton, from: readonly number[], to: readonly number[]): void {
  for (const position of from) {
    const moves = automaton.follow[position] as Map<number, boolean>;
    for (const next of to) moves.set(next, moves.has(next));
  }
}

function size(node: RegexNode): number {
  switch (node.kind) {
    case 'chars':
      return 1;
    case 'repeat':
      return size(node.item) * (Number.isFinite(node.max) ? node.max : Math.max(node.min, 1));
    default:
      return node.items.reduce((sum, item) => sum + size(item), 0);
  }
}

function hasTwoWaysRound({ sets, follow }: Automaton): boolean | undefined {
  let moves = MOVES;
  for (let start = 0; start < sets.length; start++) {
    const loop = loopOf(follow, start);
    if (loop.size === 0) continue;
    const forward = new Set<number>();
    const backward = new Map<number, number[]>();
    const pending = [pair(start, start)];
    while (pending.length > 0) {
      const at = pending.pop() as number;
      if (forward.has(at)) continue;
      forward.add(at);
      const [a, b] = unpair(at);
      for (const [nextA, twiceA] of follow[a] ?? []) {
        if (!loop.has(nextA)) continue;
        if (a === b && twiceA) return true;
        for (const nextB of follow[b]?.keys() ?? []) {
          if (--moves < 0) return undefined;
          if (!loop.has(nextB) || !overlaps(sets[nextA] as CharSet, sets[nextB] as CharSet)) continue;
          const next = pair(nextA, nextB);
          backward.set(next, [...(backward.get(next) ?? []), at]);
          pending.push(next);
        }
      }
    }
    if (leadsBack(backward, pair(start, start))) return true;
  }
  return false;
}

/** Whether a pair of different positions, reached from `start`, can come back to it. */
function leadsBack(backward: ReadonlyMap<number, readonly number[]>, start: number): boolean {
  const seen = new Set<number>();
  const pending = [start];
  while (pending.length > 0) {
    for (const before of backward.get(pending.pop() as number) ?? []) {
      const [a, b] = unpair(before);
      if (a !== b) return true;
      if (!seen.has(before)) pending.push(before);
      seen.add(before);
    }
  }
  return false;
}

/** The positions that lie on a way from `start` back to `start`. */
function loopOf(follow: Automaton['follow'], start: number): Set<number> {
  const reached = reach(start, (position) => [...(follow[position]?.keys() ?? [])]);
  if (!reached.has(start)) return new Set();
  return new Set([...reached].filter((position) => position === start || comesBack(follow, position, start)));
}

function comesBack(follow: Automaton['follow'], from: number, to: number): boolean {
  return reach(from, (position) => [...(follow[position]?.keys() ?? [])]).has(to);
}

function reach(start: number, next: (position: number) => readonly number[]): Set<number> {
  const seen = new Set<number>();
  const pending = [...next(start)];
  while (pending.length > 0) {
    const position = pending.pop() as number;
    if (seen.has(position)) continue;
    seen.add(position);
    pending.push(...next(position));
  }
  return seen;
}

function pair(a: number, b: number): number {
  return a * 65_536 + b;
}

function unpair(both: number): readonly [number, number] {
  return [Math.floor(both / 65_536), both % 65_536];
}
