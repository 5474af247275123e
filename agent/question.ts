/** What an author says about a question, and the same in JSON for the core, which checks it when the question opens. */
import { AgentFault } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { AskSpec, OnExpire, Option } from '../core/question/types.ts';
import type { Refusal, RefuseAnswer } from './errors.ts';
import { toJson } from './json-value.ts';
import { optionsProblem } from './options.ts';
import { type AnswerInputOf, type AnswerOf, type AnswerSchema, jsonSchemaOf } from './schema.ts';

export interface Duration {
  readonly days?: number;
  readonly hours?: number;
  readonly minutes?: number;
  readonly seconds?: number;
}

export interface QuestionOptions<Default = unknown> {
  /** What is enforced unless `allowOther`. An object of lists by property when several properties are asked for. */
  readonly options?: readonly Option[] | { readonly [property: string]: readonly Option[] };
  readonly allowOther?: boolean;
  /** 24 hours by default, 30 days at most. */
  readonly expiresIn?: Duration;
  /** When to remind, before the expiry. */
  readonly remind?: readonly { readonly before: Duration }[];
  /** Questions until the task fails with "no valid answer"; 3 by default. */
  readonly maxAttempts?: number;
  /**
   * When nobody answers in time: the task fails (default) or is canceled, the code goes on and is told, or it goes on
   * with a default, which is never taken for a caller's answer.
   */
  readonly onExpire?: 'fail' | 'cancel' | 'resume' | { readonly default: Default };
}

/** `undefined`, null, an empty text or list: accepted. Anything else is what was wrong. */
export type CheckResult = undefined | null | Refusal | RefuseAnswer;

export interface AskOptions<S extends AnswerSchema | undefined = undefined> extends QuestionOptions<AnswerInputOf<S>> {
  /** The question for a person, complete on its own. */
  readonly text: string;
  /** Absent: any text. */
  readonly schema?: S;
  /**
   * Reads an answer given as text that cannot be mapped with certainty; throws or returns RefuseAnswer otherwise. Like
   * `check` it runs in the next turn, before `ask` returns, and may run again after a crash.
   */
  readonly parseText?: (text: string) => AnswerInputOf<S> | RefuseAnswer | Promise<AnswerInputOf<S> | RefuseAnswer>;
  /** What no schema can say. Returns (or throws RefuseAnswer with) what is wrong; the question is then asked again. */
  readonly check?: (answer: AnswerOf<S>) => CheckResult | Promise<CheckResult>;
}

/** Of every question, whoever asks it. */
export const QUESTION_OPTIONS = [
  'text',
  'options',
  'allowOther',
  'expiresIn',
  'remind',
  'maxAttempts',
  'onExpire',
  'check',
];
const ASK_OPTIONS = [...QUESTION_OPTIONS, 'schema', 'parseText'];
const UNITS = { days: 86_400_000, hours: 3_600_000, minutes: 60_000, seconds: 1_000 } as const;

/** The question in JSON. Throws AgentFault BAD_QUESTION (or NOT_JSON) with the name of the ask. */
export function askSpec(name: string, options: AskOptions<AnswerSchema | undefined>): AskSpec {
  const what = `ask "${name}"`;
  const problem = optionsProblem(options, ASK_OPTIONS);
  if (problem !== undefined) throw new AgentFault('BAD_QUESTION', `${what}: ${problem}`);
  const { text, schema, allowOther, expiresIn, remind, maxAttempts, onExpire, parseText } = options;
  return {
    name,
    text,
    ...(schema === undefined ? {} : { schema: jsonSchemaOf(schema, what) }),
    ...(options.options === undefined ? {} : { options: optionsOf(options.options, what) }),
    ...(allowOther === undefined ? {} : { allowOther }),
    ...(expiresIn === undefined ? {} : { expiresInMs: durationMs(expiresIn, `${what}: expiresIn`) }),
    ...(maxAttempts === undefined ? {} : { maxAttempts }),
    ...(onExpire === undefined ? {} : { onExpire: onExpireOf(onExpire, schema === undefined, what) }),
    ...(remind === undefined
      ? {}
      : { remindBeforeMs: remind.map(({ before }) => durationMs(before, `${what}: remind.before`)) }),
    ...(parseText === undefined ? {} : { parsesText: true }),
  };
}

function optionsOf(options: NonNullable<QuestionOptions['options']>, what: string): NonNullable<AskSpec['options']> {
  return toJson(options, `the options of ${what}`) as NonNullable<AskSpec['options']>;
}

function onExpireOf(onExpire: NonNullable<QuestionOptions['onExpire']>, isText: boolean, what: string): OnExpire {
  if (onExpire === 'fail' || onExpire === 'cancel' || onExpire === 'resume') return { then: onExpire };
  if (typeof onExpire !== 'object' || onExpire === null || Object.keys(onExpire).join() !== 'default') {
    throw new AgentFault('BAD_QUESTION', `${what}: onExpire is "fail", "cancel", "resume" or { default: value }`);
  }
  const value = toJson(onExpire.default, `the default of ${what}`);
  // On the wire a question without a schema has the one property `text`.
  return { then: 'default', value: isText ? ({ text: value } satisfies JsonObject) : value };
}

/** Throws AgentFault BAD_QUESTION. */
export function durationMs(duration: Duration, what: string): number {
  const ms = readDuration(duration, what);
  if (typeof ms === 'string') throw new AgentFault('BAD_QUESTION', ms);
  return ms;
}

/** What is wrong with it, for an author; undefined: nothing. */
export function durationProblem(duration: Duration, what: string, mostMs: number): string | undefined {
  const ms = readDuration(duration, what);
  if (typeof ms === 'string') return ms;
  return ms > mostMs ? `${what} is at most ${mostMs / UNITS.days} days` : undefined;
}

/** Milliseconds, at least one; or what is wrong. */
function readDuration(duration: Duration, what: string): number | string {
  const entries = typeof duration === 'object' && duration !== null ? Object.entries(duration) : [];
  let ms = 0;
  for (const [unit, amount] of entries as [string, unknown][]) {
    if (!Object.hasOwn(UNITS, unit) || typeof amount !== 'number' || !Number.isFinite(amount) || amount < 0) {
      return `${what}: ${unit} is not a number of days, hours, minutes or seconds`;
    }
    ms += amount * UNITS[unit as keyof typeof UNITS];
  }
  const whole = Math.round(ms);
  return whole > 0 ? whole : `${what} is no length of time, as in { hours: 24 }`;
}
