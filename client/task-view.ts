/**
 * A task as its events tell it: state and status message, nothing else. Artifacts are read from the task itself once it
 * has completed, so what an agent streams takes no memory here and what a cut swallowed is not missed.
 */
import { isJsonObject, type JsonObject } from '../core/json.ts';
import {
  isInterrupted,
  isTerminal,
  type Message,
  type StreamResponse,
  type Task,
  type TaskStatus,
} from '../core/message.ts';
import { QUESTION_EXTENSION_URI } from '../core/question/extension.ts';
import { AgentMisbehavedError } from './errors.ts';
import { questionKey } from './question-key.ts';

export interface Standing {
  readonly id: string;
  readonly contextId: string;
  readonly status: TaskStatus;
}

export class TaskView {
  #standing: Standing | undefined;
  #generation: number | undefined;
  /** Questions that we have answered: seen again, they are an echo. */
  readonly #answered = new Set<string>();
  #reply: Message | undefined;

  get standing(): Standing | undefined {
    return this.#standing;
  }

  /** A message that an agent answered with in place of a task. */
  get reply(): Message | undefined {
    return this.#reply;
  }

  /** Of the newest event known; undefined where the agent counts none. */
  get generation(): number | undefined {
    return this.#generation;
  }

  set generation(known: number | undefined) {
    this.#generation = known;
  }

  /** Whether there is nothing to follow for now: it has ended, or waits for its caller. */
  get settled(): boolean {
    if (this.#reply) return true;
    if (!this.#standing) return false;
    const { status } = this.#standing;
    const { state } = status;
    if (state === 'TASK_STATE_INPUT_REQUIRED') return !this.#answered.has(questionKey(status));
    return isTerminal(state) || isInterrupted(state);
  }

  answered(key: string): void {
    this.#answered.add(key);
  }

  /** The reply to our own answer is no echo, whatever it repeats: an agent may ask the same words again. */
  forget(key: string): void {
    this.#answered.delete(key);
  }

  /** @throws AgentMisbehavedError when it tells of another task, or of none */
  apply(event: StreamResponse): void {
    if ('task' in event) this.applyTask(event.task);
    else if ('message' in event) this.#applyMessage(event.message);
    else if ('statusUpdate' in event) this.#applyStatus(event.statusUpdate);
    else if ('artifactUpdate' in event) this.#count(event.artifactUpdate.metadata);
  }

  applyTask(task: Task): void {
    this.#check(task.id, task.status);
    const generation = generationOf(task.metadata);
    // The first look at a task is believed, whatever was noted of it elsewhere.
    if (this.#standing && this.#isOld(generation)) return;
    this.#generation = generation ?? this.#generation;
    this.#stand({ id: task.id, contextId: task.contextId ?? '', status: task.status });
  }

  #applyMessage(message: Message): void {
    // Under a task that is known, a bare message is talk; the task says where it stands.
    if (!this.#standing) this.#reply = message;
  }

  #applyStatus({
    taskId,
    contextId,
    status,
    metadata,
  }: Extract<StreamResponse, { statusUpdate: unknown }>['statusUpdate']) {
    this.#check(taskId, status);
    const generation = generationOf(metadata);
    if (generation !== undefined && this.#isOld(generation - 1)) return;
    this.#generation = generation ?? this.#generation;
    this.#stand({ id: taskId, contextId: contextId ?? '', status });
  }

  #count(metadata: JsonObject | undefined): void {
    const generation = generationOf(metadata);
    if (generation !== undefined && !this.#isOld(generation)) this.#generation = generation;
  }

  #isOld(generation: number | undefined): boolean {
    return generation !== undefined && this.#generation !== undefined && generation < this.#generation;
  }

  #stand(standing: Standing): void {
    // What has ended stays ended (specification 4.1.3), whatever is told late.
    if (this.#standing && isTerminal(this.#standing.status.state)) return;
    this.#standing = standing;
  }

  #check(id: string, status: TaskStatus | undefined): void {
    if (!id || !status?.state) throw new AgentMisbehavedError('the agent told of a task without id or state');
    if (this.#standing && this.#standing.id !== id) {
      throw new AgentMisbehavedError('the agent told of another task than the one that was followed');
    }
  }
}

/** 1 for a new task and one more with each event, for agents that declare the question extension. */
export function generationOf(metadata: JsonObject | undefined): number | undefined {
  const ours = metadata?.[QUESTION_EXTENSION_URI];
  const generation = isJsonObject(ours) ? ours.generation : undefined;
  return typeof generation === 'number' && Number.isSafeInteger(generation) && generation > 0 ? generation : undefined;
}
