/**
 * Lets callers in by the JWT of one OpenID Connect issuer: an authorizer of the REST API and its function, which may do
 * nothing but log and fetch the issuer's public keys. What is checked stands in functions/verify-token.ts.
 */
import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import { TokenAuthorizer } from 'aws-cdk-lib/aws-apigateway';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { AgentFunction } from './agent-function.ts';
import { authEnvironment, type JwtIssuer } from './auth.ts';

export interface JwtAuthorizerProps {
  readonly agent: string;
  readonly issuer: JwtIssuer;
  /** See `AgentLimits.concurrency`. */
  readonly reserveConcurrency: boolean;
  readonly logRetention: RetentionDays;
  readonly removalPolicy: RemovalPolicy;
}

/**
 * How long the gateway keeps an answer for a token, for all methods. A token that ends meanwhile is refused by the api
 * function; one that its issuer takes back is good for so long.
 */
export const RESULT_TTL = Duration.minutes(5);
/** A check takes milliseconds, two fetches now and then; whoever sends heaps of tokens takes no more than this. */
const AT_ONCE = 10;
/** What does not look like this is refused by the gateway, which invokes nothing. */
const BEARER = '^[Bb][Ee][Aa][Rr][Ee][Rr] +[-\\w]+\\.[-\\w]+\\.[-\\w]+$';

export class JwtAuthorizer extends Construct {
  readonly function: AgentFunction;
  readonly authorizer: TokenAuthorizer;

  constructor(scope: Construct, id: string, props: JwtAuthorizerProps) {
    super(scope, id);
    const { agent, issuer, logRetention, removalPolicy } = props;
    this.function = new AgentFunction(this, 'Authorize', {
      job: 'authorize',
      agent,
      timeout: Duration.seconds(10),
      memoryMb: 512,
      environment: authEnvironment(issuer),
      reservedConcurrency: props.reserveConcurrency ? AT_ONCE : undefined,
      logRetention,
      removalPolicy,
    });
    this.authorizer = new TokenAuthorizer(this, 'Authorizer', {
      handler: this.function.function,
      validationRegex: BEARER,
      resultsCacheTtl: RESULT_TTL,
    });
  }
}
