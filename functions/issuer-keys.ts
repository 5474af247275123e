/**
 * The public keys of an OpenID Connect issuer: found by discovery, kept in the container, fetched again when they are
 * old or a token names one that is not there. However many tokens come, the issuer is asked at most once in a cooldown.
 */
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { discoveryUrl } from '../core/issuer.ts';
import type { JsonObject } from '../core/json.ts';

/** Fetches a JSON object; throws when there is none. The address is https. */
export type FetchJson = (url: string) => Promise<JsonObject>;

/** The keys could not be had, so nothing can be said about any token: the issuer's fault or the network's. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}

export interface IssuerKeysOptions {
  readonly issuer: string;
  readonly fetchJson: FetchJson;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Keys older than this are fetched again before they are used; so long may a key live that its issuer withdrew. */
const FRESH_MS = 10 * 60_000;
/** An issuer that does not answer is borne with for this long; then its last keys count no more. */
const STALE_MS = 60 * 60_000;
/** A key that is not there is looked for once in this time, whoever makes kids up. */
const COOLDOWN_MS = 30_000;
/** After an attempt that failed, until the next. */
const FAILED_COOLDOWN_MS = 5_000;

interface Kept {
  readonly find: JWTVerifyGetKey;
  readonly fetchedAtMs: number;
}

/** @throws KeysUnavailable, or an error of jose when the issuer has no such key */
export function issuerKeys({ issuer, fetchJson, now }: IssuerKeysOptions): JWTVerifyGetKey {
  let kept: Kept | undefined;
  let pending: Promise<void> | undefined;
  let nextAttemptMs = 0;

  const load = async () => {
    const metadata = await fetchJson(discoveryUrl(issuer));
    // Discovery 1.0 section 4.3: who answers for another issuer is not believed.
    if (metadata.issuer !== issuer) throw new Error('the metadata is of another issuer');
    const { jwks_uri: keysUrl } = metadata;
    if (typeof keysUrl !== 'string' || !/^https:\/\//i.test(keysUrl))
      throw new Error('the metadata names no https keys');
    const keys = await fetchJson(keysUrl);
    kept = { find: createLocalJWKSet(keys as unknown as JSONWebKeySet), fetchedAtMs: now() };
    nextAttemptMs = now() + COOLDOWN_MS;
  };
  /** Those who come meanwhile wait for the same answer. */
  const refresh = async () => {
    if (pending === undefined) {
      if (now() < nextAttemptMs) return;
      pending = load()
        .catch((error: unknown) => {
          nextAttemptMs = now() + FAILED_COOLDOWN_MS;
          throw error;
        })
        .finally(() => {
          pending = undefined;
        });
    }
    await pending;
  };
  const current = async (): Promise<Kept> => {
    const age = () => (kept === undefined ? Number.POSITIVE_INFINITY : now() - kept.fetchedAtMs);
    let cause: unknown;
    if (age() >= FRESH_MS) {
      await refresh().catch((error: unknown) => {
        cause = error;
      });
    }
    if (kept === undefined || age() >= STALE_MS) throw new KeysUnavailable('the keys are not to be had', { cause });
    return kept;
  };

  return async (header, token) => {
    const { find } = await current();
    try {
      return await find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await refresh().catch(() => {
        // The keys that are here have been asked; the token names none of them.
      });
      return (await current()).find(header, token);
    }
  };
}
