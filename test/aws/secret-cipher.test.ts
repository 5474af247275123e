import { describe, expect, it } from 'vitest';
import { SecretCipher } from '../../aws/secret-cipher.ts';

const cipher = new SecretCipher(Buffer.alloc(32, 7));

describe('the secret cipher (section 6, writeOnly)', () => {
  it.each(['', 'hunter2', '{"pin":"0000"}', 'pässwörd €'])('opens what it sealed: %s', async (plain) => {
    expect(await cipher.open(await cipher.seal(plain, 'task-1'), 'task-1')).toBe(plain);
  });

  it('opens what an earlier version sealed', async () => {
    const sealed = 'v1.OmQjhx3frH3Rj2HwoZjs18extNS61yVgZImCRjeAOMXW9gt5ojp26me5';
    expect(await cipher.open(sealed, 'task-1 secret-1')).toBe('{"pin":"0000"}');
  });

  it('never gives the same text twice, nor the plain one', async () => {
    const [a, b] = [await cipher.seal('hunter2', 'c'), await cipher.seal('hunter2', 'c')];
    expect(a).not.toBe(b);
    expect(a).not.toContain('hunter2');
    expect(Buffer.from(a.slice(3), 'base64url').toString('latin1')).not.toContain('hunter2');
  });

  it('refuses another context, another key, a changed or a shortened text', async () => {
    const sealed = await cipher.seal('hunter2', 'task-1');
    await expect(cipher.open(sealed, 'task-2')).rejects.toThrow();
    await expect(new SecretCipher(Buffer.alloc(32, 8)).open(sealed, 'task-1')).rejects.toThrow();
    const last = sealed.slice(-2, -1) === 'A' ? 'B' : 'A';
    await expect(cipher.open(sealed.slice(0, -2) + last + sealed.slice(-1), 'task-1')).rejects.toThrow();
    await expect(cipher.open('v1.AAAA', 'task-1')).rejects.toThrow('not a sealed secret');
    await expect(cipher.open('hunter2', 'task-1')).rejects.toThrow('not a sealed secret');
  });

  it('takes only a key of 32 bytes', () => {
    expect(() => new SecretCipher(Buffer.alloc(16))).toThrow('the secret key must have 32 bytes, not 16');
  });

  it('takes a key that is read at its first use, which is to have 32 bytes as well', async () => {
    const late = new SecretCipher(async () => Buffer.alloc(32, 7));
    const sealed = 'v1.OmQjhx3frH3Rj2HwoZjs18extNS61yVgZImCRjeAOMXW9gt5ojp26me5';
    expect(await late.open(sealed, 'task-1 secret-1')).toBe('{"pin":"0000"}');
    expect(await cipher.open(await late.seal('hunter2', 'c'), 'c')).toBe('hunter2');
    await expect(new SecretCipher(async () => Buffer.alloc(16)).seal('x', 'c')).rejects.toThrow('must have 32 bytes');
  });
});
