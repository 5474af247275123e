/**
 * What signs the agent card, as the deployment says it (lib/askback-agent.ts): a secret of Secrets Manager that holds the
 * private key, or, where there is no AWS, the key itself. wiring.ts passes the environment in.
 */
import { readSecret, type SecretPlace } from '../aws/secret-value.ts';
import type { CardSigner } from '../core/wire/card-signature.ts';
import { createCardSigner, lateCardSigner } from './card-signer.ts';
import { isSecretId, secretPlace } from './secret-place.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Undefined: the card is not signed. What is wrong is added to `problems`, without any value.
 * @param read default: asks Secrets Manager with the credentials of the function, at the first card
 */
export function readCardSigner(
  env: Environment,
  problems: string[],
  read: (place: SecretPlace) => Promise<string> = readSecret,
): CardSigner | undefined {
  const of = (name: string) => env[name]?.trim() || undefined;
  const [key, secret, keysUrl] = [of('ASKBACK_CARD_KEY'), of('ASKBACK_CARD_KEY_SECRET'), of('ASKBACK_CARD_KEYS_URL')];
  if (keysUrl !== undefined && !(URL.canParse(keysUrl) && /^https?:$/.test(new URL(keysUrl).protocol))) {
    problems.push('ASKBACK_CARD_KEYS_URL is not an http or https URL');
  }
  if (key !== undefined && secret !== undefined)
    problems.push('ASKBACK_CARD_KEY and ASKBACK_CARD_KEY_SECRET exclude each other');
  if (secret !== undefined) {
    if (!isSecretId(secret)) problems.push('ASKBACK_CARD_KEY_SECRET is not the name or ARN of a secret');
    return lateCardSigner(async () => read(secretPlace(secret, 'the card key', env)), keysUrl);
  }
  if (key === undefined) return undefined;
  try {
    return createCardSigner(key, keysUrl);
  } catch {
    problems.push('ASKBACK_CARD_KEY is not a private JSON Web Key with a kid, of P-256, P-384, Ed25519 or RSA');
    return undefined;
  }
}
