/** Asks as compact JSON values: the open one and those that are recorded in the head, where each write pays for them. */
import type { AskRecord, CallRecord, ClosedAsk, OpenAsk } from '../core/task.ts';

/** What every ask has, in this order, and then the rest by name. */
export type PackedAsk = readonly [
  ask: number,
  questionId: string,
  attempt: number,
  maxAttempts: number,
  expiresAtMs: number,
  more: Omit<ClosedAsk, 'ask' | 'questionId' | 'attempt' | 'maxAttempts' | 'expiresAtMs'>,
];

export type PackedOpenAsk = Pick<OpenAsk, 'call' | 'name'> & { readonly open: PackedAsk };
export type PackedCall = Exclude<CallRecord, AskRecord> | (Omit<AskRecord, 'open'> & { readonly open: PackedAsk });

export function packOpenAsk({ call, name, ...open }: OpenAsk): PackedOpenAsk {
  return { call, name, open: packAsk(open) };
}

export function unpackOpenAsk({ call, name, open }: PackedOpenAsk): OpenAsk {
  return { call, name, ...unpackAsk(open) };
}

export function packCall(call: CallRecord): PackedCall {
  return call.kind === 'ask' ? { ...call, open: packAsk(call.open) } : call;
}

export function unpackCall(call: PackedCall): CallRecord {
  return call.kind === 'ask' ? { ...call, open: unpackAsk(call.open) } : call;
}

function packAsk({ ask, questionId, attempt, maxAttempts, expiresAtMs, ...more }: ClosedAsk): PackedAsk {
  return [ask, questionId, attempt, maxAttempts, expiresAtMs, more];
}

function unpackAsk([ask, questionId, attempt, maxAttempts, expiresAtMs, more]: PackedAsk): ClosedAsk {
  return { ask, questionId, attempt, maxAttempts, expiresAtMs, ...more };
}
