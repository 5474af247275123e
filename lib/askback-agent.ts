/**
 * An agent in production: the table, the API, the turn queue, the deadlines, the sweeper, the four functions and what
 * watches them. Everything belongs to this agent alone, and every name follows from the stack and the construct's path,
 * so that several agents live in one account without meeting.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { AgentApi } from './agent-api.ts';
import { AgentFunction, type AgentFunctionProps, type Job } from './agent-function.ts';
import { Alarms } from './alarms.ts';
import type { AgentAuth } from './auth.ts';
import { AgentDashboard } from './dashboard.ts';
import { Deadlines } from './deadlines.ts';
import { AgentMetrics } from './metrics.ts';
import { grantPermissions } from './permissions.ts';
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
  /** The public address where a domain of your own stands in front of the gateway's. */
  readonly baseUrl?: string;
  /** Further variables for the agent's own code, in all four functions: each of them loads it. */
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

/** A buffered call ends with the gateway's 29 s, a stream with its 15 min. */
const API_TIMEOUT = { buffered: Duration.seconds(29), stream: Duration.minutes(15) };
const LATE_RETRIES = { attempts: 2, maxAge: Duration.hours(1) };
const NO_RETRIES = { attempts: 0, maxAge: Duration.minutes(1) };

export class AskbackAgent extends Construct {
  readonly tasks: TaskTable;
  readonly turns: TurnQueue;
  readonly deadlines: Deadlines;
  /** Grant your agent's code what it needs on `functions['run-turn'].function`. */
  readonly functions: Readonly<Record<Job, AgentFunction>>;
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
    this.deadlines = new Deadlines(this, 'Deadlines');
    this.functions = this.#functions({ ...props, streaming }, limits, { agent: name, logRetention, removalPolicy });
    grantPermissions(this.functions, {
      table: this.tasks.table,
      encryptionKey,
      turns: this.turns.queue,
      deadlines: this.deadlines,
    });
    this.#takeTurns(limits.turnsAtOnce);
    this.sweeper = new Sweeper(this, 'Sweeper', this.functions.sweep.function);
    this.api = new AgentApi(this, 'Api', {
      agent: name,
      function: this.functions.api.function,
      auth: props.auth ?? 'iam',
      streaming,
      throttle: limits.throttle,
      accountLogRole: props.accountLogRole ?? true,
      logRetention,
      removalPolicy,
    });
    if (props.alarms !== false) this.#watch(name, props.alarms ?? {});
  }

  #functions(
    props: AskbackAgentProps,
    { turnTimeout, concurrency }: ResolvedLimits,
    common: Pick<AgentFunctionProps, 'agent' | 'logRetention' | 'removalPolicy'>,
  ): Record<Job, AgentFunction> {
    const agentFile = resolve(props.entry);
    if (!existsSync(agentFile)) throw new Error(`entry: there is no file ${agentFile}`);
    const environment = this.#environment(props);
    const key = new SecretKey(this, 'SecretKey', common);
    const sealed = { ...environment, ASKBACK_SECRET_KEY: key.value };
    const make = (
      id: string,
      job: Job,
      own: Pick<AgentFunctionProps, 'timeout' | 'memoryMb' | 'environment' | 'retries' | 'functionName'>,
    ) => new AgentFunction(this, id, { ...common, job, agentFile, reservedConcurrency: concurrency[job], ...own });
    return {
      api: make('ApiFunction', 'api', {
        timeout: props.streaming ? API_TIMEOUT.stream : API_TIMEOUT.buffered,
        memoryMb: 1_024,
        // The function and its gateway must be of one mind.
        environment: { ...sealed, ASKBACK_STREAMING: props.streaming ? 'on' : 'off' },
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
    };
  }

  /** What functions/wiring.ts reads. */
  #environment({ environment, baseUrl }: AskbackAgentProps): Record<string, string> {
    return {
      ...environment,
      ASKBACK_TABLE: this.tasks.table.tableName,
      ASKBACK_TURN_QUEUE_URL: this.turns.queue.queueUrl,
      ASKBACK_TIMER_GROUP: this.deadlines.group.scheduleGroupName,
      ASKBACK_TIMER_ROLE_ARN: this.deadlines.role.roleArn,
      ASKBACK_TIMER_TARGET_ARN: this.deadlines.targetArn,
      ASKBACK_TIMER_DLQ_ARN: this.deadlines.deadLetters.queueArn,
      ...(baseUrl === undefined ? {} : { ASKBACK_BASE_URL: baseUrl }),
    };
  }

  /** One message at a time: a turn that takes long keeps no other waiting. */
  #takeTurns(turnsAtOnce: number): void {
    const { function: worker, role } = this.functions['run-turn'];
    const source = worker.addEventSourceMapping('Turns', {
      eventSourceArn: this.turns.queue.queueArn,
      batchSize: 1,
      reportBatchItemFailures: true,
      // As many as the worker's reservation, so that SQS never counts a refused invocation as a delivery.
      maxConcurrency: turnsAtOnce,
    });
    // Lambda refuses a source that the role may not read yet.
    source.node.addDependency(role);
  }

  #watch(agent: string, { actions = [] }: AgentAlarms): void {
    const { api, functions, turns, deadlines, tasks } = this;
    const observed = { agent, api, functions, turns, deadlines, tasks };
    const metrics = new AgentMetrics(this, 'Metrics', observed);
    new Alarms(this, 'Alarms', { agent, metrics, turnVisibility: turns.visibility, actions });
    new AgentDashboard(this, 'Dashboard', observed, metrics);
  }
}
