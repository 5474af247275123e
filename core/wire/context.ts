/** What the bindings share: the wired operations, and who is calling. */
import { ProtocolError } from '../errors.ts';
import type { Deps } from '../ports.ts';
import type { HttpRequest } from './http.ts';
import { type Call, type TaskOperations, type WireOperation, wireOperations } from './operations.ts';
import { type Router, router } from './routes.ts';

/** Made once per process. */
export interface WireContext {
  readonly deps: Deps;
  readonly byName: ReadonlyMap<string, WireOperation>;
  readonly route: Router;
}

export function wireContext(
  deps: Deps,
  tasks: TaskOperations,
  operations: readonly WireOperation[] = wireOperations(tasks),
): WireContext {
  return {
    deps,
    byName: new Map(operations.map((operation) => [operation.name, operation])),
    route: router(operations),
  };
}

/** Throws `UNAUTHENTICATED` when nobody vouches for the caller. */
export function callOf(request: HttpRequest, { deps }: WireContext): Call {
  const { owner, waitMs, signal } = request;
  if (owner === undefined) throw new ProtocolError('UNAUTHENTICATED', 'The caller is not authenticated');
  return { deps, owner, waitMs, ...(signal ? { signal } : {}) };
}
