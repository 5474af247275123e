/** The address of an OpenID Connect issuer: which ones are taken, and where its metadata is (Discovery 1.0 sections 3, 4). */

const ISSUER_CHARACTERS = 255;

/**
 * Https, without user, query and fragment: what Discovery allows. The text is compared with the `iss` of tokens as it
 * stands, so it is not normalised here; a slash at its end belongs to it.
 */
export function isIssuer(text: string): boolean {
  if (text.length > ISSUER_CHARACTERS || !/^https:\/\/[^\s#?@\\]+$/.test(text) || !URL.canParse(text)) return false;
  return new URL(text).hostname !== '';
}

/** Where the issuer says what its keys are and how tokens are got. */
export function discoveryUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
}
