/** No secrecy, but a code that fits one text only, as a real one does. */
import { createHash } from 'node:crypto';
import type { Signer } from '../../core/ports.ts';

export class PlainSigner implements Signer {
  readonly #name: string;

  /** Signers of different names do not accept each other's codes. */
  constructor(name = 'one') {
    this.#name = name;
  }

  async sign(text: string): Promise<string> {
    return createHash('sha256').update(`${this.#name}\n${text}`).digest('hex').slice(0, 16);
  }
}
