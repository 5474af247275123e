/**
 * Who may call, as the deployment says it (lib/auth.ts). wiring.ts passes the environment in; nothing is read here that
 * was not passed.
 */
import { isIssuer } from '../core/issuer.ts';

export interface JwtAuth {
  /** As in the `iss` of its tokens, character by character. */
  readonly issuer: string;
  /** One of these must be in the `aud` of a token. */
  readonly audience: readonly string[];
  /** The claim that names the caller's tenant; then every token must have it. Absent: there are no tenants. */
  readonly tenantClaim: string | undefined;
}

export type AuthSettings = 'iam' | JwtAuth;

/** For clocks that differ: a token is taken for so long before its beginning and after its end. */
export const SKEW_SECONDS = 30;

type Environment = Readonly<Record<string, string | undefined>>;

const TENANT_CLAIM = /^[\x21-\x7e]{1,128}$/;

/**
 * Undefined: an authorizer that we know nothing of, or the local runtime.
 * @param problems takes one line for each setting that is missing or wrong, without its value
 */
export function readAuth(env: Environment, problems: string[]): AuthSettings | undefined {
  const value = (name: string) => env[name]?.trim() || undefined;
  const mode = value('ASKBACK_AUTH');
  const issuer = value('ASKBACK_AUTH_ISSUER');
  const audience = value('ASKBACK_AUTH_AUDIENCE')?.split(/\s+/);
  const tenantClaim = value('ASKBACK_AUTH_TENANT_CLAIM');

  if (mode !== undefined && mode !== 'iam') problems.push('ASKBACK_AUTH is not iam');
  if (issuer !== undefined && !isIssuer(issuer)) problems.push('ASKBACK_AUTH_ISSUER is not the https URL of an issuer');
  if (tenantClaim !== undefined && !TENANT_CLAIM.test(tenantClaim)) {
    problems.push('ASKBACK_AUTH_TENANT_CLAIM is not the name of a claim');
  }
  if (mode !== undefined && issuer !== undefined) {
    problems.push('ASKBACK_AUTH_ISSUER and ASKBACK_AUTH exclude each other');
  }
  // A token for somebody else's service must never open this one.
  if (issuer !== undefined && audience === undefined) {
    problems.push('ASKBACK_AUTH_AUDIENCE is missing: what the issuer calls this agent in the tokens for it');
  }
  if (issuer === undefined && (audience !== undefined || tenantClaim !== undefined)) {
    problems.push('ASKBACK_AUTH_ISSUER is missing: the https URL of the issuer of tokens');
  }
  if (issuer !== undefined) return { issuer, audience: audience ?? [], tenantClaim };
  return mode === 'iam' ? 'iam' : undefined;
}
