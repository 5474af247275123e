/**
 * Who is calling, from what the gateway has verified and from nothing else (design section 10). Undefined when nobody
 * vouches for the caller.
 */
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Owner } from '../core/ids.ts';
import { SKEW_SECONDS } from './auth-settings.ts';

/** Who vouches for callers of a deployment: signatures checked by IAM, or an authorizer. */
export type Voucher = 'iam' | 'authorizer';

type Fields = Readonly<Record<string, unknown>>;

/** @param voucher nobody else is listened to; absent: an authorizer where there is one, otherwise IAM */
export function ownerOf({ requestContext }: APIGatewayProxyEvent, voucher?: Voucher): Owner | undefined {
  // Types promise an authorizer; events of routes without one have none.
  const authorizer: unknown = requestContext.authorizer;
  if (voucher !== 'iam' && isFields(authorizer)) {
    if (hasEnded(authorizer.expiresAtSeconds, requestContext.requestTimeEpoch)) return undefined;
    const claims = isFields(authorizer.claims) ? authorizer.claims : authorizer;
    return jwtOwner(claims) ?? namedOwner(authorizer);
  }
  return voucher === 'authorizer' ? undefined : iamOwner(requestContext.identity);
}

/** The gateway keeps what an authorizer said for some minutes, in which a token can end. It passes numbers as text. */
function hasEnded(expiresAtSeconds: unknown, requestTimeMs: number): boolean {
  return expiresAtSeconds !== undefined && !(requestTimeMs < (Number(expiresAtSeconds) + SKEW_SECONDS) * 1_000);
}

/** Issuer and subject name the principal: subjects are unique only within their issuer, which has no `#` in its URL. */
function jwtOwner(claims: Fields): Owner | undefined {
  const issuer = text(claims.iss);
  const subject = text(claims.sub);
  if (issuer === undefined || subject === undefined) return undefined;
  return { tenant: text(claims.tenant) ?? text(claims['custom:tenant']) ?? '', principal: `${issuer}#${subject}` };
}

/** From authorize.ts, which has joined issuer and subject already, or a named test user of the local runtime. */
function namedOwner({ tenant, principal }: Fields): Owner | undefined {
  const name = text(principal);
  return name === undefined ? undefined : { tenant: text(tenant) ?? '', principal: name };
}

/**
 * Account and unique id of the role or user. `caller` is `AROA...:session` for an assumed role: the session name is the
 * caller's choice and goes. Users of a Cognito identity pool share their role, so their own id is part of the name.
 * Federated users have no id but `<account>:<name>`; without the name all would be one, and the account's root, whose id is
 * the account.
 */
function iamOwner(identity: APIGatewayProxyEvent['requestContext']['identity'] | undefined): Owner | undefined {
  const account = text(identity?.accountId);
  const [uniqueId, name] = text(identity?.caller)?.split(/:(.*)/s) ?? [];
  if (account === undefined || !uniqueId) return undefined;
  if (uniqueId === account && name !== undefined) {
    return name === '' ? undefined : { tenant: account, principal: `${account}:${name}` };
  }
  const pooled = text(identity?.cognitoIdentityId);
  return { tenant: account, principal: pooled === undefined ? uniqueId : `${uniqueId}/${pooled}` };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
