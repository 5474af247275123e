/** Rules of a policy: their form, and reading them from JSON that somebody wrote by hand. */
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';

/**
 * What must hold (all that is given), and what is said then: exactly one of `answer`, `decline` and `pass`, or the
 * `option` alone, which is then the answer.
 */
export interface PolicyRule {
  /**
   * The agent's address, or the beginning of it at a path's segment: `https://agents.example.com/finance`. Names are
   * not matched: anybody can bear any.
   */
  readonly agent?: string;
  /** The question's name, its one required property, or its schema's title. */
  readonly question?: string;
  /** The question's schema has all of this, at any depth: `{"properties": {"amount": {"type": "number"}}}`. */
  readonly schema?: JsonObject;
  /** This value is among the options. */
  readonly option?: Json;
  /** The question's words hold this, ignoring case. */
  readonly text?: string;
  /** Must be true for a question in words only; the answer is then a string. */
  readonly freeText?: true;
  /** The answer's properties, or the value of the one required property. */
  readonly answer?: Json;
  /** True, or the reason. */
  readonly decline?: true | string;
  /** No later rule is looked at; the next resolver is. */
  readonly pass?: true;
}

/** What is wrong with rules, and where. */
export class PolicyError extends Error {
  override readonly name = 'PolicyError';
}

const STRINGS = ['agent', 'question', 'text'] as const;
const KNOWN = new Set<string>([...STRINGS, 'schema', 'option', 'freeText', 'answer', 'decline', 'pass']);

/**
 * Rules out of a parsed file: a list of rules, or an object whose `rules` is one.
 * @throws PolicyError naming the rule and the property
 */
export function readPolicy(json: unknown): readonly PolicyRule[] {
  const rules: unknown = isJsonObject(json) ? json.rules : json;
  if (!Array.isArray(rules)) throw new PolicyError('a policy is a list of rules, or an object with "rules"');
  return rules.map((rule: unknown, index) => {
    const problem = isJsonObject(rule) ? problemOf(rule) : 'must be an object';
    if (problem !== undefined) throw new PolicyError(`rule ${index + 1} ${problem}`);
    return rule as PolicyRule;
  });
}

function problemOf(rule: JsonObject): string | undefined {
  const unknown = Object.keys(rule).find((name) => !KNOWN.has(name));
  if (unknown !== undefined) return `has an unknown property "${unknown}"; known are ${[...KNOWN].join(', ')}`;
  const wrong = STRINGS.find((name) => rule[name] !== undefined && (typeof rule[name] !== 'string' || !rule[name]));
  if (wrong !== undefined) return `must have a string as "${wrong}"`;
  if (rule.agent !== undefined && !URL.canParse(rule.agent as string)) return 'must have a URL as "agent"';
  if (rule.schema !== undefined && !isJsonObject(rule.schema)) return 'must have an object as "schema"';
  for (const name of ['freeText', 'pass']) {
    if (rule[name] !== undefined && rule[name] !== true) return `must have true as "${name}", or leave it out`;
  }
  const { decline } = rule;
  if (decline !== undefined && decline !== true && typeof decline !== 'string') {
    return 'must have true or a reason as "decline"';
  }
  const said = ['answer', 'decline', 'pass'].filter((name) => rule[name] !== undefined);
  if (said.length > 1) return `says two things: ${said.join(' and ')}`;
  if (said.length === 0 && rule.option === undefined)
    return 'says nothing: give "answer", "decline", "pass" or "option"';
  if (rule.freeText && rule.answer !== undefined && typeof rule.answer !== 'string') {
    return 'must have a string as "answer" to free text';
  }
  if (rule.freeText && (rule.option !== undefined || rule.schema !== undefined || rule.question !== undefined)) {
    return 'cannot match free text by question, schema or option';
  }
  return undefined;
}
