/** R38 on real sockets: what is connected to is what was judged, nothing is followed, nothing waits for ever. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Address, WebhookSender } from '../../aws/webhook-sender.ts';
import { selfSigned } from '../support/self-signed.ts';

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** An http server on loopback, with what it was sent. */
async function receiver(answer: RequestListener = (_request, response) => response.writeHead(200).end('ok')) {
  const got: { method?: string; url?: string; headers: Record<string, unknown>; body: string }[] = [];
  const port = await listen(
    createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      got.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
      answer(request, response);
    }),
  );
  return { got, url: `http://127.0.0.1:${port}/hook`, port };
}

const resolvesTo = (...addresses: string[]) => {
  const asked: string[] = [];
  const resolve = async (name: string): Promise<Address[]> => {
    asked.push(name);
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { asked, resolve };
};

const request = (url: string) => ({ url, headers: { 'X-Test': '1' }, body: '{"grüße":1}' });
const REFUSED = { ok: false, why: 'the address is not a public one' };

describe('a post', () => {
  it('carries its headers and its body, and is taken by any 2xx', async () => {
    for (const status of [200, 201, 202, 204]) {
      const { got, url } = await receiver((_request, response) => response.writeHead(status).end());
      expect(await new WebhookSender({ loopback: true }).post(request(url))).toEqual({ ok: true });
      expect(got).toMatchObject([{ method: 'POST', url: '/hook', body: '{"grüße":1}', headers: { 'x-test': '1' } }]);
      expect(got[0]?.headers['content-length']).toBe('13');
    }
  });

  it.each([
    [400, 'answered 400'],
    [404, 'answered 404'],
    [500, 'answered 500'],
    [503, 'answered 503'],
  ])('answered with %i is not taken', async (status, why) => {
    const { url } = await receiver((_request, response) => response.writeHead(status).end());
    expect(await new WebhookSender({ loopback: true }).post(request(url))).toEqual({ ok: false, why });
  });

  it('answered with 410 is the last', async () => {
    const { url } = await receiver((_request, response) => response.writeHead(410).end());
    expect(await new WebhookSender({ loopback: true }).post(request(url))).toEqual({
      ok: false,
      why: 'answered 410',
      gone: true,
    });
  });

  it.each([301, 302, 303, 307, 308])('R38: redirected with %i goes nowhere', async (status) => {
    const other = await receiver();
    const { url } = await receiver((_request, response) => response.writeHead(status, { Location: other.url }).end());
    expect(await new WebhookSender({ loopback: true }).post(request(url))).toEqual({
      ok: false,
      why: `answered ${status}, and redirects are not followed`,
    });
    expect(other.got).toEqual([]);
  });

  it('ends when the receiver says nothing within its time', async () => {
    const { url } = await receiver(() => undefined);
    expect(await new WebhookSender({ loopback: true, timeoutMs: 50 }).post(request(url))).toEqual({
      ok: false,
      why: 'no answer within 50 ms',
    });
  });

  it('does not wait for a body that never ends', async () => {
    const { url } = await receiver((_request, response) => {
      response.writeHead(200).write('x'.repeat(100_000));
    });
    expect(await new WebhookSender({ loopback: true }).post(request(url))).toEqual({ ok: true });
  });

  it('to nobody says so, and nothing of the address', async () => {
    const { url, port } = await receiver();
    for (const close of closing.splice(0)) close();
    const result = await new WebhookSender({ loopback: true }).post(request(url));
    expect(result).toEqual({ ok: false, why: 'the request failed (ECONNREFUSED)' });
    expect(JSON.stringify(result)).not.toContain(String(port));
  });

  it('to something that does not speak HTTP fails', async () => {
    const server = createTcpServer((socket) => socket.end('220 smtp ready\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const result = await new WebhookSender({ loopback: true }).post(request(`http://127.0.0.1:${port}/`));
    expect(result).toMatchObject({ ok: false, why: 'the request failed (HPE_INVALID_CONSTANT)' });
  });

  it('with a header that no header may hold fails instead of throwing', async () => {
    const { url, got } = await receiver();
    const result = await new WebhookSender({ loopback: true }).post({ url, headers: { A: 'x\r\nB: y' }, body: '' });
    expect(result).toEqual({ ok: false, why: 'the request failed (ERR_INVALID_CHAR)' });
    expect(got).toEqual([]);
  });

  it('looks its name up anew for every post, and connects to what it is then', async () => {
    const { got, port } = await receiver();
    const { asked, resolve } = resolvesTo('127.0.0.1');
    const sender = new WebhookSender({ loopback: true, resolve });
    for (const _ of [1, 2]) expect(await sender.post(request(`http://localhost:${port}/hook`))).toEqual({ ok: true });
    expect(asked).toEqual(['localhost', 'localhost']);
    expect(got).toHaveLength(2);
  });
});

describe('R38: a post that is not made', () => {
  it.each(['10.0.0.7', '127.0.0.1', '169.254.169.254', '::ffff:10.0.0.1', 'fe80::1', 'fd00::1', '::1'])(
    'its name resolves to %s now, whatever it was at registration (rebinding)',
    async (address) => {
      const { got, port } = await receiver();
      const answers = ['93.184.216.34', address];
      const resolve = async () => {
        const next = answers.shift() ?? '';
        return [{ address: next, family: next.includes(':') ? 6 : 4 }];
      };
      const sender = new WebhookSender({ resolve });
      const url = `https://rebinding.example:${port}/`;
      expect(await sender.refusal(url)).toBeUndefined();
      expect(await sender.post(request(url))).toEqual(REFUSED);
      expect(got).toEqual([]);
    },
  );

  it('one of several addresses is an inner one', async () => {
    const { resolve } = resolvesTo('93.184.216.34', '10.0.0.7');
    expect(await new WebhookSender({ resolve }).post(request('https://both.example/'))).toEqual(REFUSED);
  });

  it('nothing is there to connect to', async () => {
    const { resolve } = resolvesTo();
    expect(await new WebhookSender({ resolve }).post(request('https://none.example/'))).toEqual(REFUSED);
    const fails = async () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }));
    expect(await new WebhookSender({ resolve: fails }).post(request('https://none.example/'))).toEqual({
      ok: false,
      why: 'the request failed (ENOTFOUND)',
    });
  });

  it('the URL itself is refused, also when it was written by other means', async () => {
    const { resolve, asked } = resolvesTo('93.184.216.34');
    const sender = new WebhookSender({ resolve });
    for (const url of ['http://example.com/', 'https://127.0.0.1/', 'https://0x7f000001/', 'https://[::1]/', 'x']) {
      expect(await sender.post(request(url))).toMatchObject({
        ok: false,
        why: expect.stringMatching(/^the address must /),
      });
    }
    expect(asked).toEqual([]);
  });

  it('a name of somebody else points at this machine, where only this machine itself is allowed', async () => {
    const { resolve } = resolvesTo('127.0.0.1');
    const sender = new WebhookSender({ loopback: true, resolve });
    expect(await sender.post(request('https://evil.example:8443/'))).toEqual(REFUSED);
  });
});

describe('R38: a registration', () => {
  it('is refused when the name is known to lead inside, and not when it cannot be looked up', async () => {
    const at = (...addresses: string[]) => new WebhookSender({ resolve: resolvesTo(...addresses).resolve });
    expect(await at('10.0.0.7').refusal('https://inner.example/')).toBe('must name a public address');
    expect(await at('93.184.216.34').refusal('https://outer.example/')).toBeUndefined();
    const fails = new WebhookSender({ resolve: () => Promise.reject(new Error('no DNS')) });
    expect(await fails.refusal('https://unknown.example/')).toBeUndefined();
    const hangs = new WebhookSender({ resolve: () => new Promise(() => undefined) });
    expect(await hangs.refusal('https://slow.example/')).toBeUndefined();
  });

  it('of an address itself needs no look-up', async () => {
    const { asked, resolve } = resolvesTo('93.184.216.34');
    const sender = new WebhookSender({ resolve });
    expect(await sender.refusal('https://169.254.169.254/')).toBe('must name a public address');
    expect(await sender.refusal('https://1.1.1.1/')).toBeUndefined();
    expect(asked).toEqual([]);
  });
});

describe('https', () => {
  it('needs a certificate that is trusted for the name', async () => {
    const { key, cert } = selfSigned();
    const got: string[] = [];
    const server = createTlsServer({ key, cert }, (incoming, response) => {
      got.push(incoming.url ?? '');
      response.end();
    });
    const port = await listen(server);
    const { resolve } = resolvesTo('127.0.0.1');
    const url = `https://localhost:${port}/tls`;
    expect(await new WebhookSender({ loopback: true, resolve }).post(request(url))).toEqual({
      ok: false,
      why: 'the request failed (DEPTH_ZERO_SELF_SIGNED_CERT)',
    });
    expect(got).toEqual([]);
    expect(await new WebhookSender({ loopback: true, resolve, ca: cert }).post(request(url))).toEqual({ ok: true });
    expect(got).toEqual(['/tls']);
  });
});
