/** Where an agent begins: checks what its author wrote, once, when the module is loaded. */
import type { Owner } from '../core/ids.ts';
import { isJsonObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import type { Message, Part } from '../core/message.ts';
import type { Agent, AgentCardSpec, ProtocolVersion, StreamSettings } from '../core/agent.ts';
import { cardProblems } from './check-card.ts';
import type { SubAgents } from './delegate.ts';
import type { Holds } from './hold.ts';
import { runTurn } from './run.ts';
import type { SubAgent } from './sub-agent.ts';
import type { Turn } from './turn.ts';
import { undo } from './undo.ts';

export interface AgentSpec {
  readonly card: AgentCardSpec;
  /**
   * What the card says otherwise to callers who are known: more skills, say. A function decides for each caller, as `reply`
   * does; nothing: there is no extended card for them.
   */
  readonly extendedCard?: ExtendedCard | ((owner: Owner) => MaybeCard | Promise<MaybeCard>);
  /**
   * What releases the holds that `turn.hold` takes, by name. A name stays while tasks that used it are open: a hold is
   * released without the task's own code.
   */
  readonly holds?: Holds;
  /** The agents that `turn.delegate` may give tasks to, by name. A name stays while tasks that used it are open. */
  readonly agents?: SubAgents;
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
  /** Where streams end besides the end of the task; by default at input-required, and not at auth-required. */
  readonly streams?: StreamSettings;
  /** Versions of A2A that callers may speak; default: 1.0 and 0.3. */
  readonly protocolVersions?: readonly ProtocolVersion[];
}

export type ExtendedCard = Partial<AgentCardSpec>;
type MaybeCard = ExtendedCard | undefined;
export type ReplyResult = string | readonly Part[] | undefined;
export type MessagePolicy = 'reject' | 'queue';

const KEYS = [
  'card',
  'extendedCard',
  'agents',
  'holds',
  'run',
  'reply',
  'onMessage',
  'idempotency',
  'streams',
  'protocolVersions',
];
const PROTOCOL_VERSIONS: readonly unknown[] = ['1.0', '0.3'] satisfies readonly ProtocolVersion[];

/** Defined in the bundle of a function that only answers callers, which then leaves out what turns are made of. */
declare const ASKBACK_RUNS_NO_TURNS: true | undefined;

async function runsNoTurns(): Promise<never> {
  throw new Error('this function runs no turns');
}

/** Throws TypeError with everything that is wrong with `spec`. */
export function defineAgent(spec: AgentSpec): Agent {
  const problems = problemsOf(spec);
  if (problems.length > 0) throw new TypeError(`defineAgent: ${problems.join('; ')}`);
  const { card, extendedCard, reply, onMessage = 'reject', idempotency = 'on', streams, protocolVersions } = spec;
  return Object.freeze<Agent>({
    name: card.name,
    card,
    settings: {
      idempotency,
      onMessage: typeof onMessage === 'function' ? 'reject' : onMessage,
      ...(streams && { streams }),
      ...(protocolVersions && { protocolVersions }),
    },
    run:
      typeof ASKBACK_RUNS_NO_TURNS === 'undefined'
        ? (host) => runTurn(host, (turn) => spec.run(turn), { agents: spec.agents, holds: spec.holds })
        : runsNoTurns,
    undo: (debt, host) => undo({ agents: spec.agents ?? {}, holds: spec.holds ?? {} }, debt, host),
    ...(extendedCard && {
      extendedCard: async (owner) =>
        typeof extendedCard === 'function' ? checkedCard(card, await extendedCard(owner)) : extendedCard,
    }),
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

/** A card that a function made is checked when it is there. */
function checkedCard(card: AgentCardSpec, extension: MaybeCard): MaybeCard {
  const problems = extendedCardProblems(card, extension);
  if (problems.length > 0) throw new TypeError(`extendedCard returned a card that is none: ${problems.join('; ')}`);
  return extension;
}

/** Held against the whole that a caller would see. */
function extendedCardProblems(card: unknown, extension: unknown): string[] {
  if (extension === undefined || !isJsonObject(card)) return [];
  return isJsonObject(extension)
    ? cardProblems({ ...card, ...extension }, 'extendedCard')
    : ['extendedCard must be an object'];
}

function partsOf(reply: ReplyResult): readonly Part[] | undefined {
  if (reply === undefined) return undefined;
  if (typeof reply === 'string') return [{ text: reply }];
  if (Array.isArray(reply) && reply.length > 0) return reply as readonly Part[];
  throw new TypeError('reply returns text, a list of parts, or nothing');
}

function problemsOf(spec: unknown): string[] {
  if (!isJsonObject(spec)) return ['the argument must be an object with card and run'];
  const { card, extendedCard, run, reply, onMessage, idempotency, streams, protocolVersions } = spec as {
    readonly [key: string]: unknown;
  };
  const unknown = Object.keys(spec).filter((key) => !KEYS.includes(key));
  return [
    ...unknown.map((key) => `"${key}" is not a setting (${KEYS.join(', ')} are)`),
    ...cardProblems(card, 'card'),
    // The name is written into every task.
    ...(isJsonObject(card) && typeof card.name === 'string' && card.name.length > limits.idLength
      ? [`card.name must have at most ${limits.idLength} characters`]
      : []),
    ...(typeof extendedCard === 'function' ? [] : extendedCardProblems(card, extendedCard)),
    ...(typeof run === 'function' ? [] : ['run must be a function']),
    ...holdsProblems((spec as { readonly holds?: unknown }).holds),
    ...agentsProblems((spec as { readonly agents?: unknown }).agents),
    ...(reply === undefined || typeof reply === 'function' ? [] : ['reply must be a function']),
    ...(onMessage === undefined || onMessage === 'reject' || onMessage === 'queue' || typeof onMessage === 'function'
      ? []
      : ["onMessage must be 'reject', 'queue' or a function"]),
    ...(idempotency === undefined || idempotency === 'on' || idempotency === 'off'
      ? []
      : ["idempotency must be 'on' or 'off'"]),
    ...(streams === undefined || isStreamSettings(streams)
      ? []
      : ["streams must be { inputRequired, authRequired }, each 'close' or 'stay-open'"]),
    ...(protocolVersions === undefined ||
    (Array.isArray(protocolVersions) &&
      protocolVersions.length > 0 &&
      protocolVersions.every((version: unknown) => PROTOCOL_VERSIONS.includes(version)))
      ? []
      : ["protocolVersions must be a list of '1.0' and '0.3'"]),
  ];
}

function holdsProblems(holds: unknown): string[] {
  if (holds === undefined) return [];
  if (!isJsonObject(holds)) return ['holds must be an object of { release } by name'];
  return Object.entries(holds as { readonly [name: string]: unknown }).flatMap(([name, hold]) => {
    const { release } = (hold ?? {}) as { readonly release?: unknown };
    if (typeof release !== 'function') return [`holds.${name} must have release`];
    return name !== '' && name.length <= limits.idLength
      ? []
      : [`holds: a name has 1 to ${limits.idLength} characters`];
  });
}

function agentsProblems(agents: unknown): string[] {
  if (agents === undefined) return [];
  if (!isJsonObject(agents)) return ['agents must be an object of other agents by name'];
  return Object.entries(agents as { readonly [name: string]: unknown }).flatMap(([name, agent]) => {
    const { send, get, cancel } = (agent ?? {}) as Partial<SubAgent>;
    const whole = [send, get, cancel].every((method) => typeof method === 'function');
    if (!whole) return [`agents.${name} must have send, get and cancel, as remoteAgent gives`];
    return name !== '' && name.length <= limits.idLength
      ? []
      : [`agents: a name has 1 to ${limits.idLength} characters`];
  });
}

function isStreamSettings(streams: unknown): boolean {
  if (!isJsonObject(streams)) return false;
  const known = Object.keys(streams).every((key) => key === 'inputRequired' || key === 'authRequired');
  return known && Object.values(streams).every((value) => value === 'close' || value === 'stay-open');
}
