/**
 * Signs what callers carry for us (page tokens) with HMAC-SHA256. The key is derived from the deployment's secret for
 * this purpose alone, so that it is not the key that encrypts.
 */
import { createHmac, hkdfSync } from 'node:crypto';
import type { Signer } from '../core/ports.ts';

const PURPOSE = 'askback page tokens 1';
/** 144 bits of the code: short enough for a query parameter, long enough not to be guessed. */
const CODE_BYTES = 18;

export class HmacSigner implements Signer {
  readonly #key: Uint8Array;

  constructor(secret: Uint8Array) {
    this.#key = new Uint8Array(hkdfSync('sha256', secret, '', PURPOSE, 32));
  }

  sign(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest().subarray(0, CODE_BYTES).toString('base64url');
  }
}
