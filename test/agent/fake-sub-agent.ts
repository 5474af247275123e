/** Another agent in memory: its tasks go on when the test says so. It takes each messageId once, as ours do. */
import type { Json, JsonObject } from '../../core/json.ts';
import type { Artifact, Message, Task, TaskState } from '../../core/message.ts';
import { type Reply, type SendOptions, type SubAgent, SubAgentError } from '../../agent/sub-agent.ts';

export interface Asks {
  readonly questionId: string;
  readonly text?: string;
  readonly schema?: JsonObject;
  readonly options?: Json;
  readonly allowOther?: true;
  readonly expiresAtMs?: number;
  readonly more?: JsonObject;
}

export class FakeSubAgent implements SubAgent {
  readonly tasks = new Map<string, Task>();
  /** Every send that arrived, repeats included. */
  readonly sent: { readonly message: Message; readonly pushUrl: string | undefined }[] = [];
  /** Messages that were taken: each id once. */
  readonly taken: Message[] = [];
  readonly canceled: string[] = [];
  readonly authorized: { readonly url: string; readonly credential: Json }[] = [];
  looks = 0;
  /** What the next calls throw, in order, instead of answering; `lost`: after they did their work. */
  faults: { readonly retryable: boolean; readonly message?: string; readonly lost?: true }[] = [];
  pushing = false;
  /** Answers first messages at once, without a task. */
  reply: Message | undefined;
  /** Called when a task has been made. */
  onTask: (id: string) => void = () => undefined;
  /** Called when a message to a task has been taken. */
  onAnswer: (task: Task, message: Message) => void = (task) => this.set(task.id, 'TASK_STATE_WORKING');

  async send(message: Message, { pushUrl }: SendOptions): Promise<Reply> {
    this.sent.push({ message, pushUrl });
    const fault = this.#fault();
    const known = this.taken.find(({ messageId }) => messageId === message.messageId);
    if (!known) {
      this.taken.push(message);
      if (message.taskId === undefined && !this.reply) this.#create(message);
      const task = message.taskId === undefined ? undefined : this.#task(message.taskId);
      if (task) this.onAnswer(task, message);
    }
    if (fault) throw fault;
    if (this.reply && message.taskId === undefined) return { message: this.reply };
    return { task: this.#task(message.taskId ?? `sub-of-${message.messageId}`) };
  }

  async get(taskId: string): Promise<Task> {
    this.looks++;
    const fault = this.#fault();
    if (fault) throw fault;
    return this.#task(taskId);
  }

  async cancel(taskId: string): Promise<void> {
    const fault = this.#fault();
    this.canceled.push(taskId);
    const task = this.tasks.get(taskId);
    if (task && !/COMPLETED|FAILED|CANCELED|REJECTED/.test(task.status.state)) this.set(taskId, 'TASK_STATE_CANCELED');
    if (fault) throw fault;
  }

  async pushes(): Promise<boolean> {
    return this.pushing;
  }

  async authorize(url: string, credential: Json): Promise<void> {
    const fault = this.#fault();
    if (fault) throw fault;
    this.authorized.push({ url, credential });
  }

  /** The only task. */
  get id(): string {
    return [...this.tasks.keys()][0] as string;
  }

  set(id: string, state: TaskState, message?: Message, artifacts?: readonly Artifact[]): void {
    const { contextId } = this.tasks.get(id) as Task;
    const status = { state, timestamp: '2027-01-15T08:00:00.000Z', ...(message ? { message } : {}) };
    this.tasks.set(id, { id, contextId, status, ...(artifacts ? { artifacts } : {}) });
  }

  asks({ questionId, text = 'Which one?', schema, options, allowOther, expiresAtMs, more }: Asks, id = this.id): void {
    const data = {
      questionId,
      answerSchema: schema ?? null,
      attempt: 1,
      maxAttempts: 3,
      ...(options === undefined ? {} : { options }),
      ...(allowOther ? { allowOther } : {}),
      ...(expiresAtMs === undefined ? {} : { expires: new Date(expiresAtMs).toISOString() }),
      ...more,
    };
    const parts = [{ text }, { data, mediaType: 'application/json' }];
    this.set(id, 'TASK_STATE_INPUT_REQUIRED', { messageId: questionId, role: 'ROLE_AGENT', parts });
  }

  completes(data: Json, id = this.id): void {
    this.set(id, 'TASK_STATE_COMPLETED', undefined, [{ artifactId: 'a-1', name: 'expense', parts: [{ data }] }]);
  }

  says(state: TaskState, text: string, id = this.id): void {
    this.set(id, state, { messageId: `m-${state}`, role: 'ROLE_AGENT', parts: [{ text }] });
  }

  #create(message: Message): void {
    const id = `sub-of-${message.messageId}`;
    this.tasks.set(id, { id, contextId: 'sub-ctx', status: { state: 'TASK_STATE_SUBMITTED', timestamp: '' } });
    this.onTask(id);
  }

  #task(id: string): Task {
    const task = this.tasks.get(id);
    if (!task) throw new SubAgentError(`no task ${id}`, { retryable: false });
    return structuredClone(task);
  }

  #fault(): SubAgentError | undefined {
    const fault = this.faults.shift();
    if (!fault) return undefined;
    const error = new SubAgentError(fault.message ?? 'down', { retryable: fault.retryable });
    if (!fault.lost) throw error;
    return error;
  }
}
