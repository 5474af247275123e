/** Signatures of agent cards (A2A 1.0 section 8.4.2), verified as the official SDK verifies them. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { AgentCard, verifyAgentCardSignature } from '@a2a-js/sdk';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createCardSigner, lateCardSigner } from '../../functions/card-signer.ts';
import { answer, wired } from '../core/wire/support.ts';

// The SDK writes each signature that does not fit to the console.
const quiet = vi.spyOn(console, 'debug');
beforeAll(() => void quiet.mockImplementation(() => {}));
afterAll(() => quiet.mockRestore());

const KEYS: Record<string, () => { privateKey: KeyObject; publicKey: KeyObject }> = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ES384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
};

const jwkOf = (key: KeyObject, more: object = { kid: 'key-1' }) =>
  JSON.stringify({ ...key.export({ format: 'jwk' }), ...more });

async function cardSignedBy(
  jwk: string,
  keysUrl?: string,
  { headers = {}, secured = false }: { headers?: Record<string, string>; secured?: boolean } = {},
) {
  const security = {
    schemes: { jwt: { openIdConnectSecurityScheme: { openIdConnectUrl: 'https://example.com/oidc' } } },
    requirements: [{ schemes: { jwt: {} } }],
  };
  const wire = wired({}, undefined, { signer: createCardSigner(jwk, keysUrl), ...(secured && { security }) });
  const { json } = await answer(wire, { method: 'GET', path: '/.well-known/agent-card.json', headers });
  return json as { name: string; signatures: [{ protected: string; signature: string }] };
}

const headerOf = ({ signatures: [signature] }: { signatures: [{ protected: string }] }): unknown =>
  JSON.parse(Buffer.from(signature.protected, 'base64url').toString());

describe('card signing', () => {
  it.each(Object.keys(KEYS))('%s: the SDK verifies it, and refuses a card that was changed', async (alg) => {
    const { privateKey, publicKey } = KEYS[alg]!();
    for (const version of ['1.0', '0.3']) {
      const card = await cardSignedBy(jwkOf(privateKey), 'https://example.com/jwks.json', {
        headers: { 'a2a-version': version },
      });
      expect(headerOf(card)).toEqual({ alg, typ: 'JOSE', kid: 'key-1', jku: 'https://example.com/jwks.json' });
      const asked: unknown[] = [];
      const verify = verifyAgentCardSignature(async (kid, jku) => {
        asked.push([kid, jku]);
        return publicKey;
      });
      await verify(AgentCard.fromJSON(card));
      expect(asked).toEqual([['key-1', 'https://example.com/jwks.json']]);
      await expect(verify(AgentCard.fromJSON({ ...card, name: 'Another agent' }))).rejects.toThrow();
    }
  });

  it('with security schemes on the card: they are signed', async () => {
    const { privateKey, publicKey } = KEYS.ES256!();
    const card = await cardSignedBy(jwkOf(privateKey), undefined, {
      headers: { 'a2a-version': '1.0' },
      secured: true,
    });
    const verify = verifyAgentCardSignature(async () => publicKey);
    // As JSON: of a card that its codec has read, SDK 1.3.0 loses the schemes and with them the signature.
    await verify(card as unknown as AgentCard);
    await expect(verify({ ...card, securitySchemes: {} } as unknown as AgentCard)).rejects.toThrow();
  });

  it('without an address of keys there is no jku', async () => {
    const { privateKey } = KEYS.EdDSA!();
    expect(headerOf(await cardSignedBy(jwkOf(privateKey)))).toEqual({ alg: 'EdDSA', typ: 'JOSE', kid: 'key-1' });
  });

  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  it.each([
    ['no JSON', '{', 'the key of the agent card is not a private JSON Web Key'],
    ['no key', '{"kty":"EC"}', 'the key of the agent card is not a private JSON Web Key'],
    ['a public key', jwkOf(ec.publicKey), 'the key of the agent card is not a private JSON Web Key'],
    ['no kid', jwkOf(ec.privateKey, {}), 'the key of the agent card has no kid'],
    [
      'a curve of its own',
      jwkOf(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey),
      'the key of the agent card is not P-256, P-384, Ed25519 or RSA',
    ],
  ])('%s is a clear error without the key in it', (_title, jwk, message) => {
    expect(() => createCardSigner(jwk)).toThrow(new Error(message));
  });
});

describe('a key that is read when the first card is asked for', () => {
  const jwk = jwkOf(KEYS.EdDSA!().privateKey);

  it('is read once, however many cards are asked for at the same time', async () => {
    let reads = 0;
    const signer = lateCardSigner(async () => {
      reads += 1;
      return jwk;
    }, 'https://example.com/jwks.json');
    expect(reads).toBe(0);
    const [one, two] = await Promise.all([signer.sign('{}'), signer.sign('{}')]);
    await signer.sign('{}');
    expect([reads, one, headerOf({ signatures: [one] })]).toEqual([
      1,
      two,
      { alg: 'EdDSA', typ: 'JOSE', kid: 'key-1', jku: 'https://example.com/jwks.json' },
    ]);
  });

  it('gives no card while it cannot be read, and is tried again at the next', async () => {
    const answers = [() => Promise.reject(new Error('down')), async () => 'no key', async () => jwk];
    const signer = lateCardSigner(() => answers.shift()!());
    await expect(signer.sign('{}')).rejects.toThrow('down');
    await expect(signer.sign('{}')).rejects.toThrow('the key of the agent card is not a private JSON Web Key');
    expect(headerOf({ signatures: [await signer.sign('{}')] })).toEqual({ alg: 'EdDSA', typ: 'JOSE', kid: 'key-1' });
  });
});
