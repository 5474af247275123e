/**
 * The loop: a task comes to rest, and either it is over or it asks; who can answer does, and it goes on. Where the
 * task is kept meanwhile is the business of whoever starts the loop (run-task.ts, resume-task.ts), told through hooks.
 */
import { errorText } from '../core/error-text.ts';
import { isTerminal } from '../core/message.ts';
import type { AgentCalls } from './agent-calls.ts';
import { answerMessage, type Reply } from './answer-message.ts';
import { readAuthNeeds } from './auth-needs.ts';
import { deliver } from './deliver.ts';
import { AgentMisbehavedError, GaveUpError } from './errors.ts';
import { Follower, type Rest } from './follow.ts';
import { endOf } from './outcome.ts';
import { questionKey } from './question-key.ts';
import { readQuestion } from './read-question.ts';
import { type Resolved, resolve } from './resolve.ts';
import type { Standing } from './task-view.ts';
import type { OpenQuestion, Outcome, Resolver, TaskUpdate } from './types.ts';
import { isOpen, watchQuestion } from './watch-question.ts';

/** How far the questions and answers of a task have come; survives the process in a pending store. */
export interface Progress {
  rounds: number;
  declined: boolean;
}

export interface Hooks {
  /** Right before an answer goes out. Throws to keep it from going. */
  readonly claim?: (question: OpenQuestion) => Promise<void>;
  /** It did not get there, or was refused while the question is open. */
  readonly released?: () => Promise<void>;
  /** The agent has it. */
  readonly accepted?: () => Promise<void>;
  /** Nobody answers here. @returns whether it was saved */
  readonly leave: (standing: Standing, question: OpenQuestion | undefined) => Promise<boolean>;
  /** Over, by its own end or because the loop gave up. */
  readonly ended?: () => Promise<void>;
}

export interface LoopOptions {
  readonly resolvers: readonly Resolver[];
  readonly maxRounds: number;
  readonly onQuestion: (question: OpenQuestion) => void;
  readonly onUpdate: (update: TaskUpdate) => void;
}

/** What is told of the note that is left of a task. */
type Left = Pick<Extract<Outcome, { kind: 'needs-input' }>, 'saved' | 'saveError'>;

/** An open stream that is about to close does so within this; an open one costs no more than this wait. */
const CLOSING_MS = 30;
/** Questions in one run that others settled before we did; an agent that changes its question for ever is not followed. */
const MOVED_ON = 20;

export class RunLoop {
  readonly follower: Follower;
  readonly #calls: AgentCalls;
  readonly #options: LoopOptions;
  readonly #progress: Progress;
  readonly #hooks: Hooks;
  #movedOn = 0;

  constructor(calls: AgentCalls, options: LoopOptions, progress: Progress, hooks: Hooks) {
    this.follower = new Follower(calls, options.onUpdate);
    this.#calls = calls;
    this.#options = options;
    this.#progress = progress;
    this.#hooks = hooks;
  }

  /** From whatever `follower` has seen so far. */
  async run(): Promise<Outcome> {
    try {
      for (;;) {
        const rest = await this.follower.untilRest();
        const outcome = await this.#at(rest);
        if (outcome) return outcome;
      }
    } finally {
      this.follower.close();
    }
  }

  /** Undefined: it goes on. */
  async #at(rest: Rest): Promise<Outcome | undefined> {
    if ('message' in rest) return { kind: 'replied', message: rest.message };
    const { task } = rest;
    if (isTerminal(task.status.state)) return this.#end(task);
    if (task.status.state === 'TASK_STATE_AUTH_REQUIRED') {
      const left = await this.#save(task, undefined);
      if (left === 'moved-on') return undefined;
      const needs = readAuthNeeds(task.status, this.#agent.url);
      return { kind: 'auth-required', taskId: task.id, contextId: task.contextId, ...needs, ...left };
    }
    return this.#answer(task, readQuestion(task, this.#agent));
  }

  get #agent() {
    const { name, url } = this.#calls.agent;
    return { name, url };
  }

  async #end(standing: Standing): Promise<Outcome> {
    this.follower.close();
    // The task itself, since a stream may have been cut, or may have left out what was too large.
    const task = await this.#calls.get(standing.id, true);
    await this.#note(this.#hooks.ended);
    return endOf(isTerminal(task.status.state) ? task : { ...task, status: standing.status }, this.#progress.declined);
  }

  async #answer(task: Standing, question: OpenQuestion): Promise<Outcome | undefined> {
    this.#options.onQuestion(question);
    if (this.#progress.rounds >= this.#options.maxRounds) return this.#giveUp(task, question);
    const resolved = await this.#resolve(question);
    if (typeof resolved === 'object') {
      await this.send(question, resolved);
      return undefined;
    }
    const left = resolved === 'moved-on' ? resolved : await this.#leave(task, question);
    if (left !== 'moved-on') return left;
    this.#movedOn += 1;
    return this.#movedOn > MOVED_ON ? this.#giveUp(task, question) : undefined;
  }

  /** What comes of it is for `run` to see. */
  async send(question: OpenQuestion, reply: Reply): Promise<void> {
    await this.#hooks.claim?.(question);
    const inWords = question.questionId === undefined;
    let sent: boolean;
    try {
      sent =
        'decline' in reply && inWords
          ? await this.#declineByCancel(question)
          : await deliver(this.#calls, this.follower, answerMessage(question, reply), question.key);
    } catch (error) {
      await this.#note(this.#hooks.released);
      throw error;
    }
    if (sent) {
      this.#progress.rounds += 1;
      this.#progress.declined = 'decline' in reply;
    }
    await this.#note(this.#hooks.accepted);
  }

  /** The agent knows how it stands: a store that fails now takes nothing away, and the next look finds out. */
  async #note(hook: (() => Promise<unknown>) | undefined): Promise<void> {
    await hook?.().catch(() => {});
  }

  /** An agent that reads words only would read a refusal as an answer. It may take its time to end the task. */
  async #declineByCancel(question: OpenQuestion): Promise<true> {
    this.follower.close();
    this.follower.take({ task: await this.#calls.cancel(question.taskId) });
    if (isOpen(question, this.follower)) throw new AgentMisbehavedError('the agent took a cancel and goes on asking');
    return true;
  }

  async #leave(task: Standing, question: OpenQuestion): Promise<Outcome | 'moved-on'> {
    const left = await this.#save(task, question);
    if (left === 'moved-on') return left;
    const expiresAtMs = question.kind === 'question' ? question.expiresAtMs : undefined;
    const waiting = {
      taskId: task.id,
      contextId: task.contextId,
      ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
    };
    return { kind: 'needs-input', question, ...left, ...waiting };
  }

  /** The task waits whatever happens to our note of it: a store that fails costs no outcome. */
  async #save(task: Standing, question: OpenQuestion | undefined): Promise<Left | 'moved-on'> {
    try {
      if (!(await this.#hooks.leave(task, question))) return { saved: false };
    } catch (error) {
      return { saved: false, saveError: errorText(error) };
    }
    // What happened while it was written down was told to nobody: a notification finds no record, or drops itself.
    await this.follower.look(task.id).catch(() => this.#calls.signal.throwIfAborted());
    const { status } = this.follower.view.standing ?? task;
    const same = status.state === task.status.state && questionKey(status) === questionKey(task.status);
    return same ? { saved: true } : 'moved-on';
  }

  async #giveUp(standing: Standing, question: OpenQuestion): Promise<never> {
    this.follower.close();
    const canceled = await this.#calls.cancel(question.taskId).then(
      ({ status }) => status.state === 'TASK_STATE_CANCELED',
      () => false,
    );
    this.#calls.signal.throwIfAborted();
    // What still waits can still be answered, by somebody else.
    if (canceled) await this.#note(this.#hooks.ended);
    else await this.#note(() => this.#hooks.leave(standing, question));
    throw new GaveUpError(question, this.#progress.rounds, canceled);
  }

  /** Asks the resolvers, and takes the question away from them when it is settled elsewhere meanwhile. */
  async #resolve(question: OpenQuestion): Promise<Resolved | 'moved-on'> {
    const settled = new AbortController();
    const done = new AbortController();
    const signal = AbortSignal.any([settled.signal, this.#calls.signal]);
    const watching = watchQuestion(question, this.follower, this.#calls.clock, done.signal).then(
      (moved) => {
        if (moved) settled.abort(new Error('the question was settled elsewhere'));
      },
      // What the stream told makes no sense: the answer does not go out beside it.
      () => {
        if (!done.signal.aborted) this.follower.close();
      },
    );
    const aborted = new Promise<'pass'>((resolved) => {
      signal.addEventListener('abort', () => resolved('pass'), { once: true });
    });
    try {
      const { resolvers } = this.#options;
      const resolving = resolve(question, resolvers, { signal, round: this.#progress.rounds });
      const resolved = await Promise.race([resolving, aborted]);
      this.#calls.signal.throwIfAborted();
      if (!settled.signal.aborted && this.follower.live && typeof resolved === 'object') {
        await Promise.race([watching, this.#calls.clock.sleep(CLOSING_MS, signal)]);
      }
      this.#calls.signal.throwIfAborted();
      return settled.signal.aborted ? 'moved-on' : resolved;
    } finally {
      done.abort();
    }
  }
}
