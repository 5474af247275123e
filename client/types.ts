/**
 * What a caller sees of a task that may ask: the question as it can be trusted and shown, what a resolver says to it,
 * and how a task ended. All of it is plain JSON, so that it can be stored, sent on, or printed. Shapes only.
 */
import type { Json, JsonObject } from '../core/json.ts';
import type { Artifact, Message, Part, StreamResponse, Task } from '../core/message.ts';
import type { AnswerError } from '../core/question/types.ts';
import type { AuthNeeds } from './auth-needs.ts';

export type { AuthNeeds } from './auth-needs.ts';
export type { Artifact, Message, Part, StreamResponse, Task, TaskState } from '../core/message.ts';
export type { AnswerError, Json, JsonObject };

/** Who asks. The name is what the agent says of itself and proves nothing; the address is where we connected to. */
export interface AgentIdentity {
  /** Cleaned for display; "an agent without a name" when the card has none. */
  readonly name: string;
  readonly url: string;
}

/** What stands in every open question, whichever way it was asked. */
interface Open {
  readonly agent: AgentIdentity;
  readonly taskId: string;
  readonly contextId: string;
  /** Tells this question from every other of the task: the questionId, else the status message's id or a digest. */
  readonly key: string;
  /** For people: no control or bidi characters, at most 8 KB. Never empty. */
  readonly text: string;
}

/** A question that follows the question extension (docs/question-extension.md), checked against its limits. */
export interface Question extends Open {
  readonly kind: 'question';
  readonly questionId: string;
  /** What the agent calls it, else the one required property, else the schema's title; cleaned. */
  readonly name?: string;
  /** JSON Schema 2020-12 with an object at its root; small, without remote references, compiles in time. */
  readonly schema: JsonObject;
  /** The root's properties in the schema's order, ready to be asked for one by one. */
  readonly fields: readonly Field[];
  /** Whether values besides the options are accepted. True also where there are no options. */
  readonly allowOther: boolean;
  /** Milliseconds since the epoch by the agent's clock; absent when the agent did not say. */
  readonly expiresAtMs?: number;
  readonly attempt: number;
  readonly maxAttempts: number;
  /** On a re-ask: what was wrong with the last answer (messages are cleaned), and what of it was right. */
  readonly errors: readonly AnswerError[];
  readonly prefill?: JsonObject;
}

/** One property of the answer. What is shown is cleaned; what is sent (`name`, option values) is as the agent has it. */
export interface Field {
  readonly name: string;
  /** The property's title, else its name; cleaned. */
  readonly label: string;
  readonly description?: string;
  /** Without `$ref`. `true` when anything goes. */
  readonly schema: JsonObject | boolean;
  readonly required: boolean;
  /** `writeOnly`: do not echo it, do not store it. */
  readonly secret: boolean;
  /** Empty: no options. */
  readonly options: readonly FieldOption[];
}

export interface FieldOption {
  readonly value: Json;
  /** For people, cleaned; the value itself when the agent gave no label. */
  readonly label: string;
  readonly description?: string;
}

/** A question in words only: the agent knows no extension, or its question is beyond what may be trusted. */
export interface FreeText extends Open {
  readonly kind: 'free-text';
  /** Why the data part beside the text was not used; absent when there was none. */
  readonly problem?: string;
  /** From a data part that was not used otherwise; a decline can name it. */
  readonly questionId?: string;
}

export type OpenQuestion = Question | FreeText;

/**
 * What a resolver says to a question.
 * - `answer`: the answer's properties, without `questionId`; only to a `Question`.
 * - `text`: words. To a `Question` only if they are certain to mean an answer (an option, JSON, the one string); with
 *   `asIs` whatever they are, unchecked, for an agent that reads texts itself.
 * - `decline`: refuses. An agent that knows no extension is told by canceling its task.
 * - `pass`: the next resolver is asked. `detach`: nobody here can answer now; the task goes on waiting.
 */
export type Resolution =
  | { readonly answer: JsonObject }
  | { readonly text: string; readonly asIs?: boolean }
  | { readonly decline: { readonly reason?: string } }
  | 'pass'
  | 'detach';

/** Pure or not, quick or slow. An answer that the question refuses counts as `pass`. */
export type Resolver = (question: OpenQuestion, context: ResolverContext) => Resolution | Promise<Resolution>;

export interface ResolverContext {
  /** Aborted when the question is settled elsewhere while the resolver works, or the run is aborted. */
  readonly signal: AbortSignal;
  /** How many questions of this task were answered before this one. */
  readonly round: number;
}

/** What starts a task. A text is a message with one text part. */
export type OutgoingMessage =
  | string
  | {
      readonly parts: readonly Part[];
      /** Default: random. Give one that survives your own crash, and a second run finds the first one's task. */
      readonly messageId?: string;
      readonly contextId?: string;
      readonly taskId?: string;
      readonly metadata?: JsonObject;
      readonly extensions?: readonly string[];
      readonly referenceTaskIds?: readonly string[];
    };

/** How a task stands when the loop returns. A task that could not be followed, and a loop that gave up, throw. */
export type Outcome =
  | { readonly kind: 'completed'; readonly task: Task; readonly artifacts: readonly Artifact[] }
  /** The agent answered at once with a message and made no task. */
  | { readonly kind: 'replied'; readonly message: Message }
  /** Nobody could answer. */
  | ({ readonly kind: 'needs-input'; readonly question: OpenQuestion } & Waiting)
  /** The agent wants a credential by another way. `resumeTask` follows the task once it has it. */
  | ({ readonly kind: 'auth-required' } & AuthNeeds & Waiting)
  | ({ readonly kind: EndedKind } & Ended);

/**
 * `expired`: nobody answered in time and the task ended for it. `declined`: we refused and the task did not complete.
 */
export type EndedKind = 'expired' | 'declined' | 'failed' | 'canceled' | 'rejected';

/** No artifacts here: those of an interrupted task are no result. */
export interface Waiting {
  readonly taskId: string;
  readonly contextId: string;
  readonly expiresAtMs?: number;
  /** It stands in the pending store, and `resumeTask` goes on. */
  readonly saved: boolean;
  /** Why it is not saved although there is a store. */
  readonly saveError?: string;
}

export interface Ended {
  readonly task: Task;
  /** What the agent says about it, cleaned; may be empty. */
  readonly text: string;
  /** The agent's word for why, such as NO_VALID_ANSWER, if it gives one under the question extension. */
  readonly reason?: string;
}

/** Time, replaceable for tests. Milliseconds. */
export interface ClientClock {
  now(): number;
  /** Resolves early, without an error, when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A2A's push notification config, in its JSON form. */
export interface PushConfig {
  readonly id?: string;
  readonly url: string;
  readonly token?: string;
  readonly authentication?: { readonly scheme: string; readonly credentials?: string };
}

/** What streams and polls bring, as it comes; text in it is the agent's own and not cleaned. */
export type TaskUpdate = StreamResponse;
