/** No secrecy, but the text is not readable as it stands, so that a test can search for a leak of the plain value. */
import type { Cipher } from '../../core/ports.ts';

export class PlainCipher implements Cipher {
  async seal(plain: string, context: string): Promise<string> {
    return Buffer.from(JSON.stringify([context, plain])).toString('base64');
  }

  async open(sealed: string, context: string): Promise<string> {
    const [bound, plain] = JSON.parse(Buffer.from(sealed, 'base64').toString()) as [string, string];
    if (bound !== context) throw new Error('sealed for another context');
    return plain;
  }
}
