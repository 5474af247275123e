/** Answers by rules that were written down beforehand: the first rule that fits and is accepted speaks. */
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { sameJson } from '../core/question/json-bounds.ts';
import { checkAnswer } from './check-answer.ts';
import { type PolicyRule, readPolicy } from './policy-rules.ts';
import type { FreeText, OpenQuestion, Question, Resolution, Resolver } from './types.ts';

/** A rule that spoke. */
export interface RuleUsed {
  readonly question: OpenQuestion;
  /** 1 for the first. */
  readonly rule: number;
  readonly said: Resolution;
}

export interface PolicyOptions {
  /** Told of every question that a rule speaks to, before the answer goes out. */
  readonly onRule?: (used: RuleUsed) => void;
}

/**
 * @throws PolicyError when a rule makes no sense
 * @example
 * fromPolicy([{ agent: 'https://agents.example.com', question: 'costCentre', answer: 'CC-4410' }])
 */
export function fromPolicy(rules: readonly PolicyRule[], { onRule }: PolicyOptions = {}): Resolver {
  const checked = readPolicy(rules);
  return (question) => {
    // What a rule said was refused by the agent; it would be refused again.
    if (question.kind === 'question' && question.errors.length > 0) return 'pass';
    for (const [index, rule] of checked.entries()) {
      const said = matches(rule, question) ? sayingOf(rule, question) : undefined;
      if (said === undefined) continue;
      onRule?.({ question, rule: index + 1, said });
      return said;
    }
    return 'pass';
  };
}

function matches(rule: PolicyRule, question: OpenQuestion): boolean {
  if (rule.agent !== undefined && !isBelow(question.agent.url, rule.agent)) return false;
  if (rule.text !== undefined && !question.text.toLowerCase().includes(rule.text.toLowerCase())) return false;
  return question.kind === 'free-text' ? rule.freeText === true : matchesQuestion(rule, question);
}

function matchesQuestion(rule: PolicyRule, question: Question): boolean {
  const { option, schema } = rule;
  if (rule.freeText) return false;
  if (rule.question !== undefined && !isCalled(question, rule.question)) return false;
  if (schema !== undefined && !holds(question.schema, schema)) return false;
  return option === undefined || offering(question, option) !== undefined;
}

function isCalled({ name, fields, schema }: Question, called: string): boolean {
  const [only, ...more] = fields.filter(({ required }) => required);
  return name === called || (only?.name === called && more.length === 0) || schema.title === called;
}

/** The first property that has this value among its options. */
function offering({ fields }: Question, option: Json): string | undefined {
  return fields.find(({ options }) => options.some(({ value }) => sameJson(value, option)))?.name;
}

/** Undefined: the rule fits, but what it says does not; the next one is looked at. */
function sayingOf(rule: PolicyRule, question: OpenQuestion): Resolution | undefined {
  if (rule.pass) return 'pass';
  if (rule.decline !== undefined) {
    return { decline: typeof rule.decline === 'string' ? { reason: rule.decline } : {} };
  }
  return question.kind === 'free-text' ? inWords(rule, question) : inData(rule, question);
}

function inWords({ answer }: PolicyRule, _question: FreeText): Resolution | undefined {
  return typeof answer === 'string' ? { text: answer } : undefined;
}

function inData(rule: PolicyRule, question: Question): Resolution | undefined {
  const answer = candidates(rule, question).find((candidate) => checkAnswer(question, candidate).ok);
  return answer && { answer };
}

function candidates({ answer, option }: PolicyRule, question: Question): JsonObject[] {
  if (answer === undefined) {
    const property = option === undefined ? undefined : offering(question, option);
    return property === undefined ? [] : [{ [property]: option as Json }];
  }
  const [only, ...more] = question.fields.filter(({ required }) => required);
  const wrapped = only && more.length === 0 ? [{ [only.name]: answer }] : [];
  return isJsonObject(answer) ? [answer, ...wrapped] : wrapped;
}

/** Whether `whole` has everything that `part` has: objects by property, lists and values entirely. */
function holds(whole: Json, part: Json): boolean {
  if (!isJsonObject(part)) return sameJson(whole, part);
  return (
    isJsonObject(whole) &&
    Object.entries(part).every(([name, value]) => Object.hasOwn(whole, name) && holds(whole[name] as Json, value))
  );
}

/** Same origin, and the path is the rule's or below it. */
function isBelow(url: string, prefix: string): boolean {
  if (!URL.canParse(url)) return false;
  const [address, above] = [new URL(url), new URL(prefix)];
  const path = above.pathname.replace(/\/+$/, '');
  return address.origin === above.origin && (address.pathname === path || address.pathname.startsWith(`${path}/`));
}
