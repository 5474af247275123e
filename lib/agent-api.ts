/**
 * The agent's address: a regional REST API with one function behind it. Only the agent card and callback
 * addresses are public; everything else is refused by the gateway before the function runs, unless the caller is known.
 */
import { Duration, Fn, Names, type RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import * as apigateway from 'aws-cdk-lib/aws-apigateway';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { CALLBACKS_PATH } from '../core/callbacks.ts';
import { AGENT_CARD_PATH } from '../core/wire/card.ts';
import { INBOX_PATH } from '../core/wire/inbox-path.ts';
import { type AgentAuth, authOptions, isJwtIssuer, type JwtIssuer } from './auth.ts';
import { JwtAuthorizer } from './jwt-authorizer.ts';

export interface AgentApiProps {
  readonly agent: string;
  readonly function: IFunction;
  readonly auth: AgentAuth;
  /** Whether the authorizer of JWTs has concurrency of its own; see `AgentLimits.concurrency`. */
  readonly reserveConcurrency: boolean;
  /** See `AskbackAgentProps.streaming`. */
  readonly streaming: boolean;
  /** See `AskbackAgentProps.inbox`. */
  readonly inbox: boolean;
  readonly throttle: { readonly requestsPerSecond: number; readonly burst: number };
  /** See `AskbackAgentProps.accountLogRole`. */
  readonly accountLogRole: boolean;
  readonly logRetention: RetentionDays;
  readonly removalPolicy: RemovalPolicy;
}

export interface InvokeOptions {
  /** `JSONRPC` is one method of one address, at which the whole agent is to be had. Default: HTTP+JSON as well. */
  readonly binding?: 'JSONRPC';
}

const STAGE = 'a2a';
/** The gateway's own limits, for one response and for one stream. */
const BUFFERED_TIMEOUT = Duration.seconds(29);
const STREAM_TIMEOUT = Duration.minutes(15);

export class AgentApi extends Construct {
  readonly api: apigateway.RestApi;
  readonly accessLogs: LogGroup;
  /** Without a slash at its end: JSON-RPC answers at it, HTTP+JSON below it. */
  readonly baseUrl: string;
  readonly cardUrl: string;
  readonly #auth: AgentAuth;

  constructor(scope: Construct, id: string, props: AgentApiProps) {
    super(scope, id);
    this.#auth = props.auth;
    const { agent, auth, streaming, throttle, logRetention, removalPolicy } = props;
    this.accessLogs = new LogGroup(this, 'AccessLogs', { retention: logRetention, removalPolicy });
    this.api = new apigateway.RestApi(this, 'Api', {
      // Its metrics go by this name, so two agents must never share it.
      restApiName: Names.uniqueResourceName(this, { maxLength: 128, separator: '-' }),
      description: `${agent} (A2A)`,
      endpointTypes: [apigateway.EndpointType.REGIONAL],
      cloudWatchRole: props.accountLogRole,
      defaultIntegration: integrationOf(props.function, streaming),
      defaultMethodOptions: authOptions(isJwtIssuer(auth) ? this.#jwtAuthorizer(auth, props) : auth),
      deployOptions: {
        stageName: STAGE,
        tracingEnabled: true,
        throttlingRateLimit: throttle.requestsPerSecond,
        throttlingBurstLimit: throttle.burst,
        accessLogDestination: new apigateway.LogGroupLogDestination(this.accessLogs),
        accessLogFormat: ACCESS_LOG,
      },
    });
    // An output under a name of the CDK's; those of agent-stack.ts say the same.
    this.api.node.tryRemoveChild('Endpoint');
    this.#routes();
    if (props.inbox) this.#inbox(auth);
    this.#refusals();
    if (isJwtIssuer(auth)) this.#bearerRefusals();
    this.#acknowledge();
    const { region, urlSuffix } = Stack.of(this);
    this.baseUrl = Fn.join('', ['https://', this.api.restApiId, '.execute-api.', region, '.', urlSuffix, `/${STAGE}`]);
    this.cardUrl = `${this.baseUrl}${AGENT_CARD_PATH}`;
  }

  /** See `AskbackAgent.grantInvoke`. */
  grantInvoke(grantee: IGrantable, { binding }: InvokeOptions = {}): Grant {
    if (this.#auth !== 'iam')
      throw new Error("grantInvoke: callers of this agent are known by tokens, not by auth 'iam'");
    const [method, path] = binding === 'JSONRPC' ? ['POST', '/'] : ['*', '/*'];
    const address = this.api.arnForExecuteApi(method, path, this.api.deploymentStage.stageName);
    const grant = Grant.addToPrincipal({ grantee, actions: ['execute-api:Invoke'], resourceArns: [address] });
    // Otherwise a principal that takes no policies would get nothing, and nobody would be told.
    grant.assertSuccess();
    return grant;
  }

  #jwtAuthorizer(issuer: JwtIssuer, { agent, reserveConcurrency, logRetention, removalPolicy }: AgentApiProps) {
    return new JwtAuthorizer(this, 'Jwt', { agent, issuer, reserveConcurrency, logRetention, removalPolicy })
      .authorizer;
  }

  #routes(): void {
    this.api.root.addMethod('ANY');
    this.api.root.addResource('{proxy+}').addMethod('ANY');
    const card = this.api.root.resourceForPath(AGENT_CARD_PATH).addMethod('GET', undefined, {
      authorizationType: apigateway.AuthorizationType.NONE,
    });
    // All methods, so that the function refuses those that are no callback in its own words.
    const callback = this.api.root.resourceForPath(`${CALLBACKS_PATH}{proxy+}`).addMethod('ANY', undefined, {
      authorizationType: apigateway.AuthorizationType.NONE,
    });
    Validations.of(callback).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason: 'Who calls back has no credentials here: a code in the address vouches for it (core/callbacks.ts).',
    });
    Validations.of(card).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason: 'The agent card tells callers how to authenticate; A2A wants it public (section 8).',
    });
  }

  /** The page only; what it asks for goes the way of every call. */
  #inbox(auth: AgentAuth): void {
    if (auth === 'iam') throw new Error("inbox: a browser cannot sign for auth 'iam'; give an issuer or an authorizer");
    const page = this.api.root.resourceForPath(INBOX_PATH).addMethod('GET', undefined, {
      authorizationType: apigateway.AuthorizationType.NONE,
    });
    Validations.of(page).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason:
        'The page is the same for everybody and holds nothing; the calls it makes are authorized like all others.',
    });
  }

  /** What the gateway refuses looks like what the agent refuses on HTTP+JSON, and says when to come again. */
  #refusals(): void {
    this.api.addGatewayResponse('Throttled', {
      type: apigateway.ResponseType.THROTTLED,
      statusCode: '429',
      responseHeaders: { 'Retry-After': "'1'" },
      templates: {
        'application/json': '{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"Too many requests"}}',
      },
    });
    // A function that Lambda does not run, because all that may run at once do, would be a 500 that nobody tries again.
    this.api.addGatewayResponse('IntegrationFailure', {
      type: apigateway.ResponseType.INTEGRATION_FAILURE,
      statusCode: '503',
      responseHeaders: { 'Retry-After': "'1'" },
      templates: {
        'application/json':
          '{"error":{"code":503,"status":"UNAVAILABLE","message":"The agent cannot answer just now"}}',
      },
    });
  }

  /** RFC 6750 section 3. A token that cannot be checked is not a bad token: its caller is told to come again. */
  #bearerRefusals(): void {
    this.api.addGatewayResponse('Unauthorized', {
      type: apigateway.ResponseType.UNAUTHORIZED,
      statusCode: '401',
      responseHeaders: { 'WWW-Authenticate': "'Bearer'" },
      templates: {
        'application/json':
          '{"error":{"code":401,"status":"UNAUTHENTICATED","message":"The caller is not authenticated"}}',
      },
    });
    const { AUTHORIZER_FAILURE, AUTHORIZER_CONFIGURATION_ERROR } = apigateway.ResponseType;
    // An authorizer that throws, and one that is throttled or out of time.
    for (const [id, type] of Object.entries({ AUTHORIZER_FAILURE, AUTHORIZER_CONFIGURATION_ERROR })) {
      this.api.addGatewayResponse(id, {
        type,
        statusCode: '503',
        responseHeaders: { 'Retry-After': "'5'" },
        templates: {
          'application/json': '{"error":{"code":503,"status":"UNAVAILABLE","message":"Callers cannot be checked now"}}',
        },
      });
    }
  }

  #acknowledge(): void {
    Validations.of(this).acknowledge(
      {
        id: 'AwsSolutions-APIG2',
        reason: 'The function checks every request strictly and answers with the errors that A2A wants (core/wire).',
      },
      {
        id: 'AwsSolutions-APIG3',
        reason:
          'A web ACL is a choice of the account: callers are authenticated, bodies are bounded, rates are limited.',
      },
      {
        id: 'AwsSolutions-APIG6',
        reason: 'Access logs name every request; execution logs would repeat the function’s and keep them for ever.',
      },
      {
        id: 'AwsSolutions-COG4',
        reason: 'Callers are other services and sign with IAM by default; a Cognito authorizer can be given instead.',
      },
      {
        id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
        reason: 'The role with which API Gateway writes access logs, as AWS documents it; one per account and Region.',
      },
    );
  }
}

/** No path and no query: the path holds task ids, the query may hold anything. */
const ACCESS_LOG = apigateway.AccessLogFormat.custom(
  JSON.stringify({
    requestId: '$context.requestId',
    time: '$context.requestTimeEpoch',
    caller: '$context.identity.caller',
    ip: '$context.identity.sourceIp',
    method: '$context.httpMethod',
    resource: '$context.resourcePath',
    status: '$context.status',
    bytes: '$context.responseLength',
    latencyMs: '$context.responseLatency',
    functionLatencyMs: '$context.integrationLatency',
    error: '$context.error.message',
    functionError: '$context.integrationErrorMessage',
  }),
);

function integrationOf(handler: IFunction, streaming: boolean): apigateway.LambdaIntegration {
  return new apigateway.LambdaIntegration(handler, {
    allowTestInvoke: false,
    timeout: streaming ? STREAM_TIMEOUT : BUFFERED_TIMEOUT,
    responseTransferMode: streaming ? apigateway.ResponseTransferMode.STREAM : apigateway.ResponseTransferMode.BUFFERED,
  });
}
