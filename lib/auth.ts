/**
 * Who may call an agent. The gateway asks and functions/owner.ts reads its answer; the agent card is public in every
 * case.
 *
 * - `iam` (default): callers sign their requests with AWS credentials and need `execute-api:Invoke`.
 * - `{ issuer, audience }`: callers show a JWT of that OpenID Connect issuer as bearer token.
 * - an authorizer of API Gateway: a Cognito user pool, or a function of yours whose context has `iss` and `sub` (and
 *   `tenant`), or `principal`.
 */
import { AuthorizationType, type IAuthorizer, type MethodOptions } from 'aws-cdk-lib/aws-apigateway';
import { isIssuer } from '../core/issuer.ts';

export interface JwtIssuer {
  /** Its https URL as in the `iss` of its tokens, character by character; `/.well-known/openid-configuration` below it. */
  readonly issuer: string;
  /** What the issuer calls this agent in the `aud` of tokens for it; of several, one must be there. */
  readonly audience: string | readonly string[];
  /** The claim that names the caller's tenant; then tokens without it are refused. Default: there are no tenants. */
  readonly tenantClaim?: string;
}

export type AgentAuth = 'iam' | JwtIssuer | IAuthorizer;

export function isJwtIssuer(auth: AgentAuth): auth is JwtIssuer {
  return typeof auth === 'object' && 'issuer' in auth;
}

export function authOptions(auth: 'iam' | IAuthorizer): MethodOptions {
  return auth === 'iam' ? { authorizationType: AuthorizationType.IAM } : { authorizer: auth };
}

/**
 * What functions/auth-settings.ts reads, in the api function and in the authorizer's.
 * @throws Error that names what cannot be
 */
export function authEnvironment(auth: AgentAuth = 'iam'): Record<string, string> {
  if (auth === 'iam') return { ASKBACK_AUTH: 'iam' };
  if (!isJwtIssuer(auth)) return {};
  const { issuer, audience, tenantClaim } = auth;
  const audiences = [audience].flat();
  if (!isIssuer(issuer)) throw new Error(`auth.issuer must be an https URL without query, not ${issuer}`);
  // They are told to the functions in one variable, with blanks between them.
  if (audiences.length === 0 || audiences.some((one) => !/^\S+$/.test(one))) {
    throw new Error('auth.audience must be one or more names without blanks');
  }
  if (tenantClaim !== undefined && !/^[\x21-\x7e]{1,128}$/.test(tenantClaim)) {
    throw new Error(`auth.tenantClaim must be the name of a claim, not ${tenantClaim}`);
  }
  return {
    ASKBACK_AUTH_ISSUER: issuer,
    ASKBACK_AUTH_AUDIENCE: audiences.join(' '),
    ...(tenantClaim === undefined ? {} : { ASKBACK_AUTH_TENANT_CLAIM: tenantClaim }),
  };
}
