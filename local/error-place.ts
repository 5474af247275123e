/** Where in the author's own code an error was made: for people who read a line at a terminal and not a stack. */
import { isAbsolute, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Frames in here say where Askback noticed an error, not where the author made it. */
const OURS = ['agent', 'aws', 'core', 'functions', 'local'];
const CAUSES = 3;

/** The error and what caused it, the cause of all last. */
export function withCauses(error: unknown): readonly Error[] {
  const errors: Error[] = [];
  for (let at = error; at instanceof Error && errors.length <= CAUSES; at = at.cause) errors.push(at);
  return errors;
}

/**
 * `file:line:column` of the first frame in the stacks that is the author's; else, unless `onlyAuthors`, of the first
 * that is not Node's or a package's. Relative to the working folder where it is inside.
 */
export function placeOf(errors: readonly Error[], onlyAuthors = false): string | undefined {
  const frames = errors.flatMap(framesOf);
  const frame = frames.find((each) => !isOurs(each)) ?? (onlyAuthors ? undefined : frames[0]);
  if (frame === undefined) return undefined;
  const near = relative(process.cwd(), frame);
  return near.startsWith('..') || isAbsolute(near) ? frame : near;
}

function framesOf({ stack = '' }: Error): readonly string[] {
  return stack.split('\n').flatMap((text) => {
    const [, place] = /^\s+at (?:.* \()?((?:file:\/\/|\/|[A-Za-z]:\\)[^()]*:\d+:\d+)\)?$/.exec(text) ?? [];
    if (place === undefined || place.includes('node_modules')) return [];
    return [place.startsWith('file://') ? fromUrl(place) : place];
  });
}

/** The position is no part of the address, and a query only tells loads of one file apart. */
function fromUrl(place: string): string {
  const [, url = '', position = ''] = /^(.*?)(:\d+:\d+)$/.exec(place) ?? [];
  return `${fileURLToPath(url.replace(/[?#].*$/, ''))}${position}`;
}

function isOurs(frame: string): boolean {
  const [folder = ''] = relative(ROOT, frame).split(/[\\/]/);
  return OURS.includes(folder);
}
