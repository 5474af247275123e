/**
 * What a caller may ask for under our extension's URI in a request's `metadata`, ahead of A2A 1.1
 * (docs/streams.md). Unknown names are left alone.
 */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { QUESTION_EXTENSION_URI } from '../question/extension.ts';
import type { FieldCheck } from './fields.ts';

/** A precondition of SendMessage. */
export function readPrecondition(check: FieldCheck, metadata: JsonObject | undefined) {
  const asked = ours(check, metadata);
  return { ifGenerationMatch: check.count(asked.ifGenerationMatch, path('ifGenerationMatch')) };
}

/** The long poll of GetTask. */
export function readLongPoll(check: FieldCheck, metadata: JsonObject | undefined) {
  const asked = ours(check, metadata);
  return {
    currentGeneration: check.count(asked.currentGeneration, path('currentGeneration')),
    waitMs: check.count(asked.waitMs, path('waitMs')),
  };
}

function ours(check: FieldCheck, metadata: JsonObject | undefined): JsonObject {
  const asked: Json | undefined = metadata?.[QUESTION_EXTENSION_URI];
  if (asked === undefined || asked === null) return {};
  if (isJsonObject(asked)) return asked;
  check.refuse(path(), 'must be an object');
  return {};
}

function path(name?: string): string {
  const extension = `metadata["${QUESTION_EXTENSION_URI}"]`;
  return name === undefined ? extension : `${extension}.${name}`;
}
