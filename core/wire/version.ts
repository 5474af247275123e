/**
 * The protocol version of a request (A2A 1.0 sections 3.2.6 and 3.6): the header `A2A-Version`, or the query parameter of
 * that name. Only Major.Minor counts. Nothing given means 0.3, which this server does not speak.
 */
import { ProtocolError } from '../errors.ts';
import type { HttpRequest } from './http.ts';

export const PROTOCOL_VERSION = '1.0';

/** Throws `VERSION_NOT_SUPPORTED` unless the request asks for A2A 1.0. */
export function requireVersion(request: Pick<HttpRequest, 'headers' | 'query'>): void {
  const asked = requestedVersion(request);
  if (majorMinor(asked) === PROTOCOL_VERSION) return;
  const named =
    asked === ''
      ? 'The request names no A2A protocol version, which means 0.3; that is not supported'
      : `A2A protocol version ${JSON.stringify(asked.slice(0, 32))} is not supported`;
  throw new ProtocolError('VERSION_NOT_SUPPORTED', `${named}. Send the header "A2A-Version: ${PROTOCOL_VERSION}".`, {
    metadata: { requestedVersion: asked === '' ? '0.3' : asked.slice(0, 32), supportedVersions: PROTOCOL_VERSION },
  });
}

function requestedVersion({ headers, query }: Pick<HttpRequest, 'headers' | 'query'>): string {
  const header = headers['a2a-version']?.trim();
  if (header) return header;
  // Service parameters have case-insensitive names.
  const name = Object.keys(query).find((key) => key.toLowerCase() === 'a2a-version');
  return name === undefined ? '' : (query[name]?.[0]?.trim() ?? '');
}

function majorMinor(version: string): string | undefined {
  return /^([0-9]+\.[0-9]+)(?:\.[0-9]+)?$/.exec(version)?.[1];
}
