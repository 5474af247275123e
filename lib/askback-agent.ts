/**
 * An agent in production: the table, the API, the queues for turns and notifications, the deadlines, the sweeper, the
 * functions and what watches them. Everything belongs to this agent alone, and every name follows from the stack and the
 * construct's path, so that several agents live in one account without meeting.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Duration, Names, RemovalPolicy } from 'aws-cdk-lib';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { AgentApi, type InvokeOptions } from './agent-api.ts';
import { AgentFunction, type AgentFunctionProps, type AgentFunctions, type Job } from './agent-function.ts';
import { Alarms } from './alarms.ts';
import { type AgentAuth, authEnvironment } from './auth.ts';
import { AgentDashboard } from './dashboard.ts';
import { Deadlines } from './deadlines.ts';
import { AgentMetrics } from './metrics.ts';
import { grantPermissions, grantSecret } from './permissions.ts';
import { DELIVERY_TIMEOUT, PushQueue } from './push-queue.ts';
import { SecretKey } from './secret-key.ts';
import {
  type AgentAlarms,
  type AgentLimits,
  type AgentRetention,
  type ResolvedLimits,
  resolveLimits,
  resolveLogRetention,
} from './settings.ts';
import { Sweeper } from './sweeper.ts';
import { TaskTable } from './task-table.ts';
import { TurnQueue } from './turn-queue.ts';

export interface AskbackAgentProps {
  /** The module whose default export is the agent; relative to where the app is run. */
  readonly entry: string;
  /** For people: descriptions, alarms, the API's name. Default: the construct's id. */
  readonly name?: string;
  /** Who may call. Default: AWS IAM. */
  readonly auth?: AgentAuth;
  readonly limits?: AgentLimits;
  readonly retention?: AgentRetention;
  /** `false` makes neither alarms nor a dashboard. */
  readonly alarms?: AgentAlarms | false;
  /**
   * Responses stream through the gateway: SSE, and blocking sends of more than 25 seconds. Default `true`; `false` answers
   * in one piece, offers no streams, and says so on the card.
   */
  readonly streaming?: boolean;
  /** Notifications by webhook. Default `true`; `false` makes neither their queue nor their function, and the card says so. */
  readonly push?: boolean;
  /**
   * Serves the inbox page at `/inbox` to everybody; what it shows it asks for with the reader's token. Default `false`. Not
   * with `auth: 'iam'`: a browser cannot sign.
   */
  readonly inbox?: boolean;
  /** The public address where a domain of your own stands in front of the gateway's. */
  readonly baseUrl?: string;
  /** Signs the agent card. Default: it is not signed. */
  readonly cardKey?: CardKey;
  /** Further variables for the agent's own code, in all functions: each of them loads it. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Your own key for the table; default: the key that AWS owns. */
  readonly encryptionKey?: IKey;
  /** What becomes of table, key and logs when the stack goes. Default RETAIN, and the table cannot be deleted by hand. */
  readonly removalPolicy?: RemovalPolicy;
  /**
   * Sets the role with which API Gateway writes access logs, one for the whole account and Region. Default `true`;
   * `false` where the account has one.
   */
  readonly accountLogRole?: boolean;
}

/** The private key that signs the agent card (A2A 1.0 section 8.4). */
export interface CardKey {
  /**
   * Holds a private JSON Web Key with a `kid`, of P-256, P-384, Ed25519 or RSA, as its text. The api function reads it at
   * the first card that is asked for; neither the template nor the function's settings ever hold it.
   */
  readonly secret: ISecret;
  /** Where callers read the public half, as a JWK Set; the `jku` of signatures. */
  readonly publicKeysUrl?: string;
}

/** A buffered call ends with the gateway's 29 s, a stream with its 15 min. */
const API_TIMEOUT = { buffered: Duration.seconds(29), stream: Duration.minutes(15) };
const LATE_RETRIES = { attempts: 2, maxAge: Duration.hours(1) };
const NO_RETRIES = { attempts: 0, maxAge: Duration.minutes(1) };
/** Receivers that are told side by side in one invocation. */
const PUSH_BATCH = 10;

export class AskbackAgent extends Construct {
  readonly tasks: TaskTable;
  readonly turns: TurnQueue;
  /** Undefined where no notifications are sent. */
  readonly push: PushQueue | undefined;
  readonly deadlines: Deadlines;
  /** Grant your agent's code what it needs on `functions['run-turn'].function`. */
  readonly functions: AgentFunctions;
  readonly sweeper: Sweeper;
  readonly api: AgentApi;

  constructor(scope: Construct, id: string, props: AskbackAgentProps) {
    super(scope, id);
    const { name = id, encryptionKey, removalPolicy = RemovalPolicy.RETAIN, streaming = true } = props;
    const limits = resolveLimits(props.limits);
    const logRetention = resolveLogRetention(props.retention);

    this.tasks = new TaskTable(this, 'Tasks', { removalPolicy, ...(encryptionKey ? { encryptionKey } : {}) });
    this.turns = new TurnQueue(this, 'Turns', {
      workerTimeout: limits.turnTimeout,
      maxReceiveCount: limits.turnDeliveries,
    });
    this.push = props.push === false ? undefined : new PushQueue(this, 'Push');
    this.deadlines = new Deadlines(this, 'Deadlines');
    const key = new SecretKey(this, 'SecretKey', { removalPolicy }).secret;
    this.functions = this.#functions({ ...props, streaming }, limits, key, {
      agent: name,
      logRetention,
      removalPolicy,
    });
    grantPermissions(this.functions, {
      table: this.tasks.table,
      encryptionKey,
      turns: this.turns.queue,
      deadlines: this.deadlines,
      push: this.push,
    });
    grantSecret(key, this.functions.api, this.functions['run-turn'], this.functions['deliver-push']);
    if (props.cardKey) grantSecret(props.cardKey.secret, this.functions.api);
    this.#takeMessages(limits);
    this.sweeper = new Sweeper(this, 'Sweeper', this.functions.sweep.function);
    this.api = new AgentApi(this, 'Api', {
      agent: name,
      function: this.functions.api.function,
      auth: props.auth ?? 'iam',
      reserveConcurrency: props.limits?.concurrency !== false,
      streaming,
      inbox: props.inbox ?? false,
      throttle: limits.throttle,
      accountLogRole: props.accountLogRole ?? true,
      logRetention,
      removalPolicy,
    });
    // The worker hands out callback addresses; the function behind the gateway cannot know the gateway beforehand.
    this.functions['run-turn'].function.addEnvironment('ASKBACK_BASE_URL', props.baseUrl ?? this.api.baseUrl);
    if (props.alarms !== false) this.#watch(name, props.alarms ?? {});
  }

  /**
   * Lets a function, role or user of this account call the agent, where callers are known by IAM. They sign what they
   * send, as `awsSignedFetch` of `askback/aws` does.
   * @throws Error where callers are known by tokens, or the principal takes no policies
   */
  grantInvoke(grantee: IGrantable, options?: InvokeOptions): Grant {
    return this.api.grantInvoke(grantee, options);
  }

  #functions(
    props: AskbackAgentProps,
    { turnTimeout, concurrency }: ResolvedLimits,
    key: ISecret,
    common: Pick<AgentFunctionProps, 'agent' | 'logRetention' | 'removalPolicy'>,
  ): AgentFunctions {
    const agentFile = resolve(props.entry);
    if (!existsSync(agentFile)) throw new Error(`entry: there is no file ${agentFile}`);
    const environment = this.#environment(props);
    const sealed = { ...environment, ASKBACK_SECRET_KEY_SECRET: key.secretArn };
    // Names of receivers are looked up by Node's few threads: slow name servers must not hold up everything else.
    const lookups = { UV_THREADPOOL_SIZE: '64' };
    const make = (
      id: string,
      job: Job,
      own: Pick<AgentFunctionProps, 'timeout' | 'memoryMb' | 'environment' | 'retries' | 'functionName' | 'entry'>,
    ) => new AgentFunction(this, id, { ...common, job, agentFile, reservedConcurrency: concurrency[job], ...own });
    return {
      api: make('ApiFunction', 'api', {
        timeout: props.streaming ? API_TIMEOUT.stream : API_TIMEOUT.buffered,
        memoryMb: 1_024,
        ...(props.inbox ? { entry: 'api-with-inbox' } : {}),
        // The function and its gateway must be of one mind.
        environment: {
          ...sealed,
          ...lookups,
          ASKBACK_STREAMING: props.streaming ? 'on' : 'off',
          ...authEnvironment(props.auth),
          ...cardKeyEnvironment(props.cardKey),
        },
      }),
      'run-turn': make('Worker', 'run-turn', { timeout: turnTimeout, memoryMb: 1_024, environment: sealed }),
      deadline: make('Deadline', 'deadline', {
        timeout: Duration.minutes(1),
        memoryMb: 512,
        environment,
        functionName: this.deadlines.targetName,
        retries: { ...LATE_RETRIES, deadLetters: this.deadlines.deadLetters },
      }),
      sweep: make('Sweep', 'sweep', { timeout: Duration.minutes(5), memoryMb: 512, environment, retries: NO_RETRIES }),
      ...(this.push && {
        'deliver-push': make('DeliverPush', 'deliver-push', {
          timeout: DELIVERY_TIMEOUT,
          memoryMb: 512,
          environment: { ...sealed, ...lookups, ASKBACK_PUSH_DLQ_URL: this.push.deadLetters.queueUrl },
        }),
      }),
    };
  }

  /** What functions/wiring.ts reads. */
  #environment({ environment, baseUrl }: AskbackAgentProps): Record<string, string> {
    return {
      ...environment,
      ASKBACK_METRICS_AGENT: this.#metricsAgent(),
      ASKBACK_TABLE: this.tasks.table.tableName,
      ASKBACK_TURN_QUEUE_URL: this.turns.queue.queueUrl,
      ASKBACK_TIMER_GROUP: this.deadlines.group.scheduleGroupName,
      ASKBACK_TIMER_ROLE_ARN: this.deadlines.role.roleArn,
      ASKBACK_TIMER_TARGET_ARN: this.deadlines.targetArn,
      ASKBACK_TIMER_DLQ_ARN: this.deadlines.deadLetters.queueArn,
      ...(this.push && { ASKBACK_PUSH_QUEUE_URL: this.push.queue.queueUrl }),
      ...(baseUrl === undefined ? {} : { ASKBACK_BASE_URL: baseUrl }),
    };
  }

  #takeMessages({ turnsAtOnce, pushesAtOnce }: ResolvedLimits): void {
    const { 'run-turn': worker, 'deliver-push': deliverPush } = this.functions;
    // One message at a time: a turn that takes long keeps no other waiting.
    takeFrom('Turns', this.turns.queue, worker, { batchSize: 1, maxConcurrency: turnsAtOnce });
    if (!this.push || !deliverPush) return;
    takeFrom('Pokes', this.push.queue, deliverPush, { batchSize: PUSH_BATCH, maxConcurrency: pushesAtOnce });
  }

  /** Of this agent alone in its account and Region, whatever its name for people. */
  #metricsAgent(): string {
    return Names.uniqueResourceName(this, { maxLength: 128, separator: '-' });
  }

  #watch(agent: string, { actions = [] }: AgentAlarms): void {
    const { api, functions, turns, deadlines, tasks, push } = this;
    const observed = { metricsAgent: this.#metricsAgent(), api, functions, turns, deadlines, tasks, push };
    const metrics = new AgentMetrics(observed);
    new Alarms(this, 'Alarms', { agent, metrics, turnVisibility: turns.visibility, actions });
    new AgentDashboard(this, 'Dashboard', observed, metrics);
  }
}

function cardKeyEnvironment(key: CardKey | undefined): Record<string, string> {
  if (key === undefined) return {};
  const { secret, publicKeysUrl } = key;
  return {
    ASKBACK_CARD_KEY_SECRET: secret.secretArn,
    ...(publicKeysUrl === undefined ? {} : { ASKBACK_CARD_KEYS_URL: publicKeysUrl }),
  };
}

/** @param most no more than the function's reservation, so that SQS never counts a refused invocation as a delivery */
function takeFrom(
  id: string,
  { queueArn }: IQueue,
  { function: taker, role }: AgentFunction,
  most: { readonly batchSize: number; readonly maxConcurrency: number },
): void {
  const source = taker.addEventSourceMapping(id, { eventSourceArn: queueArn, reportBatchItemFailures: true, ...most });
  // Lambda refuses a source that the role may not read yet.
  source.node.addDependency(role);
}
