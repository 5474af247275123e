/**
 * Where the program writes. Results go to standard output, all else to standard error; with `--json` standard output
 * has one JSON object in each line and nothing else, and standard error only errors.
 */
import type { Json, JsonObject } from '../../core/json.ts';
import { cleanText } from '../../core/clean-text.ts';
import { plainJson } from '../json-text.ts';
import type { World } from './world.ts';

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Style = keyof typeof STYLES;

export interface Output {
  readonly json: boolean;
  /** For people only: what is found. Nothing with `--json`. */
  result(text: string): void;
  /** For people only: what happens meanwhile. Nothing with `--json`. */
  progress(text: string): void;
  /** For programs only: nothing without `--json`. */
  object(value: JsonObject): void;
  error(text: string): void;
  /** Coloured for a screen, as it is elsewhere. */
  paint(style: Style, text: string): string;
}

export function createOutput(world: World, json: boolean): Output {
  const colour = (screen: World['out']) => screen.isTTY && !world.env.NO_COLOR && world.env.TERM !== 'dumb';
  const paint = (style: Style, text: string, on: boolean) => (on ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text);
  // One answer for both, so that what is painted may go to either.
  const coloured = colour(world.out) && colour(world.err);
  return {
    json,
    result: (text) => void (json || world.out.write(`${text}\n`)),
    progress: (text) => void (json || world.err.write(`${text}\n`)),
    object: (value) => void (json && world.out.write(`${plainJson(value)}\n`)),
    // Errors quote whoever caused them.
    error: (text) => world.err.write(`${paint('red', 'askback:', colour(world.err))} ${cleanText(text)}\n`),
    paint: (style, text) => paint(style, text, coloured),
  };
}

/** Without the members that are undefined, so that an object has a stable shape in JSON. */
export function present(value: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as JsonObject;
}
