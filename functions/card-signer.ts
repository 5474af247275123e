/**
 * Signs agent cards with a private JSON Web Key from the configuration (A2A 1.0 section 8.4.2; RFC 7515, 7517, 7518). Callers
 * find the public half by `kid`, in a store of their own or at the address named as `jku`.
 */
import { createPrivateKey, type JsonWebKey, type KeyObject, sign } from 'node:crypto';
import type { CardSigner } from '../core/wire/card-signature.ts';
import { readOnce } from './read-once.ts';

interface Algorithm {
  readonly name: 'ES256' | 'ES384' | 'EdDSA' | 'RS256';
  /** Null: the algorithm says it itself. */
  readonly hash: 'sha256' | 'sha384' | null;
}

/**
 * @param jwk the private key as JSON, with a `kid`; P-256, P-384, Ed25519 or RSA
 * @param keysUrl where the public key can be read
 * @throws Error that says what is wrong with the key, without any of it
 */
export function createCardSigner(jwk: string, keysUrl?: string): CardSigner {
  const { key, kid, algorithm } = readKey(jwk);
  const header = { alg: algorithm.name, typ: 'JOSE', kid, ...(keysUrl === undefined ? {} : { jku: keysUrl }) };
  const protectedHeader = base64url(JSON.stringify(header));
  return {
    async sign(payload) {
      const input = Buffer.from(`${protectedHeader}.${base64url(payload)}`);
      // JWS wants both numbers of an elliptic signature as they are, not in DER.
      const signature = sign(algorithm.hash, input, { key, dsaEncoding: 'ieee-p1363' });
      return { protected: protectedHeader, signature: signature.toString('base64url') };
    },
  };
}

/**
 * Signs with a key that is read at the first card that is asked for, and then kept. While it cannot be read, cards are
 * refused: an unsigned one would look as if it had been stripped of its signature.
 */
export function lateCardSigner(readJwk: () => Promise<string>, keysUrl?: string): CardSigner {
  const signer = readOnce(async () => createCardSigner(await readJwk(), keysUrl));
  return { sign: async (payload) => (await signer()).sign(payload) };
}

function readKey(text: string): { key: KeyObject; kid: string; algorithm: Algorithm } {
  let jwk: JsonWebKey & { readonly kid?: unknown };
  let key: KeyObject;
  try {
    jwk = JSON.parse(text);
    key = createPrivateKey({ key: jwk, format: 'jwk' });
  } catch {
    throw new Error('the key of the agent card is not a private JSON Web Key');
  }
  const { kid } = jwk;
  if (typeof kid !== 'string' || kid === '') throw new Error('the key of the agent card has no kid');
  const algorithm = algorithmOf(key);
  if (algorithm === undefined) throw new Error('the key of the agent card is not P-256, P-384, Ed25519 or RSA');
  return { key, kid, algorithm };
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): Algorithm | undefined {
  if (asymmetricKeyType === 'ed25519') return { name: 'EdDSA', hash: null };
  if (asymmetricKeyType === 'rsa') return { name: 'RS256', hash: 'sha256' };
  if (asymmetricKeyType !== 'ec') return undefined;
  if (asymmetricKeyDetails?.namedCurve === 'prime256v1') return { name: 'ES256', hash: 'sha256' };
  if (asymmetricKeyDetails?.namedCurve === 'secp384r1') return { name: 'ES384', hash: 'sha384' };
  return undefined;
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
