/**
 * From a bearer token to its owner, or to the reason why there is none. Reasons name claims and never what is in them:
 * they are logged.
 */
import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { Owner } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { type JwtAuth, SKEW_SECONDS } from './auth-settings.ts';
import { KeysUnavailable } from './issuer-keys.ts';

export interface VerifiedToken {
  readonly owner: Owner;
  readonly expiresAtSeconds: number;
}

export type TokenCheck = VerifiedToken | { readonly refused: string };

/** Signatures with a private key only: with HMAC the public key would do as the secret (RFC 8725 section 2.1). */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** The gateway takes headers of 10,240 bytes. */
const TOKEN_CHARACTERS = 9_000;
const BEARER = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i;
/** OpenID Connect Core section 2. */
const SUBJECT_CHARACTERS = 255;

/**
 * @param authorization the header as it came
 * @throws KeysUnavailable, when no token can be checked at the moment
 */
export async function verifyToken(
  authorization: string,
  auth: JwtAuth,
  keys: JWTVerifyGetKey,
  nowMs: number,
): Promise<TokenCheck> {
  if (authorization.length > TOKEN_CHARACTERS) return { refused: 'too long' };
  const [, token] = BEARER.exec(authorization.trim()) ?? [];
  if (token === undefined) return { refused: 'not a bearer token of three parts' };
  try {
    const { payload } = await jwtVerify(token, keys, {
      algorithms: ALGORITHMS,
      issuer: auth.issuer,
      audience: [...auth.audience],
      requiredClaims: ['sub', 'exp'],
      clockTolerance: SKEW_SECONDS,
      currentDate: new Date(nowMs),
    });
    return ownerOfClaims(payload, auth);
  } catch (error) {
    if (error instanceof KeysUnavailable) throw error;
    return { refused: reasonOf(error) };
  }
}

function ownerOfClaims(claims: JWTPayload, { issuer, tenantClaim }: JwtAuth): TokenCheck {
  // Bound to a key or certificate of the caller's (RFC 7800; DPoP, RFC 9449; RFC 8705), which a bearer does not prove: who
  // took such a token as it is would make a stolen one good again.
  if (claims.cnf !== undefined) return { refused: 'cnf: bound to a key, and taken as a bearer token only' };
  const { sub: subject, exp: expiresAtSeconds } = claims;
  if (!isName(subject, SUBJECT_CHARACTERS) || expiresAtSeconds === undefined) return { refused: 'sub' };
  const tenant = tenantClaim === undefined ? '' : tenantOf(claims, tenantClaim);
  if (tenant === undefined) return { refused: 'the tenant claim' };
  // Subjects are unique only within their issuer, whose URL has no `#`.
  return { owner: { tenant, principal: `${issuer}#${subject}` }, expiresAtSeconds };
}

/** Undefined: a token without the tenant that the deployment asks for, which is refused and not put with others. */
function tenantOf(claims: JWTPayload, name: string): string | undefined {
  const tenant = claims[name];
  return isName(tenant, limits.idLength) ? tenant : undefined;
}

/** Half a surrogate would reach the api function as another character, and two names as one. */
function isName(value: unknown, characters: number): value is string {
  return (
    typeof value === 'string' && value !== '' && value.length <= characters && !/[\p{Cc}\p{Surrogate}]/u.test(value)
  );
}

/** Messages of jose may quote the token; its codes and the names of claims do not. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired) {
    return `${error.claim}: ${error.reason}`;
  }
  return error instanceof errors.JOSEError ? error.code : 'not a token';
}
