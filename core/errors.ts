/**
 * The closed table of errors. Three families answer three questions:
 * `ProtocolError` is told to the caller (each binding maps it once, wire/errors.ts); `RetryableError` is thrown to SQS
 * or Scheduler, or told to the caller as 503 with advice to retry; `AgentFault` ends a turn and is recorded.
 * What is none of them is ours and is told as an internal error without its text.
 */

/**
 * Codes: A2A 1.0 sections 5.4 and 9.5. Rows of our own follow google.rpc.Code; A2A counts on from -32001, so their
 * JSON-RPC codes begin at -32090.
 */
export const PROTOCOL_ERRORS = {
  TASK_NOT_FOUND: { rpc: -32001, http: 404, status: 'NOT_FOUND' },
  TASK_NOT_CANCELABLE: { rpc: -32002, http: 400, status: 'FAILED_PRECONDITION' },
  PUSH_NOTIFICATION_NOT_SUPPORTED: { rpc: -32003, http: 400, status: 'FAILED_PRECONDITION' },
  UNSUPPORTED_OPERATION: { rpc: -32004, http: 400, status: 'FAILED_PRECONDITION' },
  CONTENT_TYPE_NOT_SUPPORTED: { rpc: -32005, http: 400, status: 'INVALID_ARGUMENT' },
  INVALID_AGENT_RESPONSE: { rpc: -32006, http: 500, status: 'INTERNAL' },
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: { rpc: -32007, http: 400, status: 'FAILED_PRECONDITION' },
  EXTENSION_SUPPORT_REQUIRED: { rpc: -32008, http: 400, status: 'FAILED_PRECONDITION' },
  VERSION_NOT_SUPPORTED: { rpc: -32009, http: 400, status: 'FAILED_PRECONDITION' },
  /** As in the draft of A2A 1.1. */
  TASK_GENERATION_MISMATCH: { rpc: -32010, http: 409, status: 'ABORTED' },
  PARSE_ERROR: { rpc: -32700, http: 400, status: 'INVALID_ARGUMENT' },
  INVALID_REQUEST: { rpc: -32600, http: 400, status: 'INVALID_ARGUMENT' },
  METHOD_NOT_FOUND: { rpc: -32601, http: 404, status: 'NOT_FOUND' },
  METHOD_NOT_ALLOWED: { rpc: -32601, http: 405, status: 'UNIMPLEMENTED' },
  INVALID_PARAMS: { rpc: -32602, http: 400, status: 'INVALID_ARGUMENT' },
  REQUEST_TOO_LARGE: { rpc: -32602, http: 413, status: 'INVALID_ARGUMENT' },
  UNSUPPORTED_MEDIA_TYPE: { rpc: -32005, http: 415, status: 'INVALID_ARGUMENT' },
  UNAUTHENTICATED: { rpc: -32090, http: 401, status: 'UNAUTHENTICATED' },
  PERMISSION_DENIED: { rpc: -32091, http: 403, status: 'PERMISSION_DENIED' },
  UNAVAILABLE: { rpc: -32092, http: 503, status: 'UNAVAILABLE' },
  TOO_MANY_STREAMS: { rpc: -32093, http: 429, status: 'RESOURCE_EXHAUSTED' },
  /** A callback address that has been used or is over. */
  CALLBACK_GONE: { rpc: -32094, http: 410, status: 'FAILED_PRECONDITION' },
  INTERNAL: { rpc: -32603, http: 500, status: 'INTERNAL' },
} as const;
export type ProtocolErrorReason = keyof typeof PROTOCOL_ERRORS;

export interface FieldViolation {
  /** Dotted path in the request, as in `message.parts[0].text`. */
  readonly field: string;
  readonly description: string;
}

export interface ProtocolErrorOptions {
  /** Goes into `google.rpc.ErrorInfo.metadata`; the caller may see every value. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly violations?: readonly FieldViolation[];
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/** Told to the caller as it stands. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly reason: ProtocolErrorReason;
  readonly metadata: Readonly<Record<string, string>>;
  readonly violations: readonly FieldViolation[];
  readonly retryAfterSeconds: number | undefined;

  constructor(reason: ProtocolErrorReason, message: string, options: ProtocolErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.metadata = options.metadata ?? {};
    this.violations = options.violations ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

export function taskNotFound(taskId: string): ProtocolError {
  return new ProtocolError('TASK_NOT_FOUND', `Task not found: ${taskId}`, { metadata: { taskId } });
}

/** Shorthand for the commonest refusal: one field, one reason. */
export function invalidParams(field: string, description: string, metadata?: Record<string, string>): ProtocolError {
  return new ProtocolError('INVALID_PARAMS', `${field}: ${description}`, {
    violations: [{ field, description }],
    ...(metadata ? { metadata } : {}),
  });
}

/** Try the same again later: throttling, a store that does not answer, a head that kept changing, an agent's decision. */
export class RetryableError extends Error {
  override readonly name = 'RetryableError';
  readonly reason:
    | 'THROTTLED'
    | 'STORE_UNAVAILABLE'
    | 'CONFLICT'
    | 'QUEUE_UNAVAILABLE'
    | 'TIMERS_UNAVAILABLE'
    | 'AGENT_SLOW';
  constructor(reason: RetryableError['reason'], message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.reason = reason;
  }
}

/**
 * A mistake of the agent's author that trying again cannot mend: the task fails at once. The text is for the author
 * and for logs; the caller sees a correlation id.
 */
export class AgentFault extends Error {
  override readonly name: string = 'AgentFault';
  readonly reason:
    | 'CODE_CHANGED'
    | 'BAD_QUESTION'
    | 'HOLD_TOO_LONG'
    | 'NOT_JSON'
    | 'LIMIT_EXCEEDED'
    | 'BAD_CALL'
    | 'HEAD_FULL'
    | 'STEP_FAILED';
  constructor(reason: AgentFault['reason'], message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.reason = reason;
  }
}
