/** An OpenID Connect issuer in memory: it makes keys and tokens, and counts who asks for its keys. */
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWK, SignJWT } from 'jose';
import type { JsonObject } from '../../core/json.ts';

export const ISSUER = 'https://login.example.com';
export const NOW_MS = 1_796_032_800_000;
export const NOW_SECONDS = 1_796_032_800;

export interface IssuerKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

export async function makeKey(kid: string, alg = 'ES256'): Promise<IssuerKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, publicKey };
}

export function spki({ publicKey }: IssuerKey): Promise<string> {
  return exportSPKI(publicKey);
}

export class TokenIssuer {
  /** Every address that was asked. */
  readonly asked: string[] = [];
  keys: readonly IssuerKey[];
  metadata: JsonObject = { issuer: ISSUER, jwks_uri: 'https://keys.example.com/jwks' };
  /** It does not answer. */
  down = false;

  constructor(...keys: IssuerKey[]) {
    this.keys = keys;
  }

  readonly fetchJson = async (url: string): Promise<JsonObject> => {
    this.asked.push(url);
    if (this.down) throw new Error('connect ECONNREFUSED');
    if (url === 'https://login.example.com/.well-known/openid-configuration') return this.metadata;
    if (url !== 'https://keys.example.com/jwks') throw new Error(`nobody lives at ${url}`);
    const keys = await Promise.all(
      this.keys.map(async (key) => ({ ...(await exportJWK(key.publicKey)), ...own(key) })),
    );
    return { keys: keys as JWK[] as JsonObject[] };
  };

  /** How often the keys were fetched. */
  get fetches(): number {
    return this.asked.filter((url) => url === 'https://keys.example.com/jwks').length;
  }
}

function own({ kid, alg }: IssuerKey) {
  return { kid, alg, use: 'sig' };
}

/** A token of the issuer for the agent `expenses` and the caller `user-1`, good for an hour. */
export const CLAIMS = {
  iss: ISSUER,
  aud: 'expenses',
  sub: 'user-1',
  iat: NOW_SECONDS,
  exp: NOW_SECONDS + 3_600,
} as const;

export async function bearer(
  { kid, alg, privateKey }: IssuerKey,
  claims: Record<string, unknown> = CLAIMS,
  header: Record<string, unknown> = {},
): Promise<string> {
  const token = await new SignJWT(claims).setProtectedHeader({ alg, kid, ...header }).sign(privateKey);
  return `Bearer ${token}`;
}
