/**
 * The protocol version of a request (A2A 1.0 sections 3.2.6 and 3.6): the header `A2A-Version`, or the query parameter of
 * that name. Only Major.Minor counts. Nothing given means 0.3.
 */
import { ProtocolError } from '../errors.ts';
import type { ProtocolVersion } from '../agent.ts';
import type { HttpRequest } from './http.ts';

export const PROTOCOL_VERSION = '1.0' satisfies ProtocolVersion;
export const OLD_PROTOCOL_VERSION = '0.3' satisfies ProtocolVersion;
export const PROTOCOL_VERSIONS: readonly ProtocolVersion[] = [PROTOCOL_VERSION, OLD_PROTOCOL_VERSION];

/** For callers of 1.0 who are taken for callers of 0.3. */
export const NAME_THE_VERSION = `A request that names no version is one of A2A 0.3; send the header "A2A-Version: ${PROTOCOL_VERSION}".`;

type Asked = Pick<HttpRequest, 'headers' | 'query'>;

/** Throws `VERSION_NOT_SUPPORTED` unless the request asks for one of the versions that are offered. */
export function requireVersion(request: Asked, offered: readonly ProtocolVersion[]): ProtocolVersion {
  const asked = requestedVersion(request);
  const version = knownVersion(asked);
  if (version !== undefined && offered.includes(version)) return version;
  const named =
    asked === ''
      ? 'The request names no A2A protocol version, which means 0.3; that is not supported'
      : `A2A protocol version ${JSON.stringify(asked.slice(0, 32))} is not supported`;
  throw new ProtocolError('VERSION_NOT_SUPPORTED', `${named}. Send the header "A2A-Version: ${PROTOCOL_VERSION}".`, {
    metadata: { requestedVersion: asked === '' ? '0.3' : asked.slice(0, 32), supportedVersions: offered.join(', ') },
  });
}

/** Whether the request is one of 0.3, offered or not. */
export function isOldVersion(request: Asked): boolean {
  return knownVersion(requestedVersion(request)) === OLD_PROTOCOL_VERSION;
}

function requestedVersion({ headers, query }: Asked): string {
  const header = headers['a2a-version']?.trim();
  if (header) return header;
  // Service parameters have case-insensitive names.
  const name = Object.keys(query).find((key) => key.toLowerCase() === 'a2a-version');
  return name === undefined ? '' : (query[name]?.[0]?.trim() ?? '');
}

function knownVersion(asked: string): ProtocolVersion | undefined {
  if (asked === '') return OLD_PROTOCOL_VERSION;
  const majorMinor = /^([0-9]+\.[0-9]+)(?:\.[0-9]+)?$/.exec(asked)?.[1];
  return PROTOCOL_VERSIONS.find((version) => version === majorMinor);
}
