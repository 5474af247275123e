/**
 * Another agent at an address, by the official A2A client: its card says which binding, A2A 0.3 included. The one file
 * of this layer that reaches the network. The client is loaded when it is first used, and is not in the bundle of an
 * agent that delegates nothing. Decides nothing about tasks.
 */
import type { Client } from '@a2a-js/sdk/client';
import { errorText } from '../core/error-text.ts';
import { type Json, jsonBytes } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import type { Message, Task } from '../core/message.ts';
import { optionsProblem } from './options.ts';
import { type Headers, remoteFetch, StatusError } from './remote-fetch.ts';
import { type Reply, type SubAgent, SubAgentError } from './sub-agent.ts';

export interface RemoteAgentOptions {
  /** Sent with every request, that for the card included; called each time when it is a function. */
  readonly headers?: Headers | (() => Headers | Promise<Headers>);
  /** Replaces the global `fetch`: for request signing, proxies, mutual TLS. */
  readonly fetch?: typeof fetch;
  /** For one request; default 10 s. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;
/** A task that has ended, or is not there, needs no canceling. */
const NOTHING_TO_CANCEL: readonly (string | undefined)[] = ['TASK_NOT_CANCELABLE', 'TASK_NOT_FOUND'];

/**
 * @param url the agent's base address; its card is at `/.well-known/agent-card.json` below it
 * @throws TypeError for what is no http address, and for an unknown option
 */
export function remoteAgent(url: string, options: RemoteAgentOptions = {}): SubAgent {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new TypeError(`remoteAgent: ${url} is not an http or https address`);
  }
  const problem = optionsProblem(options, ['headers', 'fetch', 'timeoutMs']);
  if (problem !== undefined) throw new TypeError(`remoteAgent: ${problem}`);
  const { timeoutMs = TIMEOUT_MS } = options;
  // With a slash at its end, or the card would be looked for beside an address that has a path.
  const base = url.endsWith('/') ? url : `${url}/`;
  const fetchImpl = remoteFetch(options, base);
  let known: Promise<Connected> | undefined;

  const call = async <T>(
    signal: AbortSignal,
    run: (to: Connected, signal: AbortSignal) => Promise<T>,
    errorOf = subAgentError,
  ): Promise<T> => {
    known ??= connect(base, fetchImpl, timeoutMs);
    try {
      const to = await known;
      return await inTime(timeoutMs, signal, (within) => run(to, within));
    } catch (error) {
      // The agent may have moved within its address, or speak another version now: its card is read anew.
      if (reasonOf(error) === undefined) known = undefined;
      throw errorOf(error);
    }
  };

  return {
    send: (message, { signal, pushUrl }) =>
      call(signal, ({ client, sdk }, within) => send(client, sdk, message, pushUrl, within)),
    get: (taskId, signal) => {
      const look = async ({ client, sdk }: Connected, within: AbortSignal): Promise<Task> => {
        const request = sdk.GetTaskRequest.fromJSON({ id: taskId, historyLength: 0 });
        return taskOf(sdk, await client.getTask(request, { signal: within }));
      };
      return call(signal, look, lookError);
    },
    cancel: (taskId, signal) =>
      call(signal, async ({ client }, within) => {
        try {
          await client.cancelTask({ id: taskId, tenant: '', metadata: undefined }, { signal: within });
        } catch (error) {
          if (!NOTHING_TO_CANCEL.includes(reasonOf(error))) throw error;
        }
      }),
    pushes: (signal) => call(signal, async ({ pushes }) => pushes),
    authorize: (callbackUrl, credential, signal) =>
      call(signal, async (_to, within) => {
        if (new URL(callbackUrl).origin !== new URL(base).origin) {
          throw new SubAgentError('the address for the credential is not the agent’s own', { retryable: false });
        }
        await post(options.fetch ?? fetch, callbackUrl, credential, within);
      }),
  };
}

/** Not by AbortSignal.timeout: within AbortSignal.any nothing keeps it, and once it is collected it never fires. */
async function inTime<T>(timeoutMs: number, signal: AbortSignal, run: (within: AbortSignal) => Promise<T>): Promise<T> {
  const over = new AbortController();
  const tooLong = () => over.abort(new DOMException('The agent took too long', 'TimeoutError'));
  const timer = setTimeout(tooLong, timeoutMs);
  try {
    return await run(AbortSignal.any([signal, over.signal]));
  } finally {
    clearTimeout(timer);
  }
}

interface Connected {
  readonly client: Client;
  readonly sdk: typeof import('@a2a-js/sdk');
  readonly pushes: boolean;
}

/** Defined in the bundle of a function that runs no turns, and so calls no other agents: the client stays out of it. */
declare const ASKBACK_RUNS_NO_TURNS: true | undefined;

const loadClient =
  typeof ASKBACK_RUNS_NO_TURNS === 'undefined'
    ? () => Promise.all([import('@a2a-js/sdk'), import('@a2a-js/sdk/client')])
    : async (): Promise<never> => {
        throw new Error('this function calls no other agents');
      };

async function connect(base: string, fetchImpl: typeof fetch, timeoutMs: number): Promise<Connected> {
  const [sdk, sdkClient] = await loadClient();
  const legacyCompat = { enabled: true };
  const path = '.well-known/agent-card.json';
  // Nobody's signal ends it: whoever calls meanwhile waits for the same card.
  const timed: typeof fetch = (input, init) => fetchImpl(input, { ...init, signal: AbortSignal.timeout(timeoutMs) });
  const cardResolver = new sdkClient.DefaultAgentCardResolver({ fetchImpl: timed, path, legacyCompat });
  const factory = new sdkClient.ClientFactory(
    sdkClient.ClientFactoryOptions.createFrom(sdkClient.ClientFactoryOptions.default, {
      transports: [
        new sdkClient.JsonRpcTransportFactory({ fetchImpl, legacyCompat }),
        new sdkClient.RestTransportFactory({ fetchImpl, legacyCompat }),
      ],
      cardResolver,
    }),
  );
  const card = await cardResolver.resolve(base);
  const client = await factory.createFromAgentCard(card);
  return { client, sdk, pushes: card.capabilities?.pushNotifications === true };
}

async function send(
  client: Client,
  sdk: Connected['sdk'],
  message: Message,
  pushUrl: string | undefined,
  signal: AbortSignal,
): Promise<Reply> {
  const configuration = {
    returnImmediately: true,
    ...(pushUrl === undefined ? {} : { taskPushNotificationConfig: { id: 'askback', url: pushUrl } }),
  };
  const reply = await client.sendMessage(sdk.SendMessageRequest.fromJSON({ message, configuration }), { signal });
  if ('status' in reply) return { task: taskOf(sdk, reply) };
  return { message: sdk.Message.toJSON(reply) as Message };
}

function taskOf(sdk: Connected['sdk'], task: unknown): Task {
  return sdk.Task.toJSON(task as Parameters<typeof sdk.Task.toJSON>[0]) as Task;
}

async function post(own: typeof fetch, url: string, credential: Json, signal: AbortSignal): Promise<void> {
  if (jsonBytes(credential) > limits.answerBytes) {
    throw new SubAgentError('the credential is too large to be handed on', { retryable: false });
  }
  const response = await own(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credential),
    redirect: 'error',
    signal,
  });
  await response.body?.cancel();
  if (!response.ok) throw new StatusError(response.status);
}

/** What the agent said of the request it will say again; all else may have been the network's doing. */
function subAgentError(error: unknown): SubAgentError {
  const found = causeOf(error);
  if (found) return found;
  const said = reasonOf(error);
  const message = errorText(error);
  const retryable = said === undefined ? !/\bStatus: 4\d\d\b/.test(message) : TRANSIENT.has(said);
  return new SubAgentError(message.slice(0, MESSAGE_CHARS), { retryable, cause: error });
}

/**
 * Of a look at a task: only what the agent itself says of it counts. A token that has run out, or a gateway between two
 * deployments, is no reason to give up, and so to cancel, what may have run for a week.
 */
function lookError(error: unknown): SubAgentError {
  const told = subAgentError(error);
  const isOfAgent = reasonOf(error) !== undefined || (causeOf(error) !== undefined && !(told instanceof StatusError));
  return isOfAgent ? told : new SubAgentError(told.message, { retryable: true, cause: error });
}

const MESSAGE_CHARS = 500;
/** Reasons of the client's errors, and codes of JSON-RPC that it has no reason for. */
const TRANSIENT: ReadonlySet<string> = new Set([
  'INTERNAL_ERROR',
  'INTERNAL',
  'UNAVAILABLE',
  '-32603',
  '-32092',
  '-32093',
]);

/** What an error of the client's says of why, as in `TASK_NOT_FOUND`; undefined for any other error. */
function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { reason, envelopeCode } = error as { readonly reason?: unknown; readonly envelopeCode?: unknown };
  if (typeof envelopeCode === 'number' && TRANSIENT.has(String(envelopeCode))) return String(envelopeCode);
  return typeof reason === 'string' ? reason : undefined;
}

function causeOf(error: unknown): SubAgentError | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (at instanceof SubAgentError) return at;
  }
  return undefined;
}
