/**
 * The authorize function: an authorizer of the REST API that knows callers by the JWT of one OpenID Connect issuer. It
 * says who calls, for owner.ts to read; what they may do to which task is decided where tasks are.
 */
import type { APIGatewayAuthorizerResult, APIGatewayTokenAuthorizerEvent } from 'aws-lambda';
import type { JWTVerifyGetKey } from 'jose';
import type { Clock, Log } from '../core/ports.ts';
import type { JwtAuth } from './auth-settings.ts';
import type { Handler } from './middleware.ts';
import { type VerifiedToken, verifyToken } from './verify-token.ts';

export interface AuthorizeDeps {
  readonly auth: JwtAuth;
  readonly keys: JWTVerifyGetKey;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

/** The one message that the gateway turns into 401; anything else becomes a 503 (lib/agent-api.ts). */
const UNAUTHORIZED = 'Unauthorized';
const STAGE_ARN = /^(arn:[\w-]+:execute-api:[\w-]+:\d{12}:\w+\/[^/*?]+)\//;

export function authorizeHandler({
  auth,
  keys,
  clock,
  log,
}: AuthorizeDeps): Handler<APIGatewayTokenAuthorizerEvent, APIGatewayAuthorizerResult> {
  return async ({ authorizationToken, methodArn }, { awsRequestId: requestId }) => {
    const check = await verifyToken(authorizationToken ?? '', auth, keys, clock.now()).catch((error: unknown) => {
      log.error('no caller can be authenticated: the issuer’s keys are not to be had', { requestId, error });
      throw new Error('the issuer’s keys are not to be had');
    });
    if ('refused' in check) {
      log.info('a caller was not let in', { requestId, reason: check.refused });
      throw new Error(UNAUTHORIZED);
    }
    return allowAll(methodArn, check);
  };
}

/**
 * The whole stage, not the method that was called: the gateway keeps the answer by token and uses it for every method.
 * The token's end goes along because an answer that was kept can outlive it.
 */
function allowAll(methodArn: string, { owner, expiresAtSeconds }: VerifiedToken): APIGatewayAuthorizerResult {
  const [, stage] = STAGE_ARN.exec(methodArn) ?? [];
  if (stage === undefined) throw new Error('the event names no method of a stage');
  const { tenant, principal } = owner;
  return {
    principalId: principal,
    policyDocument: {
      Version: '2012-10-17',
      Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: `${stage}/*` }],
    },
    context: { principal, ...(tenant === '' ? {} : { tenant }), expiresAtSeconds },
  };
}
