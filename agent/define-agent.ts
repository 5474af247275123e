/** Where an agent begins: checks what its author wrote, once, when the module is loaded. */
import type { Owner } from '../core/ids.ts';
import { isJsonObject } from '../core/json.ts';
import type { Message, Part } from '../core/message.ts';
import type { Agent, AgentCardSpec } from '../core/ports.ts';
import { runTurn } from './run.ts';
import type { Turn } from './turn.ts';

export interface AgentSpec {
  readonly card: AgentCardSpec;
  /** The agent's code; runs from the top in every turn. */
  run(turn: Turn): Promise<void> | void;
  /**
   * Answers a first message without making a task: text, or parts; nothing: make a task. Runs in the API: decides at
   * once, perhaps more than once, and changes nothing.
   */
  reply?(message: Message, owner: Owner): ReplyResult | Promise<ReplyResult>;
  /** What to do with a message to a task that is not asking; 'reject' by default. A function runs as `reply` does. */
  readonly onMessage?: MessagePolicy | ((message: Message, owner: Owner) => MessagePolicy | Promise<MessagePolicy>);
  /** 'off': every first message makes a new task, also one that was sent before. */
  readonly idempotency?: 'on' | 'off';
}

export type ReplyResult = string | readonly Part[] | undefined;
export type MessagePolicy = 'reject' | 'queue';

const KEYS = ['card', 'run', 'reply', 'onMessage', 'idempotency'];

/** Throws TypeError with everything that is wrong with `spec`. */
export function defineAgent(spec: AgentSpec): Agent {
  const problems = problemsOf(spec);
  if (problems.length > 0) throw new TypeError(`defineAgent: ${problems.join('; ')}`);
  const { card, reply, onMessage = 'reject', idempotency = 'on' } = spec;
  return Object.freeze<Agent>({
    name: card.name,
    card,
    settings: { idempotency, onMessage: typeof onMessage === 'function' ? 'reject' : onMessage },
    run: (host) => runTurn(host, (turn) => spec.run(turn)),
    ...(reply && { reply: async (message, owner) => partsOf(await spec.reply?.(message, owner)) }),
    ...(typeof onMessage === 'function' && {
      onMessage: async (message, owner) => {
        const policy: unknown = await onMessage(message, owner);
        if (policy === 'reject' || policy === 'queue') return policy;
        throw new TypeError(`onMessage returns 'reject' or 'queue', not ${String(policy)}`);
      },
    }),
  });
}

function partsOf(reply: ReplyResult): readonly Part[] | undefined {
  if (reply === undefined) return undefined;
  if (typeof reply === 'string') return [{ text: reply }];
  if (Array.isArray(reply) && reply.length > 0) return reply as readonly Part[];
  throw new TypeError('reply returns text, a list of parts, or nothing');
}

function problemsOf(spec: unknown): string[] {
  if (!isJsonObject(spec)) return ['the argument is an object with card and run'];
  const { card, run, reply, onMessage, idempotency } = spec as { readonly [key: string]: unknown };
  const unknown = Object.keys(spec).filter((key) => !KEYS.includes(key));
  return [
    ...unknown.map((key) => `"${key}" is not a setting (${KEYS.join(', ')} are)`),
    ...cardProblems(card),
    ...(typeof run === 'function' ? [] : ['run is a function']),
    ...(reply === undefined || typeof reply === 'function' ? [] : ['reply is a function']),
    ...(onMessage === undefined || onMessage === 'reject' || onMessage === 'queue' || typeof onMessage === 'function'
      ? []
      : ["onMessage is 'reject', 'queue' or a function"]),
    ...(idempotency === undefined || idempotency === 'on' || idempotency === 'off'
      ? []
      : ["idempotency is 'on' or 'off'"]),
  ];
}

function cardProblems(card: unknown): string[] {
  if (!isJsonObject(card)) return ['card is an object'];
  const problems = textProblems(card, 'card', ['name', 'description', 'version']);
  const skills: unknown = card.skills;
  if (!Array.isArray(skills) || skills.length === 0)
    return [...problems, 'card.skills is a list of at least one skill'];
  const ids = new Set<unknown>();
  for (const [index, skill] of (skills as unknown[]).entries()) {
    const where = `card.skills[${index}]`;
    if (!isJsonObject(skill)) {
      problems.push(`${where} is an object`);
      continue;
    }
    problems.push(...textProblems(skill, where, ['id', 'name', 'description']));
    const { tags } = skill;
    if (!Array.isArray(tags) || !tags.every((tag) => typeof tag === 'string')) {
      problems.push(`${where}.tags is a list of strings`);
    }
    if (ids.has(skill.id)) problems.push(`${where}.id is used twice`);
    ids.add(skill.id);
  }
  return problems;
}

function textProblems(value: { readonly [key: string]: unknown }, where: string, keys: readonly string[]): string[] {
  return keys
    .filter((key) => typeof value[key] !== 'string' || value[key] === '')
    .map((key) => `${where}.${key} is a text`);
}
