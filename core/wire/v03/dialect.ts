/**
 * A2A 0.3 at both bindings: its methods, its routes and its forms over the operations of 1.0. Loaded with the first
 * request that speaks it (wire/dialect.ts).
 */
import { PROTOCOL_ERRORS, type ProtocolError } from '../../errors.ts';
import type { Dialect } from '../dialect.ts';
import { rpcError } from '../errors.ts';
import { router } from '../routes.ts';
import { restOperations } from './rest-operations.ts';
import { rpcOperations } from './rpc-operations.ts';
import type { Operations } from './translate.ts';

export function oldDialect(operations: Operations): Dialect {
  return {
    version: '0.3',
    byName: new Map(rpcOperations(operations).map((operation) => [operation.name, operation])),
    route: router(restOperations(operations)),
    errorBody,
  };
}

/** 0.3 leaves the form open; the official SDKs answer with JSON-RPC's code and message, and their clients read those. */
function errorBody(error: ProtocolError): object {
  return { ...rpcError(error), status: PROTOCOL_ERRORS[error.reason].status };
}
