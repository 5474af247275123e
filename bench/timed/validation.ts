/** First and steady validation of an answer, beside plain ajv as an author would use it; each in fresh processes. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type Line, median, number, spreadOf } from '../line.ts';
import type { Validated } from '../validation-process.ts';

/** @param file the bundle of validation-process.ts */
export async function validationLines(file: string, rounds: number): Promise<readonly Line[]> {
  const lines: Line[] = [];
  for (const kind of ['plain', 'pattern']) {
    const ours: Validated[] = [];
    const theirs: Validated[] = [];
    for (let round = 0; round < rounds; round++) {
      const order = [
        ['ours', ours],
        ['theirs', theirs],
      ] as const;
      for (const [by, told] of round % 2 === 0 ? order : order.toReversed()) told.push(await validated(file, by, kind));
    }
    const line = (name: string, count: (told: Validated) => number, unit: string): Line => {
      const ratios = ours.map((one, at) => count(theirs[at] ?? one) / count(one));
      return {
        section: 'timed',
        what: `answer to a ${kind} schema: ${name}`,
        ours: `${number(median(ours.map(count)))} ${unit}`,
        theirs: `ajv ${number(median(theirs.map(count)))} ${unit}`,
        value: median(ratios),
        ratio: `${number(median(ratios))} x`,
        spread: spreadOf(ratios),
      };
    };
    lines.push(line('first validation', ({ firstMs }) => firstMs, 'ms'));
    lines.push(line('steady, CPU', ({ steadyUs }) => steadyUs, 'us'));
  }
  return lines;
}

async function validated(file: string, by: string, kind: string): Promise<Validated> {
  const child = fork(file, [by, kind], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const gone = once(child, 'exit');
  const [told] = await Promise.race([
    once(child, 'message'),
    gone.then(() => Promise.reject(new Error(`${by} failed`))),
  ]);
  await gone;
  return told as Validated;
}
