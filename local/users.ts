/**
 * Who calls the local runtime. It listens on loopback only and is open: a request without credentials comes from the
 * local user. Bearer tokens name test users, so that what belongs to whom can be tried out. Deployed, a verified JWT
 * or an IAM signature stands here instead.
 */
import type { Owner } from '../core/ids.ts';

/** By bearer token. */
export type Users = Readonly<Record<string, Owner>>;

export const localUser: Owner = { tenant: 'local', principal: 'local-user' };

export const testUsers: Users = {
  'alice-token': { tenant: 'local', principal: 'alice' },
  'bob-token': { tenant: 'local', principal: 'bob' },
  'carol-token': { tenant: 'local', principal: 'carol' },
  /** Somebody else of the same name, in another tenant. */
  'other-alice-token': { tenant: 'other', principal: 'alice' },
};

/** Undefined: the credentials are not known, which is refused, never taken for the local user. */
export function userOf(authorization: string | undefined, users: Users): Owner | undefined {
  if (authorization === undefined) return localUser;
  const [, token = ''] = /^Bearer +(\S+)$/i.exec(authorization.trim()) ?? [];
  return Object.hasOwn(users, token) ? users[token] : undefined;
}
