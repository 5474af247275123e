/**
 * Everything in one process, without AWS: the same handlers behind a small HTTP server, the same DynamoDB code against
 * dynalite, turn queue, timers and sweeper in process. Decides nothing: it wires, starts and stops.
 */
import './quiet-sdk.ts';
import { resolve } from 'node:path';
import type { SQSEvent } from 'aws-lambda';
import { DynamoPushStore } from '../aws/dynamodb-push-store.ts';
import { DynamoTaskStore } from '../aws/dynamodb-task-store.ts';
import { HmacSigner } from '../aws/hmac-signer.ts';
import { SecretCipher } from '../aws/secret-cipher.ts';
import { WebhookSender } from '../aws/webhook-sender.ts';
import type { Agent } from '../core/agent.ts';
import type { Clock, Deps, Log, Timer } from '../core/ports.ts';
import type { QueueMessage } from '../core/queue-message.ts';
import type { PushPoke } from '../core/push/ports.ts';
import { type ApiContext, type ApiOptions, apiHandler } from '../functions/api.ts';
import { deadlineHandler } from '../functions/deadline.ts';
import { deliverPushHandler } from '../functions/deliver-push.ts';
import { inboxResponse } from '../functions/inbox.ts';
import { runTurnHandler } from '../functions/run-turn.ts';
import { sweepHandler } from '../functions/sweep.ts';
import { systemClock, systemIds } from '../functions/system.ts';
import { makeFolder, startDynalite } from './dynalite.ts';
import { type HttpServer, startHttpServer } from './http-server.ts';
import { invocation } from './invocation.ts';
import type { AgentPlace } from './load-agent.ts';
import { LocalDeadlines } from './local-deadlines.ts';
import { LocalPushQueue } from './local-push-queue.ts';
import { LocalTurnQueue } from './local-turn-queue.ts';
import { LocalWake } from './local-wake.ts';
import { recoverTurns } from './recover-turns.ts';
import { secretKey } from './secret-key.ts';
import { startSweeper } from './sweeper.ts';
import { tableNameOf } from './table-name.ts';
import { createTextLog } from './text-log.ts';
import { testUsers, type Users, userOf } from './users.ts';

export interface RuntimeOptions {
  /** 0: any free port. */
  readonly port: number;
  /** The folder that holds everything; made if it is missing. */
  readonly data: string;
  /** An agent, or what makes one for the place it runs in. */
  readonly agent: Agent | ((place: AgentPlace) => Agent | Promise<Agent>);
  readonly clock?: Clock;
  readonly users?: Users;
  /** What the agent card says of callers, and what signs it. */
  readonly card?: ApiOptions['card'];
  /** What the agent may read of the environment; default: all of it. */
  readonly env?: AgentPlace['env'];
  /** Where notifications may go: to this machine as well, also by http (default), or to public https addresses only. */
  readonly webhooks?: 'loopback' | 'public';
  /** Default: warnings and errors as text on standard error. */
  readonly log?: Log;
}

export interface Runtime {
  /** `http://localhost:<port>`, without a slash at its end. */
  readonly url: string;
  readonly agent: Agent;
  /** Takes no more requests, lets running turns come to an end for a few seconds, and closes the table. */
  stop(): Promise<void>;
}

/** The time limits of the deployed functions. */
const TIMEOUT_MS = {
  api: 900_000,
  'run-turn': 900_000,
  deadline: 60_000,
  sweep: 300_000,
  'deliver-push': 60_000,
} as const;
/** A turn that takes longer than this at a stop is left; its lease ends, and the next start takes it up. */
const STOP_TURNS_MS = 3_000;

/** Throws `UserError` for a port in use and a folder that cannot be used. */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { clock = systemClock, users = testUsers, env = process.env, log = stderrLog } = options;
  const data = resolve(options.data);
  await makeFolder(data);
  const agent = typeof options.agent === 'function' ? await options.agent({ dataFolder: data, env }) : options.agent;
  const table = await startDynalite(data, tableNameOf(agent.name));
  const stops: (() => Promise<unknown>)[] = [() => table.stop()];
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  try {
    const queue = new LocalTurnQueue({ clock, log, deliver: (message) => deliver(message) });
    const pushQueue = new LocalPushQueue({ clock, log, deliver: (poke) => deliverPoke(poke) });
    const deadlines = new LocalDeadlines({ clock, log, fire: (timer) => fire(timer) });
    const key = await secretKey(data);
    // Known once the server listens.
    const place: { url?: string } = {};
    const deps: Deps = {
      store: new DynamoTaskStore({ client: table.client, tableName: table.tableName }),
      queue,
      deadlines,
      clock,
      ids: systemIds,
      cipher: new SecretCipher(key),
      signer: new HmacSigner(key),
      wake: new LocalWake(clock),
      log,
      agent,
      push: {
        store: new DynamoPushStore({ client: table.client, tableName: table.tableName }),
        queue: pushQueue,
        webhooks: new WebhookSender({ loopback: options.webhooks !== 'public' }),
      },
      baseUrl: () => place.url,
    };

    const runTurn = runTurnHandler(deps);
    const deliver = async (message: QueueMessage) => {
      const { batchItemFailures } = await runTurn(queueEvent(message), invocation('run-turn', TIMEOUT_MS['run-turn']));
      if (batchItemFailures.length > 0) throw new Error('the run-turn function asks for another delivery');
    };
    const deliverPush = deliverPushHandler(deps);
    const deliverPoke = async (poke: PushPoke) => {
      const context = invocation('deliver-push', TIMEOUT_MS['deliver-push']);
      const { batchItemFailures } = await deliverPush(queueEvent(poke), context);
      if (batchItemFailures.length > 0) throw new Error('the deliver-push function asks for another delivery');
    };
    const deadline = deadlineHandler(deps);
    const fire = ({ taskId, ask, timer }: Timer) =>
      deadline({ taskId, ask, timer }, invocation('deadline', TIMEOUT_MS.deadline));
    const sweep = sweepHandler(deps);
    stops.push(() => deadlines.stop());
    stops.push(() => Promise.race([pushQueue.stop(), systemClock.sleep(STOP_TURNS_MS)]));
    stops.push(() => Promise.race([queue.stop(), systemClock.sleep(STOP_TURNS_MS)]));

    const http = await startApi(deps, options.port, users, options.card);
    place.url = urlOf(http);
    stops.push(() => http.stop());
    const sweeper = startSweeper(clock, () => sweep({}, invocation('sweep', TIMEOUT_MS.sweep)));
    stops.push(() => sweeper.stop());
    await recoverTurns(deps);
    return { url: urlOf(http), agent, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function startApi(deps: Deps, port: number, users: Users, card: ApiOptions['card']): Promise<HttpServer> {
  const started: { api?: ReturnType<typeof apiHandler> } = {};
  return startHttpServer({
    port,
    handle: (event, signal, address) => {
      // The card names the port, which is known only once the server listens.
      started.api ??= apiHandler(deps, {
        baseUrl: urlOf(address),
        streaming: true,
        inbox: inboxResponse,
        ...(card && { card }),
      });
      const context: ApiContext = { ...invocation('api', TIMEOUT_MS.api), signal };
      const authorization = Object.entries(event.headers).find(([name]) => name.toLowerCase() === 'authorization')?.[1];
      const authorizer = userOf(authorization, users) ?? null;
      return started.api({ ...event, requestContext: { ...event.requestContext, authorizer } }, context);
    },
    onError: (error) => deps.log.error('a request could not be answered', { error }),
  });
}

function urlOf({ port }: { readonly port: number }): string {
  return `http://localhost:${port}`;
}

function queueEvent(message: QueueMessage | PushPoke): SQSEvent {
  return {
    Records: [
      {
        messageId: systemIds.unique(),
        receiptHandle: 'local',
        body: JSON.stringify(message),
        attributes: {
          ApproximateReceiveCount: '1',
          SentTimestamp: '0',
          SenderId: 'local',
          ApproximateFirstReceiveTimestamp: '0',
        },
        messageAttributes: {},
        md5OfBody: '',
        eventSource: 'aws:sqs',
        eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:turns',
        awsRegion: 'us-east-1',
      },
    ],
  };
}

const stderrLog = createTextLog((text) => process.stderr.write(`${text}\n`));
