/**
 * Which addresses notifications may be posted to. A receiver names any URL it likes, and this service would fetch it
 * from inside its network; so only public addresses are posted to, by https. Judged twice: the URL at registration,
 * and at connect every address that its name has then (aws/webhook-sender.ts), since a name may change its mind.
 * What is not known to be public is refused.
 */
import { limits } from '../limits.ts';

export interface AddressPolicy {
  /** The local runtime's: `localhost` and loopback addresses are fine too, also by http. */
  readonly loopback: boolean;
}

const NOT_PUBLIC = 'must name a public address';

/** Names that only mean something inside a network. */
const INNER_NAMES = ['localhost', 'local', 'internal', 'home.arpa'];

/** What is wrong with a URL by itself, as the end of the sentence "url ..."; undefined: its name may be looked up. */
export function urlProblem(text: string, policy: AddressPolicy): string | undefined {
  if (text.length > limits.uriLength) return `must not be longer than ${limits.uriLength} characters`;
  if (!URL.canParse(text)) return 'must be a complete URL';
  const url = new URL(text);
  const loopback = policy.loopback && isLoopbackHost(url);
  if (url.protocol !== 'https:' && !(loopback && url.protocol === 'http:')) return 'must be an https URL';
  if (url.username !== '' || url.password !== '') return 'must not hold credentials; give them as authentication';
  if (loopback) return undefined;
  if (url.port !== '' && Number(url.port) < 1_024) return 'must use port 443, or one from 1024 on';
  const address = literalAddress(url);
  if (address !== undefined) return addressProblem(address, url, policy);
  const name = nameOf(url);
  const inner = !name.includes('.') || INNER_NAMES.some((inside) => name.endsWith(`.${inside}`));
  return inner ? NOT_PUBLIC : undefined;
}

/** What is wrong with an address that a URL's host has now; undefined: it may be connected to. */
export function addressProblem(address: string, url: URL, policy: AddressPolicy): string | undefined {
  const bytes = ipv4Bytes(address) ?? ipv6Bytes(address);
  if (bytes === undefined) return NOT_PUBLIC;
  // A name of somebody else's that points at loopback is refused even where loopback is allowed.
  if (policy.loopback && isLoopbackHost(url) && isLoopback(bytes)) return undefined;
  return isPublic(bytes) ? undefined : NOT_PUBLIC;
}

/** The address, when the host is one. The URL parser has already turned every numeric spelling into the plain one. */
export function literalAddress({ hostname }: URL): string | undefined {
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  return ipv4Bytes(hostname) ? hostname : undefined;
}

function isLoopbackHost(url: URL): boolean {
  const address = literalAddress(url);
  if (address === undefined) return nameOf(url) === 'localhost';
  const bytes = ipv4Bytes(address) ?? ipv6Bytes(address);
  return bytes !== undefined && isLoopback(bytes);
}

function nameOf({ hostname }: URL): string {
  return hostname.toLowerCase().replace(/\.+$/, '');
}

/** 127.0.0.0/8 and ::1. */
function isLoopback(bytes: readonly number[]): boolean {
  if (bytes.length === 4) return bytes[0] === 127;
  return bytes.slice(0, 15).every((byte) => byte === 0) && bytes[15] === 1;
}

/** Special-purpose IPv4 blocks (IANA registry): first bytes and how many bits of them count. */
const SPECIAL_V4: readonly (readonly [bytes: readonly number[], bits: number])[] = [
  [[0], 8],
  [[10], 8],
  [[100, 64], 10],
  [[127], 8],
  [[169, 254], 16],
  [[172, 16], 12],
  [[192, 0, 0], 24],
  [[192, 0, 2], 24],
  [[192, 88, 99], 24],
  [[192, 168], 16],
  [[198, 18], 15],
  [[198, 51, 100], 24],
  [[203, 0, 113], 24],
  // Multicast, reserved, broadcast.
  [[224], 3],
];

/** Of 2000::/3, where all public IPv6 addresses lie, what is not: protocol use, Teredo, documentation, 6to4. */
const SPECIAL_V6: readonly (readonly [bytes: readonly number[], bits: number])[] = [
  [[0x20, 0x01, 0x00], 23],
  [[0x20, 0x01, 0x0d, 0xb8], 32],
  [[0x20, 0x02], 16],
  [[0x3f, 0xff, 0x00], 20],
];

/** 64:ff9b::/96 carries an IPv4 address through NAT64, and goes where that goes. */
const NAT64 = [0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0];

function isPublic(bytes: readonly number[]): boolean {
  if (bytes.length === 4) return !SPECIAL_V4.some(([block, bits]) => begins(bytes, block, bits));
  if (begins(bytes, NAT64, 96)) return isPublic(bytes.slice(12));
  return begins(bytes, [0x20], 3) && !SPECIAL_V6.some(([block, bits]) => begins(bytes, block, bits));
}

function begins(bytes: readonly number[], block: readonly number[], bits: number): boolean {
  for (let bit = 0; bit < bits; bit += 1) {
    const mask = 0x80 >> (bit % 8);
    if (((bytes[bit >> 3] ?? 0) & mask) !== ((block[bit >> 3] ?? 0) & mask)) return false;
  }
  return true;
}

function ipv4Bytes(text: string): readonly number[] | undefined {
  if (!/^[0-9]{1,3}(\.[0-9]{1,3}){3}$/.test(text)) return undefined;
  const bytes = text.split('.').map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

/** With or without `::` and a dotted tail. A zone (`%eth0`) makes it an address of this machine's own links: refused. */
function ipv6Bytes(text: string): readonly number[] | undefined {
  const [head = '', tail, ...more] = text.split('::');
  if (more.length > 0) return undefined;
  const before = groups(head);
  const after = groups(tail ?? '');
  if (before === undefined || after === undefined) return undefined;
  const missing = 16 - before.length - after.length;
  if (tail === undefined ? missing !== 0 : missing < 2) return undefined;
  return [...before, ...new Array<number>(missing).fill(0), ...after];
}

function groups(text: string): readonly number[] | undefined {
  if (text === '') return [];
  const bytes: number[] = [];
  for (const [index, group] of text.split(':').entries()) {
    const dotted = index === text.split(':').length - 1 ? ipv4Bytes(group) : undefined;
    if (dotted) bytes.push(...dotted);
    else if (/^[0-9a-f]{1,4}$/i.test(group))
      bytes.push(Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255);
    else return undefined;
  }
  return bytes;
}
