import { describe, expect, it } from 'vitest';
import { HmacSigner } from '../../aws/hmac-signer.ts';

const signer = new HmacSigner(Buffer.alloc(32, 7));

describe('the signer of page tokens', () => {
  it('gives the same text the same code in every process, in base64url', () => {
    expect(signer.sign('one')).toBe('d6pK1sS4jpC4sPu2vF6FEZwn');
    expect(new HmacSigner(Buffer.alloc(32, 7)).sign('one')).toBe(signer.sign('one'));
  });

  it('gives another text, and another secret, another code', () => {
    expect(signer.sign('two')).not.toBe(signer.sign('one'));
    expect(new HmacSigner(Buffer.alloc(32, 8)).sign('one')).not.toBe(signer.sign('one'));
  });
});
