/** How a run ended: what is printed, and the exit code. */
import type { JsonObject } from '../../core/json.ts';
import { cleanLine } from '../../core/clean-text.ts';
import { plainJson } from '../json-text.ts';
import type { Artifact, AuthNeeds, Outcome } from '../types.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { type Output, present } from './output.ts';
import { artifactLines, partsIn, partText, stateWord } from './render-task.ts';
import { questionObject } from './reporter.ts';
import { utc } from './time-left.ts';

const EXITS: Readonly<Record<Outcome['kind'], ExitCode>> = {
  completed: EXIT.completed,
  replied: EXIT.completed,
  'needs-input': EXIT.needsInput,
  'auth-required': EXIT.needsInput,
  expired: EXIT.expired,
  declined: EXIT.declined,
  failed: EXIT.failed,
  canceled: EXIT.canceled,
  rejected: EXIT.declined,
};

export function exitOf(outcome: Outcome): ExitCode {
  return EXITS[outcome.kind];
}

/** The last object of a command that follows a task. `exitCode` is what the program ends with. */
export function outcomeObject(outcome: Outcome, exitCode: ExitCode = exitOf(outcome)): JsonObject {
  const head = { type: 'result', outcome: outcome.kind, exitCode };
  switch (outcome.kind) {
    case 'completed':
      return { ...head, ...idsOf(outcome.task), artifacts: outcome.artifacts as unknown as readonly JsonObject[] };
    case 'replied':
      return { ...head, message: outcome.message as unknown as JsonObject };
    case 'needs-input': {
      const { taskId, contextId, question } = outcome;
      return { ...head, taskId, contextId, question: questionObject(question), ...savedOf(outcome) };
    }
    case 'auth-required': {
      const { taskId, contextId, text, authId, callbackUrl, request, expiresAtMs } = outcome;
      const expires = expiresAtMs === undefined ? undefined : new Date(expiresAtMs).toISOString();
      return present({ ...head, taskId, contextId, text, authId, expires, request, callbackUrl, ...savedOf(outcome) });
    }
    case 'expired':
    case 'declined':
    case 'failed':
    case 'canceled':
    case 'rejected': {
      const { task, text, reason } = outcome;
      return present({ ...head, ...idsOf(task), state: stateWord(task.status.state), text: text || undefined, reason });
    }
  }
}

/** Artifacts and replies are results; how it stands, and how to go on, is told beside them. */
export function printOutcome(outcome: Outcome, out: Output): void {
  switch (outcome.kind) {
    case 'completed':
      out.progress(out.paint('green', `✓ completed (task ${cleanLine(outcome.task.id)})`));
      for (const line of linesOf(outcome.artifacts, out)) out.result(line);
      return;
    case 'replied':
      for (const part of partsIn(outcome.message)) out.result(partText(part));
      return;
    case 'needs-input':
      if (outcome.saveError) out.progress(notKept(outcome.saveError, out));
      out.progress(
        `The task waits for an answer. ${howToAnswer(outcome.taskId, outcome.saveError && outcome.question.agent.url)}`,
      );
      return;
    case 'auth-required':
      out.progress(`The task waits for a credential: ${outcome.text || 'the agent does not say which'}`);
      for (const line of needLines(outcome)) out.progress(line);
      if (outcome.saveError) out.progress(notKept(outcome.saveError, out));
      out.progress(`Once the agent has it: ${howToWatch(outcome.taskId)}`);
      return;
    case 'expired':
    case 'declined':
    case 'failed':
    case 'canceled':
    case 'rejected': {
      const why = [outcome.text, outcome.reason ? `(${cleanLine(outcome.reason)})` : ''].filter((part) => part !== '');
      const more = why.length > 0 ? `: ${why.join(' ')}` : '';
      out.progress(out.paint('red', `✗ ${outcome.kind} (task ${cleanLine(outcome.task.id)})${more}`));
      return;
    }
  }
}

function needLines({ request, callbackUrl, expiresAtMs }: AuthNeeds): string[] {
  return [
    request === undefined ? '' : `  Needed: ${plainJson(request)}`,
    callbackUrl === undefined ? '' : `  POST it, once, to ${cleanLine(callbackUrl, 2_000)}`,
    expiresAtMs === undefined ? '' : `  Until ${utc(new Date(expiresAtMs).toISOString())}`,
  ].filter((line) => line !== '');
}

type Saved = Pick<Extract<Outcome, { kind: 'needs-input' }>, 'saved' | 'saveError'>;

function savedOf({ saved, saveError }: Saved): JsonObject {
  return present({ saved, saveError });
}

function notKept(problem: string, out: Output): string {
  return out.paint('yellow', `The task could not be kept here: ${cleanLine(problem)}`);
}

/** @param url where the task is not known here */
export function howToAnswer(taskId: string, url?: string): string {
  return `To answer: askback answer ${url === undefined ? '' : `--url ${url} `}${shellWord(taskId)}`;
}

export function howToWatch(taskId: string): string {
  return `askback watch ${shellWord(taskId)}`;
}

/** Ids are an agent's, and these lines are pasted into a shell. */
export function shellWord(id: string): string {
  if (/^\w[\w.:-]*$/.test(id)) return id;
  return `-- '${cleanLine(id).replaceAll("'", String.raw`'\''`)}'`;
}

function linesOf(artifacts: readonly Artifact[], out: Output): string[] {
  return artifacts.flatMap((artifact) => artifactLines(artifact, out));
}

function idsOf({ id, contextId }: { readonly id: string; readonly contextId: string }) {
  return { taskId: id, contextId };
}
