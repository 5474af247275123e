/**
 * Takes notifications of tasks that wait in a pending store: a plain `Request -> Response`, for Lambda, Hono, Express
 * or anything that speaks fetch. It checks who sends, drops what is old, and wakes whoever goes on with the task; the
 * notification itself is a hint, and `resumeTask` reads the task before it believes anything.
 */
import { isJsonObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { isInterrupted, isTerminal, type StreamResponse, type TaskState, TASK_STATES } from '../core/message.ts';
import { TOKEN_HEADER } from '../core/push/signature.ts';
import { QUESTION_EXTENSION_URI } from '../core/question/extension.ts';
import { sameText } from '../core/same-text.ts';
import { PendingRecord } from './pending-record.ts';
import type { PendingStore, PendingTask } from './pending-store.ts';
import { generationOf } from './task-view.ts';
import { verifyWebhook, WebhookRefusedError } from './verify-webhook.ts';

/** The secret of the config, or what finds it; the task id is not verified at that point. Undefined: unknown task. */
export type Secret = string | ((taskId: string) => string | undefined | Promise<string | undefined>);

export interface WebhookOptions {
  /**
   * `secret`: the agent signs (docs/push-notifications.md). `token`: any A2A agent sends the config's token along,
   * which is as good as whoever may have read it on the way.
   */
  readonly verify: { readonly secret: Secret } | { readonly token: Secret };
  readonly pending: PendingStore;
  /**
   * Called for a task of the store that has ended or waits for its caller, at least once for each event; a repeat is
   * possible. Keep it short, such as a queue send, or the agent takes the notification for lost after 10 seconds. If
   * it throws, the agent sends again.
   */
  readonly onWake: (wake: Wake) => void | Promise<void>;
  /** Told what ended in 500: what `onWake`, the store or the look for the secret threw. */
  readonly onError?: (error: unknown) => void;
  /** Milliseconds since the epoch; default: the machine's clock. */
  readonly now?: () => number;
}

export interface Wake {
  readonly task: PendingTask;
  readonly state: TaskState;
  /** The open question once more, because it is still open. */
  readonly reminder: boolean;
}

/**
 * 204: taken, or nothing to do. 401: not genuine. 400, 405, 413: no notification. 500: `onWake`, the store or the look
 * for the secret failed; the agent sends again.
 * @throws Error for a secret that is empty: anybody could have signed with it
 */
export function webhookHandler(options: WebhookOptions): (request: Request) => Promise<Response> {
  const { verify } = options;
  if (('secret' in verify ? verify.secret : verify.token) === '') throw new Error(EMPTY);
  return async (request) => {
    if (request.method !== 'POST') return reply(405);
    const body = await bounded(request).catch(() => 'broken' as const);
    if (body === undefined) return reply(413);
    const hint = body === 'broken' ? undefined : hintOf(body);
    if (body === 'broken' || !hint) return reply(400);
    try {
      if (!(await isGenuine(options, request, body, hint.taskId))) return reply(401);
      await wake(options, hint);
      return reply(204);
    } catch (error) {
      tell(options, error);
      return reply(500);
    }
  };
}

const EMPTY = 'the secret is empty: anybody could have sent this';

function tell({ onError }: WebhookOptions, error: unknown): void {
  try {
    onError?.(error);
  } catch {
    // The agent is answered whatever becomes of our log.
  }
}

function reply(status: number): Response {
  return new Response(null, { status });
}

interface Hint {
  readonly taskId: string;
  readonly state: TaskState | undefined;
  readonly generation: number | undefined;
  readonly reminder: boolean;
}

async function bounded(request: Request): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > limits.responseBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function hintOf(body: Uint8Array): Hint | undefined {
  let event: unknown;
  try {
    event = JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
  if (!isJsonObject(event)) return undefined;
  const { task, statusUpdate, artifactUpdate } = event as Partial<Record<string, unknown>>;
  const told = task ?? statusUpdate ?? artifactUpdate;
  if (!isJsonObject(told)) return undefined;
  const taskId = isJsonObject(task) ? task.id : told.taskId;
  if (typeof taskId !== 'string' || taskId === '') return undefined;
  const status = isJsonObject(told.status) ? told.status : {};
  const metadata = isJsonObject(told.metadata) ? told.metadata : undefined;
  return {
    taskId,
    state: TASK_STATES.find((state) => state === status.state),
    generation: generationOf(metadata),
    reminder: isReminder(status.message),
  };
}

function isReminder(message: unknown): boolean {
  const metadata = isJsonObject(message) && isJsonObject(message.metadata) ? message.metadata : {};
  const ours = metadata[QUESTION_EXTENSION_URI];
  return isJsonObject(ours) && ours.reminder === true;
}

async function isGenuine(
  options: WebhookOptions,
  request: Request,
  body: Uint8Array,
  taskId: string,
): Promise<boolean> {
  const { verify, now = Date.now } = options;
  const given = 'secret' in verify ? verify.secret : verify.token;
  const secret = typeof given === 'function' ? await given(taskId) : given;
  if (secret === undefined) return false;
  if (secret === '') throw new Error(EMPTY);
  if ('token' in verify) return sameText(request.headers.get(TOKEN_HEADER) ?? '', secret);
  try {
    verifyWebhook({ headers: request.headers, body }, secret, { nowMs: now() }) satisfies StreamResponse;
    return true;
  } catch (error) {
    if (error instanceof WebhookRefusedError) return false;
    throw error;
  }
}

/** The generation is noted after the waking: what fails in between is told again rather than lost. */
async function wake({ pending, onWake }: WebhookOptions, hint: Hint): Promise<void> {
  const record = await PendingRecord.read(pending, hint.taskId);
  const { task } = record;
  if (!task || task.state === 'done' || isOld(task, hint)) return;
  const { state, reminder, generation } = hint;
  if (state !== undefined && (isTerminal(state) || isInterrupted(state))) await onWake({ task, state, reminder });
  if (generation === undefined) return;
  await record.update((now) => (now && now.state !== 'done' && !isOld(now, hint) ? { ...now, generation } : undefined));
}

function isOld(task: PendingTask, { generation }: Hint): boolean {
  return generation !== undefined && task.generation !== undefined && generation <= task.generation;
}
