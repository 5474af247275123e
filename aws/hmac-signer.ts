/**
 * Signs what callers carry for us (page tokens, callback addresses) with HMAC-SHA256. The key is derived from the deployment's secret for
 * this purpose alone, so that it is not the key that encrypts.
 */
import { createHmac, hkdfSync } from 'node:crypto';
import type { Signer } from '../core/ports.ts';
import type { SecretKey } from './secret-key.ts';

const PURPOSE = 'askback page tokens 1';
/** 144 bits of the code: short enough for a query parameter, long enough not to be guessed. */
const CODE_BYTES = 18;

export class HmacSigner implements Signer {
  readonly #secret: SecretKey;
  #key: Uint8Array | undefined;

  /** @param secret of any length, where it is not read later */
  constructor(secret: SecretKey) {
    this.#secret = secret;
  }

  async sign(text: string): Promise<string> {
    this.#key ??= derived(typeof this.#secret === 'function' ? await this.#secret() : this.#secret);
    return createHmac('sha256', this.#key).update(text).digest().subarray(0, CODE_BYTES).toString('base64url');
  }
}

function derived(secret: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', PURPOSE, 32));
}
