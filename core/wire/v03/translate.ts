/** Makes an operation of A2A 0.3 of one of 1.0: the request is read into 1.0's form, the answer written in 0.3's. */
import { ProtocolError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import type { LateAnswer } from '../late-answer.ts';
import type { WireOperation, WireResult } from '../operations.ts';
import type { StreamEvent } from '../stream.ts';

/** The operations of 1.0 by their names. */
export type Operations = ReadonlyMap<string, WireOperation>;

export interface Translation extends Pick<WireOperation, 'name' | 'routes' | 'query'> {
  /** What runs. */
  readonly target: WireOperation;
  read(raw: JsonObject): JsonObject;
  write(answer: object | null): object | null;
  /** A field of 1.0, as errors name it, by its name in 0.3. */
  rename(field: string): string;
}

/** The name of an operation of 1.0, and what is different in 0.3. */
export type Row = readonly [target: string, difference: Partial<Omit<Translation, 'target'>>];

export function translatedAll(operations: Operations, rows: readonly Row[]): readonly WireOperation[] {
  return rows.flatMap(([name, difference]) => {
    const target = operations.get(name);
    return target === undefined ? [] : [translated({ ...UNCHANGED, name, ...difference, target })];
  });
}

const UNCHANGED = {
  routes: [],
  query: {},
  read: (raw: JsonObject) => raw,
  write: (answer: object | null) => answer,
  rename: (field: string) => field,
};

export function translated({ name, routes, query, target, read, write, rename }: Translation): WireOperation {
  return {
    name,
    routes,
    query,
    ...(target.discovery ? { discovery: true } : {}),
    async invoke(call, raw) {
      // What `read` refuses has 0.3's names already.
      const request = withTenant(read(raw), raw);
      try {
        return written(await target.invoke(call, request), write);
      } catch (error) {
        throw error instanceof ProtocolError ? renamed(error, rename) : error;
      }
    },
  };
}

/** 0.3 has no tenants, but a path of ours may begin with one: 1.0's check refuses what is not the caller's. */
function withTenant(request: JsonObject, { tenant }: JsonObject): JsonObject {
  return tenant === undefined ? request : { ...request, tenant };
}

function written(result: WireResult, write: Translation['write']): WireResult {
  if ('json' in result) return { json: write(result.json) };
  if ('late' in result) return { late: writtenLate(result.late, write) };
  return { events: writtenEvents(result.events, write) };
}

async function* writtenLate(
  answer: LateAnswer,
  write: Translation['write'],
): LateAnswer & AsyncGenerator<object | undefined> {
  for await (const part of answer) yield part === undefined ? undefined : (write(part) ?? undefined);
}

async function* writtenEvents(
  events: AsyncIterable<StreamEvent>,
  write: Translation['write'],
): AsyncGenerator<StreamEvent> {
  for await (const event of events) yield 'data' in event ? { ...event, data: write(event.data) ?? {} } : event;
}

function renamed(error: ProtocolError, rename: Translation['rename']): ProtocolError {
  if (error.violations.length === 0) return error;
  let { message } = error;
  // Further on each time: what one field is called in 0.3 may be another's name in 1.0.
  let from = 0;
  const violations = error.violations.map((violation) => {
    const field = violation.field === 'tenant' ? violation.field : rename(violation.field);
    const at = message.indexOf(`${violation.field}: ${violation.description}`, from);
    if (at >= 0) {
      message = message.slice(0, at) + field + message.slice(at + violation.field.length);
      from = at + field.length;
    }
    return { ...violation, field };
  });
  const { reason, metadata, retryAfterSeconds, cause } = error;
  const retry = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return new ProtocolError(reason, message, { metadata, violations, cause, ...retry });
}
