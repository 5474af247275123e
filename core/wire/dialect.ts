/**
 * What a protocol version changes at the bindings: names, routes, shapes, the form of HTTP errors. Everything behind is
 * shared. 1.0 is what the core speaks; 0.3 is translated at this edge, by code that is loaded with the first such request.
 */
import type { ProtocolError } from '../errors.ts';
import type { ProtocolVersion } from '../agent.ts';
import type { WireContext } from './context.ts';
import { statusBody } from './errors.ts';
import type { HttpRequest } from './http.ts';
import type { WireOperation } from './operations.ts';
import type { Router } from './routes.ts';
import { isOldVersion, OLD_PROTOCOL_VERSION } from './version.ts';

export interface Dialect {
  readonly version: ProtocolVersion;
  /** By JSON-RPC method. */
  readonly byName: ReadonlyMap<string, WireOperation>;
  readonly route: Router;
  /** The body of an HTTP+JSON error. */
  errorBody(error: ProtocolError): object;
}

const oldDialects = new WeakMap<WireContext, Dialect>();

/** 1.0 as well where the version is not known: its error is told in the newest form. */
export function dialectOf(request: HttpRequest, context: WireContext): Dialect | Promise<Dialect> {
  if (context.facts.versions.includes(OLD_PROTOCOL_VERSION) && isOldVersion(request)) return oldDialectOf(context);
  return { version: '1.0', byName: context.byName, route: context.route, errorBody: statusBody };
}

async function oldDialectOf(context: WireContext): Promise<Dialect> {
  const { oldDialect } = await import('./v03/dialect.ts');
  const dialect = oldDialects.get(context) ?? oldDialect(context.byName);
  oldDialects.set(context, dialect);
  return dialect;
}
