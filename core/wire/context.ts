/** What the bindings share: the wired operations, and who is calling. */
import { ProtocolError } from '../errors.ts';
import { ownerKey } from '../ids.ts';
import { jsonBytes } from '../json.ts';
import { limits } from '../limits.ts';
import type { ProtocolVersion } from '../agent.ts';
import type { Deps } from '../ports.ts';
import type { CardFacts } from './card.ts';
import type { HttpRequest } from './http.ts';
import { type Call, type TaskOperations, type WireOperation, wireOperations } from './operations.ts';
import { type Router, router } from './routes.ts';
import { PROTOCOL_VERSIONS } from './version.ts';

/** Made once per process. */
export interface WireContext {
  readonly deps: Deps;
  readonly byName: ReadonlyMap<string, WireOperation>;
  readonly route: Router;
  /** What the card says of where and how the agent runs. */
  readonly facts: CardFacts;
}

export function wireContext(
  deps: Deps,
  tasks: TaskOperations,
  operations: readonly WireOperation[] = wireOperations(tasks),
  facts: Partial<CardFacts> = {},
): WireContext {
  return {
    deps,
    facts: {
      streaming: false,
      pushNotifications: deps.push !== undefined,
      extendedAgentCard: deps.agent.extendedCard !== undefined,
      versions: deps.agent.settings.protocolVersions ?? PROTOCOL_VERSIONS,
      ...facts,
    },
    byName: new Map(operations.map((operation) => [operation.name, operation])),
    route: router(operations),
  };
}

/** Throws `UNAUTHENTICATED` when nobody vouches for the caller, `PERMISSION_DENIED` for a name that no head can hold. */
export function callOf(request: HttpRequest, { deps, facts }: WireContext, version: ProtocolVersion): Call {
  const { owner, waitMs, signal, baseUrl } = request;
  if (owner === undefined) throw new ProtocolError('UNAUTHENTICATED', 'The caller is not authenticated');
  if (jsonBytes(ownerKey(owner)) > limits.ownerBytes) {
    throw new ProtocolError('PERMISSION_DENIED', `The caller's identity is longer than ${limits.ownerBytes} bytes`);
  }
  const lastEventId = request.headers['last-event-id'];
  return {
    deps,
    facts,
    owner,
    version,
    baseUrl,
    waitMs,
    ...(signal ? { signal } : {}),
    ...(lastEventId === undefined ? {} : { lastEventId }),
  };
}
