/** R38: where nothing may be posted to, in every spelling (design section 9). */
import { describe, expect, it } from 'vitest';
import { addressProblem, urlProblem } from '../../../core/push/address.ts';

const deployed = { loopback: false };
const local = { loopback: true };
const NOT_PUBLIC = 'must name a public address';

describe('R38: URLs refused at registration', () => {
  it.each([
    ['http://169.254.169.254/', 'must be an https URL'],
    ['http://127.0.0.1:9000', 'must be an https URL'],
    ['http://[::ffff:10.0.0.1]/', 'must be an https URL'],
    ['http://0x7f000001/', 'must be an https URL'],
    ['file:///etc/passwd', 'must be an https URL'],
    ['ftp://example.com/', 'must be an https URL'],
    ['javascript:alert(1)', 'must be an https URL'],
    ['//example.com/hook', 'must be a complete URL'],
    ['/hook', 'must be a complete URL'],
    ['https://', 'must be a complete URL'],
    ['https://999.1.1.1/', 'must be a complete URL'],
    ['https://user:pw@example.com/', 'must not hold credentials; give them as authentication'],
    ['https://user@example.com/', 'must not hold credentials; give them as authentication'],
    ['https://example.com:22/', 'must use port 443, or one from 1024 on'],
    ['https://example.com:80/', 'must use port 443, or one from 1024 on'],
    [`https://example.com/${'x'.repeat(2_048)}`, 'must not be longer than 2048 characters'],
  ])('%s: %s', (url, problem) => {
    expect(urlProblem(url, deployed)).toBe(problem);
  });

  it.each([
    // loopback, and every way to write it
    'https://127.0.0.1/',
    'https://127.1/',
    'https://0x7f000001/',
    'https://0x7f.0.0.1/',
    'https://2130706433/',
    'https://017700000001/',
    'https://0177.0.0.01/',
    'https://127.0.0.1./',
    'https://%31%32%37.0.0.1/',
    'https://127。0。0。1/',
    'https://１２７.0.0.1/',
    'https://0/',
    'https://0.0.0.0/',
    // private, link-local, metadata, shared, test networks, multicast, broadcast
    'https://10.1.2.3/',
    'https://172.16.0.1/',
    'https://172.31.255.255/',
    'https://192.168.1.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://0xa9fea9fe/',
    'https://100.64.0.1/',
    'https://192.0.0.192/',
    'https://192.0.2.1/',
    'https://192.88.99.1/',
    'https://198.18.0.1/',
    'https://198.51.100.7/',
    'https://203.0.113.7/',
    'https://224.0.0.1/',
    'https://240.0.0.1/',
    'https://255.255.255.255/',
    // IPv6: loopback, unspecified, mapped, compatible, link-local, unique local, site-local, multicast, NAT64 inside
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[::ffff:a9fe:a9fe]/',
    'https://[::ffff:8.8.8.8]/',
    'https://[::127.0.0.1]/',
    'https://[fe80::1]/',
    'https://[fc00::1]/',
    'https://[fd00:ec2::254]/',
    'https://[fec0::1]/',
    'https://[ff02::1]/',
    'https://[64:ff9b::a00:1]/',
    'https://[64:ff9b::169.254.169.254]/',
    'https://[64:ff9b:1::1]/',
    'https://[100::1]/',
    'https://[2001::1]/',
    'https://[2001:db8::1]/',
    'https://[2002:a00:1::]/',
    'https://[3fff::1]/',
    // names that only mean something inside
    'https://localhost/',
    'https://LOCALHOST./',
    'https://api.localhost/',
    'https://metadata.google.internal/',
    'https://printer.local/',
    'https://router.home.arpa/',
    'https://intranet/',
  ])('%s names no public address', (url) => {
    expect(urlProblem(url, deployed)).toBe(NOT_PUBLIC);
  });

  it.each([
    'https://example.com/hook?key=1',
    'https://example.com:8443/hook',
    'https://example.com./hook',
    'https://bücher.example/hook',
    'https://1.1.1.1/',
    'https://172.15.0.1/',
    'https://172.32.0.1/',
    'https://100.128.0.1/',
    'https://[2606:4700::1111]/',
    'https://[2001:4860:4860::8888]/',
    'https://[64:ff9b::8.8.8.8]/',
    'https://localhost.example.com/',
    'https://internal-tools.example.com/',
  ])('%s may be looked up', (url) => {
    expect(urlProblem(url, deployed)).toBeUndefined();
  });
});

describe('where loopback is allowed', () => {
  it.each([
    'http://localhost:9000/hook',
    'http://127.0.0.1:80/',
    'https://[::1]:9/',
    'http://127.1/',
    'https://example.com/',
  ])('%s is fine', (url) => {
    expect(urlProblem(url, local)).toBeUndefined();
  });

  it.each([
    ['http://example.com/', 'must be an https URL'],
    ['http://10.0.0.1/', 'must be an https URL'],
    ['http://api.localhost/', 'must be an https URL'],
    ['https://169.254.169.254/', NOT_PUBLIC],
    ['http://u:p@localhost/', 'must not hold credentials; give them as authentication'],
  ])('%s: %s', (url, problem) => {
    expect(urlProblem(url, local)).toBe(problem);
  });

  it('a name of somebody else that points at loopback is refused all the same', () => {
    expect(addressProblem('127.0.0.1', new URL('https://example.com/'), local)).toBe(NOT_PUBLIC);
    expect(addressProblem('127.0.0.1', new URL('http://localhost/'), local)).toBeUndefined();
    expect(addressProblem('::1', new URL('http://localhost/'), local)).toBeUndefined();
    expect(addressProblem('10.0.0.1', new URL('http://localhost/'), local)).toBe(NOT_PUBLIC);
  });
});

describe('R38: addresses judged at connect', () => {
  const url = new URL('https://receiver.example/');

  it.each([
    '10.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
    'fe80::1%eth0',
    'fe80::1',
    '1:2',
    '',
    'x',
    '1.2.3',
    '::1::2',
  ])('%j is refused', (address) => {
    expect(addressProblem(address, url, deployed)).toBe(NOT_PUBLIC);
  });

  it.each(['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946', '2606:4700::', '64:ff9b::0808:0808'])(
    '%s may be connected to',
    (address) => {
      expect(addressProblem(address, url, deployed)).toBeUndefined();
    },
  );
});
