/**
 * The question convention (docs/question-extension.md): what stands on the wire, what an author asks for, and what
 * became of an answer. Shapes only.
 */
import type { Json, JsonObject } from '../json.ts';
import type { Message } from '../message.ts';
import type { OpenAsk } from '../task.ts';

/** The data part of a status message that asks. */
export interface QuestionData {
  readonly questionId: string;
  /** What the code calls the ask: the same in every task, for rules that answer without reading. */
  readonly name: string;
  /** RFC 3339 UTC. A re-ask keeps the expiry of its ask. */
  readonly expires: string;
  /** JSON Schema 2020-12; the root is an object. */
  readonly answerSchema: JsonObject;
  /** A list when the schema has one required property; an object of lists by property otherwise. */
  readonly options?: readonly Option[] | { readonly [property: string]: readonly Option[] };
  /** Values that are not among the options are refused unless this is true. */
  readonly allowOther?: true;
  readonly attempt: number;
  readonly maxAttempts: number;
  /** On a re-ask: the question that this one replaces, what was wrong, and what was right. */
  readonly previousQuestionId?: string;
  readonly errors?: readonly AnswerError[];
  readonly prefill?: JsonObject;
  /** RFC 3339 UTC; when reminders go out. */
  readonly remindAt?: readonly string[];
}

export type Option = Json | { readonly value: Json; readonly label: string; readonly description?: string };

export interface AnswerError {
  /** JSON Pointer into the answer; empty for the whole. */
  readonly pointer: string;
  readonly message: string;
}

/** What the code asked for with `turn.ask`, in JSON: built by agent/, checked by `openQuestion`. */
export interface AskSpec {
  readonly name: string;
  readonly text: string;
  /** Absent: any text (an object with one required string property `text`). */
  readonly schema?: JsonObject;
  readonly options?: QuestionData['options'];
  readonly allowOther?: boolean;
  /** Default and bounds in limits.ts. */
  readonly expiresInMs?: number;
  /** Not open after this time, in milliseconds since the epoch, whatever `expiresInMs` says. */
  readonly expiresByMs?: number;
  /** The question is another agent's, in words of our own. */
  readonly relays?: RelayedQuestion;
  readonly maxAttempts?: number;
  readonly onExpire?: OnExpire;
  /** Milliseconds before expiry at which reminders go out. */
  readonly remindBeforeMs?: readonly number[];
  readonly parsesText?: boolean;
}

/** Which question of which sub-task the caller's answer goes to. */
export interface RelayedQuestion {
  readonly taskId: string;
  /** Absent where the other agent does not follow the convention. */
  readonly questionId?: string;
}

/** What expiry means. `default` is recorded as defaulted, never as a human answer. */
export type OnExpire =
  | { readonly then: 'fail' | 'cancel' | 'resume' }
  | { readonly then: 'default'; readonly value: Json };

/** Where the new question stands in its task; given by the transition that opens it. */
export interface AskPlace {
  readonly taskId: string;
  readonly contextId: string;
  readonly call: number;
  /** Ordinal of the ask in the task, from 1. */
  readonly ask: number;
  /** Ordinal of the question in the task, from 1: every ask and re-ask takes the next. */
  readonly question: number;
  readonly nowMs: number;
}

export interface OpenedQuestion {
  readonly ask: OpenAsk;
  /** The status message: a text part and a data part. */
  readonly message: Message;
}

/** A re-ask. `attempt` must not pass `maxAttempts`: the caller of `reaskQuestion` checks that first. */
export interface ReaskSpec {
  readonly open: OpenAsk;
  /** The message of the question that is replaced. */
  readonly message: Message;
  readonly errors: readonly AnswerError[];
  readonly prefill?: JsonObject;
  readonly question: number;
}

/** What a message to an asking task means. Nothing here changes the task. */
export type Interpretation =
  /** `value` is what the code gets (unwrapped, `writeOnly` properties still in). */
  | { readonly kind: 'answer'; readonly value: Json; readonly redacted: Redacted }
  /** The author's `parseText` reads it in the next turn. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'decline'; readonly reason?: string; readonly redacted: Redacted }
  | {
      readonly kind: 'invalid';
      readonly errors: readonly AnswerError[];
      readonly prefill?: JsonObject;
      readonly redacted: Redacted;
    }
  /** Names a question that is not the open one: refused, no attempt used. */
  | { readonly kind: 'other-question'; readonly questionId: string };

/**
 * The message as it may be recorded, shown and digested. For a question with `writeOnly` properties only known other
 * properties are kept; otherwise it is the message itself.
 */
export interface Redacted {
  readonly message: Message;
  /** The `writeOnly` properties that were taken out of an accepted answer. */
  readonly secret?: JsonObject;
  /** Names taken out; present whenever the question has `writeOnly` properties. */
  readonly hidden?: readonly string[];
}
