/**
 * Wires the operations to AWS, once per container, and is the only reader of the environment. A container whose settings
 * are wrong does not start, and says everything that is wrong at once.
 */
import { tmpdir } from 'node:os';
import { dynamoClient, schedulerClient, sqsClient } from '../aws/clients.ts';
import { DynamoPushStore } from '../aws/dynamodb-push-store.ts';
import { DynamoTaskStore } from '../aws/dynamodb-task-store.ts';
import { HmacSigner } from '../aws/hmac-signer.ts';
import { SchedulerDeadlines } from '../aws/scheduler-deadlines.ts';
import { SecretCipher } from '../aws/secret-cipher.ts';
import type { SecretKey } from '../aws/secret-key.ts';
import { SqsPushQueue } from '../aws/sqs-push-queue.ts';
import { SqsTurnQueue } from '../aws/sqs-turn-queue.ts';
import { WebhookSender } from '../aws/webhook-sender.ts';
import type { Agent } from '../core/agent.ts';
import type { Cipher, Deps } from '../core/ports.ts';
import type { PushPorts } from '../core/push/ports.ts';
import type { CardSigner } from '../core/wire/card-signature.ts';
import type { ApiOptions } from './api.ts';
import { type AuthSettings, readAuth } from './auth-settings.ts';
import type { AuthorizeDeps } from './authorize.ts';
import { cardSecurity } from './card-security.ts';
import { readCardSigner } from './card-settings.ts';
import { httpsJson } from './fetch-json.ts';
import { issuerKeys } from './issuer-keys.ts';
import { readKey } from './key-settings.ts';
import { createLambdaLog } from './lambda-log.ts';
import { LOG_LEVELS, type LogLevel } from './log-fields.ts';
import { pollingWake, systemClock, systemIds } from './system.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What an agent module exports by default: an agent, or a function of the place it runs in. */
export type AgentModule = Agent | ((place: { readonly dataFolder: string; readonly env: Environment }) => Agent);

export interface Settings {
  readonly table: string;
  readonly turnQueueUrl: string;
  readonly timerGroup: string;
  readonly timerRoleArn: string;
  readonly timerTargetArn: string;
  readonly timerDeadLetterArn: string;
  /** Absent: the agent sends no push notifications. */
  readonly pushQueueUrl: string | undefined;
  /** Where the pokes of receivers go that were given up; absent: they are only logged and counted. */
  readonly pushDeadLetterUrl: string | undefined;
  /**
   * 32 bytes, or what reads them. Absent, as for functions that neither seal nor open: no `writeOnly` answer is taken,
   * and no credential of a receiver of notifications.
   */
  readonly secretKey: SecretKey | undefined;
  readonly logLevel: LogLevel;
  /** Tells the metrics of this agent from those of others in the account. */
  readonly metricsAgent: string | undefined;
  readonly baseUrl: string | undefined;
  /** Absent: the agent card is not signed. */
  readonly cardSigner: CardSigner | undefined;
  /** The gateway takes responses piece by piece (`responseTransferMode: STREAM`); 'on' unless it is said to be 'off'. */
  readonly streaming: boolean;
  /** Absent: the card says nothing of authentication, and whoever the gateway vouches for may call. */
  readonly auth: AuthSettings | undefined;
}

/** As CloudWatch wants the value of a dimension. */
const METRICS_AGENT = { what: 'up to 255 letters, digits, points, hyphens and underscores', valid: /^[\w.-]{1,255}$/ };
const ARN = /^arn:[\w-]+:[\w-]+:[\w-]*:[0-9]*:.+$/;

/** Throws one `Error` that names every setting that is missing or wrong, without its value. */
export function readSettings(env: Environment): Settings {
  const problems: string[] = [];
  const optional = (name: string, what: string, valid: (value: string) => boolean): string | undefined => {
    const value = env[name]?.trim();
    if (!value) return undefined;
    if (!valid(value)) problems.push(`${name} is not ${what}`);
    return value;
  };
  const required = (name: string, what: string, valid: (value: string) => boolean): string => {
    if (!env[name]?.trim()) problems.push(`${name} is missing: ${what}`);
    return optional(name, what, valid) ?? '';
  };
  const arn = (name: string, whose: string) => required(name, `the ARN of ${whose}`, (value) => ARN.test(value));

  const secretKey = readKey(env, problems);
  const pushQueueUrl = optional('ASKBACK_PUSH_QUEUE_URL', 'an http or https URL', isHttpUrl);
  const baseUrl = optional('ASKBACK_BASE_URL', 'an http or https URL', isHttpUrl);
  const level = optional('ASKBACK_LOG_LEVEL', `one of ${LOG_LEVELS.join(', ')}`, (value) => isLogLevel(value));
  const metricsAgent = optional('ASKBACK_METRICS_AGENT', METRICS_AGENT.what, (name) => METRICS_AGENT.valid.test(name));
  const streaming = optional('ASKBACK_STREAMING', 'on or off', (value) => value === 'on' || value === 'off');
  const settings: Settings = {
    table: required('ASKBACK_TABLE', 'the name of the DynamoDB table', (name) => /^[\w.-]{3,255}$/.test(name)),
    turnQueueUrl: required('ASKBACK_TURN_QUEUE_URL', 'the URL of the turn queue', isHttpUrl),
    timerGroup: required('ASKBACK_TIMER_GROUP', 'the name of the schedule group', (name) =>
      /^[\w.-]{1,64}$/.test(name),
    ),
    timerRoleArn: arn('ASKBACK_TIMER_ROLE_ARN', 'the role that lets the Scheduler invoke the deadline function'),
    timerTargetArn: arn('ASKBACK_TIMER_TARGET_ARN', 'the deadline function'),
    timerDeadLetterArn: arn('ASKBACK_TIMER_DLQ_ARN', 'the dead-letter queue of timers'),
    pushQueueUrl,
    pushDeadLetterUrl: optional('ASKBACK_PUSH_DLQ_URL', 'an http or https URL', isHttpUrl),
    secretKey,
    logLevel: level !== undefined && isLogLevel(level) ? level : 'info',
    metricsAgent,
    baseUrl: baseUrl?.replace(/\/+$/, ''),
    cardSigner: readCardSigner(env, problems),
    streaming: streaming !== 'off',
    auth: readAuth(env, problems),
  };
  if (problems.length > 0) throw new Error(`Askback cannot start. ${problems.join('. ')}.`);
  return settings;
}

export interface Wired {
  readonly deps: Deps;
  readonly api: ApiOptions;
}

export function wire(module: AgentModule, env: Environment = process.env): Wired {
  const settings = readSettings(env);
  const push = pushPorts(settings);
  const deps: Deps = {
    store: new DynamoTaskStore({ client: dynamoClient(), tableName: settings.table }),
    queue: new SqsTurnQueue({ client: sqsClient(), queueUrl: settings.turnQueueUrl }),
    deadlines: new SchedulerDeadlines({
      client: schedulerClient(),
      clock: systemClock,
      groupName: settings.timerGroup,
      targetArn: settings.timerTargetArn,
      roleArn: settings.timerRoleArn,
      deadLetterArn: settings.timerDeadLetterArn,
    }),
    clock: systemClock,
    ids: systemIds,
    cipher: settings.secretKey === undefined ? keyless : new SecretCipher(settings.secretKey),
    // A page token gives nobody anything: the owner is always the caller. Without a key it can be made up, no more.
    signer: new HmacSigner(settings.secretKey ?? Buffer.from(settings.table)),
    wake: pollingWake,
    log: createLambdaLog({ level: settings.logLevel, agent: settings.metricsAgent }),
    // The one folder that a Lambda environment may write to.
    agent: typeof module === 'function' ? module({ dataFolder: tmpdir(), env }) : module,
    ...(push ? { push } : {}),
    // Without a secret key anybody could make the code of a callback address.
    ...(settings.secretKey === undefined ? {} : { baseUrl: () => settings.baseUrl }),
  };
  return { deps, api: apiOptions(settings) };
}

function apiOptions({ baseUrl, streaming, cardSigner, auth }: Settings): ApiOptions {
  const card = {
    ...(cardSigner === undefined ? {} : { signer: cardSigner }),
    ...(auth === undefined ? {} : { security: cardSecurity(auth) }),
  };
  return {
    streaming,
    card,
    ...(auth === undefined ? {} : { voucher: auth === 'iam' ? ('iam' as const) : ('authorizer' as const) }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
  };
}

/** The authorize function's own wiring: it has no agent, no table and no queue. */
export function wireAuthorizer(env: Environment = process.env): AuthorizeDeps {
  const problems: string[] = [];
  const auth = readAuth(env, problems);
  if (auth === undefined || auth === 'iam') problems.push('ASKBACK_AUTH_ISSUER is missing: it makes callers known');
  if (problems.length > 0 || auth === undefined || auth === 'iam') {
    throw new Error(`Askback cannot start. ${problems.join('. ')}.`);
  }
  const keys = issuerKeys({ issuer: auth.issuer, fetchJson: httpsJson(), now: systemClock.now });
  return {
    auth,
    keys,
    clock: systemClock,
    log: createLambdaLog(),
  };
}

function pushPorts({ table, pushQueueUrl, pushDeadLetterUrl }: Settings): PushPorts | undefined {
  if (pushQueueUrl === undefined) return undefined;
  return {
    store: new DynamoPushStore({ client: dynamoClient(), tableName: table }),
    queue: new SqsPushQueue({
      client: sqsClient(),
      queueUrl: pushQueueUrl,
      ...(pushDeadLetterUrl === undefined ? {} : { deadLetterUrl: pushDeadLetterUrl }),
    }),
    webhooks: new WebhookSender(),
  };
}

const withoutKey = async (): Promise<never> => {
  throw new Error('there is no secret key (ASKBACK_SECRET_KEY_SECRET), so secrets can be neither kept nor read');
};
const keyless: Cipher = { seal: withoutKey, open: withoutKey };

function isHttpUrl(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

function isLogLevel(value: string): value is LogLevel {
  return (LOG_LEVELS as readonly string[]).includes(value);
}
