/** The process in which one answer is validated for the first time, and then steadily: by our code, or by plain ajv. */
import { performance } from 'node:perf_hooks';
import { validateValue } from '../core/question/validate.ts';
import { ANSWER, ANSWER_SCHEMA } from './question.ts';

const STEADY = 2_000;
const WARM = 500;

/** Matches with a pattern: it is not among the plain schemas, so that our check of it runs under the time limit. */
const PATTERN_SCHEMA = {
  ...ANSWER_SCHEMA,
  properties: { costCentre: { type: 'string', pattern: '^CC-[0-9]{4}$' } },
} as const;

export interface Validated {
  readonly firstMs: number;
  readonly steadyUs: number;
}

const [by, kind] = process.argv.slice(2);
const schema = kind === 'pattern' ? PATTERN_SCHEMA : ANSWER_SCHEMA;

async function validator(): Promise<() => boolean> {
  if (by === 'ours') return () => validateValue(schema, ANSWER).length === 0;
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const validate = new Ajv2020().compile(schema);
  return () => validate(ANSWER);
}

const startMs = performance.now();
const isValid = await validator();
if (!isValid()) throw new Error('a good answer was refused');
const firstMs = performance.now() - startMs;
for (let n = 0; n < WARM; n++) isValid();
const before = process.cpuUsage();
for (let n = 0; n < STEADY; n++) isValid();
const { user, system } = process.cpuUsage(before);
process.send?.({ firstMs, steadyUs: (user + system) / STEADY } satisfies Validated);
process.disconnect?.();
