import { describe, expect, it } from 'vitest';
import { HmacSigner } from '../../aws/hmac-signer.ts';

const signer = new HmacSigner(Buffer.alloc(32, 7));

describe('the signer of page tokens', () => {
  it('gives the same text the same code in every process, in base64url', async () => {
    expect(await signer.sign('one')).toBe('d6pK1sS4jpC4sPu2vF6FEZwn');
    expect(await new HmacSigner(Buffer.alloc(32, 7)).sign('one')).toBe('d6pK1sS4jpC4sPu2vF6FEZwn');
  });

  it('gives another text, and another secret, another code', async () => {
    expect(await signer.sign('two')).not.toBe('d6pK1sS4jpC4sPu2vF6FEZwn');
    expect(await new HmacSigner(Buffer.alloc(32, 8)).sign('one')).not.toBe('d6pK1sS4jpC4sPu2vF6FEZwn');
  });

  it('takes a secret that is read when the first code is made, and fails as its reading does', async () => {
    const late = new HmacSigner(async () => Buffer.alloc(32, 7));
    expect(await late.sign('one')).toBe('d6pK1sS4jpC4sPu2vF6FEZwn');
    const never = new HmacSigner(() => Promise.reject(new Error('no key')));
    await expect(never.sign('one')).rejects.toThrow('no key');
  });
});
