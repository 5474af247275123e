/**
 * A2A 0.3 at both bindings: its methods, its routes and its forms over the operations of 1.0. Loaded with the first
 * request that speaks it (wire/dialect.ts).
 */
import { PROTOCOL_ERRORS, type ProtocolError, type ProtocolErrorReason } from '../../errors.ts';
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

/**
 * 0.3 leaves the form open, and the official SDKs filled it differently: the one for TypeScript reads JSON-RPC's code and
 * message, the one for Python the name of the error as `type`.
 */
function errorBody(error: ProtocolError): object {
  return { type: nameOf(error.reason), ...rpcError(error), status: PROTOCOL_ERRORS[error.reason].status };
}

/** As the protocol names its errors: `TASK_NOT_FOUND` is `TaskNotFoundError`. */
function nameOf(reason: ProtocolErrorReason): string {
  if (reason === 'PARSE_ERROR') return 'JSONParseError';
  const words = reason.split('_');
  return `${words.map((word) => word.charAt(0) + word.slice(1).toLowerCase()).join('')}Error`;
}
