/**
 * One Lambda function of an agent: bundled from its entry in functions/lambda/, with a role and a log group of its own.
 * What it may do is given to it in permissions.ts, and nothing else is.
 */
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Duration, type RemovalPolicy, Validations } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { type BundlingOptions, LogLevel, NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

/** The functions of an agent, named as their files are. */
export type Job = 'api' | 'run-turn' | 'deadline' | 'sweep' | 'deliver-push';

/** By job; `deliver-push` only where notifications are sent. */
export type AgentFunctions = Readonly<Record<Exclude<Job, 'deliver-push'>, AgentFunction>> & {
  readonly 'deliver-push'?: AgentFunction;
};

export interface AgentFunctionProps {
  readonly job: Job | 'authorize';
  /** Its file in functions/lambda/; default: the one named as the job. */
  readonly entry?: string;
  /** Whose function it is, for descriptions. */
  readonly agent: string;
  /** The agent's module, as an absolute path; absent for a function that loads none. */
  readonly agentFile?: string;
  readonly timeout: Duration;
  readonly memoryMb: number;
  readonly environment: Readonly<Record<string, string>>;
  /** Environments kept for this function and, at once, the most it may have. */
  readonly reservedConcurrency?: number | undefined;
  readonly logRetention: RetentionDays;
  readonly removalPolicy: RemovalPolicy;
  /** Only where a name must outlive the resource. */
  readonly functionName?: string;
  /** For functions that are invoked asynchronously: how often and how long Lambda tries, and where it gives up to. */
  readonly retries?: { readonly attempts: number; readonly maxAge: Duration; readonly deadLetters?: IQueue };
}

/** Of this project: TypeScript here, JavaScript in the published package. */
const EXTENSION = extname(import.meta.url);

export class AgentFunction extends Construct {
  readonly function: lambda.Function;
  readonly logGroup: LogGroup;
  readonly role: iam.Role;

  constructor(scope: Construct, id: string, props: AgentFunctionProps) {
    super(scope, id);
    const { job, agent, removalPolicy, reservedConcurrency, functionName, retries } = props;
    this.logGroup = new LogGroup(this, 'Logs', { retention: props.logRetention, removalPolicy });
    this.role = new iam.Role(this, 'Role', {
      description: `The ${job} function of ${agent}`,
      assumedBy: new iam.ServicePrincipal('lambda.amazonaws.com'),
    });
    this.logGroup.grantWrite(this.role);
    this.function = new NodejsFunction(this, 'Function', {
      description: `${agent}: ${job}`,
      entry: ownFile(`functions/lambda/${props.entry ?? job}`),
      bundling: bundlingOf(job, props.agentFile),
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: lambda.Architecture.ARM_64,
      timeout: props.timeout,
      memorySize: props.memoryMb,
      environment: { NODE_OPTIONS: '--enable-source-maps', ...props.environment },
      role: this.role,
      logGroup: this.logGroup,
      tracing: lambda.Tracing.ACTIVE,
      ...(functionName === undefined ? {} : { functionName }),
      ...(reservedConcurrency === undefined ? {} : { reservedConcurrentExecutions: reservedConcurrency }),
      ...(retries ? { retryAttempts: retries.attempts, maxEventAge: retries.maxAge } : {}),
      ...(retries?.deadLetters ? { deadLetterQueue: retries.deadLetters } : {}),
    });
    Validations.of(this.role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'X-Ray has no resources: PutTraceSegments and PutTelemetryRecords can be allowed for all or not at all.',
    });
  }

  /** Adds statements to the function's own role. */
  allow(...statements: readonly iam.PolicyStatement[]): void {
    for (const statement of statements) this.role.addToPrincipalPolicy(statement);
  }
}

function ownFile(path: string): string {
  return fileURLToPath(new URL(`../${path}${EXTENSION}`, import.meta.url));
}

/** For bundles of ES modules, in which packages of the older kind still call `require`. */
const BANNER = "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);";

/** Packages that deployed functions load and never run. */
const LEFT_OUT = ['fast-uri', '@smithy/core/event-streams', '@aws-sdk/middleware-endpoint-discovery'];

function bundlingOf(job: AgentFunctionProps['job'], agentFile: string | undefined): BundlingOptions {
  return {
    format: OutputFormat.ESM,
    // The other order takes the CommonJS form of the SDK, which is a third larger.
    mainFields: ['module', 'main'],
    minify: true,
    sourceMap: true,
    sourcesContent: false,
    // The SDK of the runtime changes without a deployment; the one that was tested is bundled.
    bundleAwsSDK: true,
    banner: BANNER,
    logLevel: LogLevel.WARNING,
    // All of them load the agent, one runs its turns: the others leave out what turns are made of (agent/define-agent.ts).
    ...(job === 'run-turn' ? {} : { define: { ASKBACK_RUNS_NO_TURNS: 'true' } }),
    esbuildArgs: {
      ...(agentFile === undefined ? {} : { '--alias:#agent': agentFile }),
      '--alias:@aws-sdk/credential-provider-node': ownFile('aws/lambda-credentials'),
      ...Object.fromEntries(LEFT_OUT.map((name) => [`--alias:${name}`, ownFile('aws/lambda-left-out')])),
      // Agents of this repository import `askback/agent` from its source, as `npm start` does.
      ...(EXTENSION === '.ts' ? { '--conditions': 'askback-source,module' } : {}),
    },
  };
}
