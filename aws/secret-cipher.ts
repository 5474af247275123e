/**
 * AES-256-GCM for `writeOnly` values, over a key that the deployment keeps outside the table. Leaves out key rotation:
 * secrets end with their task.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Cipher } from '../core/ports.ts';
import { checkedKey, type SecretKey } from './secret-key.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Names the format, so that another one can be told apart later. */
const FORMAT = 'v1.';

export class SecretCipher implements Cipher {
  readonly #key: SecretKey;

  /** Throws when the key has not 32 bytes; with a key that is yet to be read, `seal` and `open` do. */
  constructor(key: SecretKey) {
    this.#key = typeof key === 'function' ? key : checkedKey(key);
  }

  /** 32 bytes, read now if they have not been. */
  async #bytes(): Promise<Uint8Array> {
    return typeof this.#key === 'function' ? checkedKey(await this.#key()) : this.#key;
  }

  /** `v1.` and base64url of nonce, ciphertext and tag. `context` must be given again to open it. */
  async seal(plain: string, context: string): Promise<string> {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', await this.#bytes(), nonce).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return FORMAT + sealed.toString('base64url');
  }

  /** Throws when the text, the context or the key is not the one that was sealed with. */
  async open(sealed: string, context: string): Promise<string> {
    if (!sealed.startsWith(FORMAT)) throw new Error('not a sealed secret');
    const bytes = Buffer.from(sealed.slice(FORMAT.length), 'base64url');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('not a sealed secret');
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const tag = bytes.subarray(bytes.length - TAG_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', await this.#bytes(), nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(context)).setAuthTag(tag);
    const plain = decipher.update(bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES));
    return Buffer.concat([plain, decipher.final()]).toString('utf8');
  }
}
