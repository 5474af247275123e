/** What an agent is to the core: what `defineAgent` makes and the operations run. Types only. */
import type { Owner } from './ids.ts';
import type { JsonObject } from './json.ts';
import type { Message, Part } from './message.ts';
import type { Delegate } from './delegate.ts';
import type { Hold } from './hold.ts';
import type { Kept } from './task.ts';
import type { Recorded, TurnHost } from './turn-host.ts';

/** What `defineAgent` makes and the core runs. */
export interface Agent {
  /** Scopes task ids; from the card. */
  readonly name: string;
  readonly card: AgentCardSpec;
  readonly settings: AgentSettings;
  /** Runs the author's code once from the top. Resolves when it returned, rejects with what it threw. */
  run(host: TurnHost): Promise<void>;
  /** Undoes what a task had begun outside; runs without a turn. Rejects when it is to be tried again. */
  undo?(debt: Debt, host: UndoHost): Promise<void>;
  /** Answers a first message without a task; undefined: make a task. */
  reply?(message: Message, owner: Owner): Promise<readonly Part[] | undefined>;
  /** For a message to a task that is not asking. */
  onMessage?(message: Message, owner: Owner): Promise<'reject' | 'queue'>;
  /** What the extended agent card says otherwise to this caller; undefined: it has none for them. */
  extendedCard?(owner: Owner): Promise<Partial<AgentCardSpec> | undefined>;
}

/** What is to be undone, as it stands in the head. */
export type Debt =
  | { readonly of: 'hold'; readonly entry: Hold }
  | { readonly of: 'delegate'; readonly entry: Delegate };

/** What undoing may use. */
export interface UndoHost {
  readonly taskId: string;
  readonly contextId: string;
  readonly owner: Owner;
  /** Aborts when this attempt has taken too long. */
  readonly signal: AbortSignal;
  read<T>(kept: Kept<T>): Promise<T>;
  /** What a turn recorded under a call, in a STEP item; undefined: nothing. */
  recorded(call: number): Promise<Recorded | undefined>;
}

export interface AgentSettings {
  /** 'off': random task ids, no message is a repeat of another. */
  readonly idempotency: 'on' | 'off';
  readonly onMessage: 'reject' | 'queue';
  /** Where streams of this agent end besides the end of the task. */
  readonly streams?: StreamSettings;
  /** What callers may speak; default: all of them. */
  readonly protocolVersions?: readonly ProtocolVersion[];
}

/** Versions of A2A that this server knows; 0.3 is also what a request without a version speaks (section 3.6). */
export type ProtocolVersion = '1.0' | '0.3';

/**
 * Whether a stream closes when its task becomes interrupted, or stays open for what follows. A subscription to a task
 * that is interrupted already stays open in either case: its caller chose to wait.
 */
export interface StreamSettings {
  /** Default 'close': the caller is to answer, which opens a stream of its own. */
  readonly inputRequired?: 'close' | 'stay-open';
  /** Default 'stay-open': the credential comes by another way. */
  readonly authRequired?: 'close' | 'stay-open';
}

/** What an author says about the agent; wire/card.ts completes it with addresses, capabilities and extensions. */
export interface AgentCardSpec {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly skills: readonly AgentSkillSpec[];
  readonly defaultInputModes?: readonly string[];
  readonly defaultOutputModes?: readonly string[];
  readonly provider?: { readonly organization: string; readonly url: string };
  readonly documentationUrl?: string;
  readonly iconUrl?: string;
  /** Beside the question extension, which every agent has; one of its URI changes whether that is required. */
  readonly extensions?: readonly AgentExtensionSpec[];
}

/** An extension of the protocol that the agent's own code understands (A2A 1.0 section 4.6). */
export interface AgentExtensionSpec {
  readonly uri: string;
  readonly description?: string;
  /** Callers who do not name it in `A2A-Extensions` are refused. */
  readonly required?: boolean;
  readonly params?: JsonObject;
}

export interface AgentSkillSpec {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly examples?: readonly string[];
  readonly inputModes?: readonly string[];
  readonly outputModes?: readonly string[];
}
