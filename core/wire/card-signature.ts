/** The signature of an agent card: a detached JWS over the card's canonical form (A2A 1.0 section 8.4). */
import { isJsonObject, type Json } from '../json.ts';

export interface CardSignature {
  /** The protected header (alg, typ, kid, jku), base64url. */
  readonly protected: string;
  /** Base64url. */
  readonly signature: string;
}

/** Holds the private key; functions/card-signer.ts makes one from the configuration. */
export interface CardSigner {
  /** @param payload what is signed, in UTF-8 */
  sign(payload: string): Promise<CardSignature>;
}

export async function signatureOf(card: object, signer: CardSigner): Promise<CardSignature> {
  return signer.sign(canonicalCard(card));
}

/**
 * RFC 8785, without `signatures` and without what ProtoJSON leaves out. Section 8.4.1 would keep empty required fields;
 * the official SDKs, who are the ones that verify, drop every empty text, list and object, and so do we.
 */
export function canonicalCard(card: object): string {
  const { signatures: _signatures, ...content } = card as { readonly [key: string]: Json };
  return jcs(withoutEmpty(content) ?? {});
}

function withoutEmpty(value: Json | undefined): Json | undefined {
  if (value === '' || value === null || value === undefined) return undefined;
  if (Array.isArray(value)) {
    const kept = value.map((item: Json) => withoutEmpty(item)).filter((item) => item !== undefined);
    return kept.length === 0 ? undefined : kept;
  }
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).flatMap(([key, inner]) => {
    const clean = withoutEmpty(inner);
    return clean === undefined ? [] : [[key, clean] as const];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** Written out key by key: an object of JavaScript would put keys that look like numbers first. */
function jcs(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((item: Json) => jcs(item)).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${jcs(value[key] as Json)}`).join(',')}}`;
}
