/** Checks a raw ListTasks request (A2A 1.0 section 3.1.4). A filter that means nothing is refused, never ignored. */
import type { Owner } from '../ids.ts';
import type { Json, JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import { TASK_STATES, type TaskState } from '../message.ts';
import type { ListTasksRequest } from '../requests.ts';
import { defined, FieldCheck } from './fields.ts';

/** Throws `INVALID_PARAMS` with one violation for each wrong field. */
export function checkListTasks(raw: JsonObject, owner: Owner): ListTasksRequest {
  const check = new FieldCheck();
  check.tenant(raw.tenant, owner);
  return check.accept(
    defined({
      contextId: check.line(raw.contextId, 'contextId', limits.idLength),
      status: readStatus(check, raw.status),
      pageSize: readPageSize(check, raw.pageSize),
      pageToken: check.line(raw.pageToken, 'pageToken', limits.pageTokenLength),
      historyLength: check.count(raw.historyLength, 'historyLength'),
      sinceMs: readTimestamp(check, raw.statusTimestampAfter, 'statusTimestampAfter'),
      includeArtifacts: check.boolean(raw.includeArtifacts, 'includeArtifacts'),
    }),
  );
}

/** `TASK_STATE_UNSPECIFIED` is how ProtoJSON spells a state that was not given. */
function readStatus(check: FieldCheck, raw: Json | undefined): TaskState | undefined {
  if (raw === undefined || raw === null || raw === 'TASK_STATE_UNSPECIFIED') return undefined;
  const state = TASK_STATES.find((known) => known === raw);
  return state ?? check.refuse('status', `must be one of ${TASK_STATES.join(', ')}`);
}

function readPageSize(check: FieldCheck, raw: Json | undefined): number | undefined {
  if (raw === undefined || raw === null) return undefined;
  if (typeof raw === 'number' && Number.isInteger(raw) && raw >= 1 && raw <= limits.listPageMax) return raw;
  return check.refuse('pageSize', `must be an integer from 1 to ${limits.listPageMax}`);
}

const TIMESTAMP =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})T((?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9])(?:\.([0-9]{1,9}))?(Z|[+-][0-9]{2}:[0-9]{2})$/;

/**
 * RFC 3339 with a zone, to the nanosecond. Our own timestamps have milliseconds, so the first of them that is not
 * earlier is what is meant.
 */
function readTimestamp(check: FieldCheck, raw: Json | undefined, field: string): number | undefined {
  if (raw === undefined || raw === null || raw === '') return undefined;
  const [, year, month, day, time, fraction = '', zone] = (typeof raw === 'string' && TIMESTAMP.exec(raw)) || [];
  const wholeMs = Date.parse(`${year}-${month}-${day}T${time}${zone}`);
  if (Number.isNaN(wholeMs) || !isDate(Number(year), Number(month), Number(day))) {
    return check.refuse(field, 'must be an RFC 3339 timestamp such as 2026-01-31T09:30:00Z');
  }
  const atMs = wholeMs + Math.ceil(Number(fraction.padEnd(9, '0')) / 1_000_000);
  return Math.max(0, atMs);
}

/** Date.parse would take 30 February for 2 March. */
function isDate(year: number, month: number, day: number): boolean {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
}
