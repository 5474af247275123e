/** Matches paths of the HTTP+JSON binding (A2A 1.0 section 11.3), each also under `/{tenant}`. */
import type { JsonObject } from '../json.ts';
import type { WireOperation } from './operations.ts';

export type RouteMatch =
  | { readonly operation: WireOperation; readonly fields: JsonObject }
  /** The path exists, the method does not. */
  | { readonly allow: readonly string[] };

/** A piece of a path: a literal, or a field with a literal behind it (`{id}:cancel`). */
type Segment = string | { readonly field: string; readonly suffix: string };

interface CompiledRoute {
  readonly method: string;
  readonly segments: readonly Segment[];
  readonly operation: WireOperation;
}

export type Router = (method: string, path: string) => RouteMatch | undefined;

export function router(operations: readonly WireOperation[]): Router {
  const routes = operations.flatMap((operation) =>
    operation.routes.map(({ method, path }) => ({ method, segments: compile(path), operation })),
  );
  // Routes without a tenant come first: `/tasks/x` is the task x, not a path of the tenant "tasks".
  const all: CompiledRoute[] = [
    ...routes,
    ...routes.map((route) => ({ ...route, segments: [{ field: 'tenant', suffix: '' }, ...route.segments] })),
  ];
  return (method, path) => {
    const given = path.split('/').slice(1).map(decoded);
    const matches = all.flatMap((route) => {
      const fields = match(route.segments, given);
      return fields === undefined ? [] : [{ ...route, fields }];
    });
    // `/tasks/{id}` also matches what ends in `:cancel`; the longer pattern is meant.
    matches.sort((a, b) => suffixLength(b.segments) - suffixLength(a.segments));
    const found = matches.find((route) => route.method === method);
    if (found !== undefined) return { operation: found.operation, fields: found.fields };
    if (matches.length === 0) return undefined;
    return { allow: [...new Set(matches.map((route) => route.method))].sort() };
  };
}

function compile(path: string): readonly Segment[] {
  return path
    .split('/')
    .slice(1)
    .map((segment) => {
      const [, field, suffix] = /^\{(\w+)\}(.*)$/.exec(segment) ?? [];
      return field === undefined ? segment : { field, suffix: suffix ?? '' };
    });
}

function match(segments: readonly Segment[], given: readonly string[]): JsonObject | undefined {
  if (segments.length !== given.length) return undefined;
  const fields: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const value = given[index] ?? '';
    if (typeof segment === 'string') {
      if (value !== segment) return undefined;
    } else {
      if (!value.endsWith(segment.suffix) || value.length === segment.suffix.length) return undefined;
      fields[segment.field] = value.slice(0, value.length - segment.suffix.length);
    }
  }
  return fields;
}

function suffixLength(segments: readonly Segment[]): number {
  return segments.reduce((sum, segment) => sum + (typeof segment === 'string' ? 0 : segment.suffix.length), 0);
}

/** Some gateways decode the path before they pass it on; what cannot be decoded is then taken as it is. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
