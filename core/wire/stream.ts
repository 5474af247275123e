/**
 * Server-sent events for results that are streams. Everything that can be refused has been refused before the first byte:
 * the first event is awaited, so that its error still gets its own status.
 */

export type StreamEvent =
  | {
      /** The `id:` line, which a client sends back as Last-Event-ID. */
      readonly id?: string;
      /** A StreamResponse (A2A 1.0 section 3.2.3). */
      readonly data: object;
    }
  /** One line for the connection, which readers of events skip: a heartbeat, or why the stream ends. */
  | { readonly comment: string };

export interface EventEncoding {
  data(data: object): string;
  /** The whole event that tells of an error in mid-stream. */
  failure(error: unknown): string;
}

export const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
} as const;

/** Rejects with what the stream throws before its first event. */
export async function encodeEvents(
  events: AsyncIterable<StreamEvent>,
  encoding: EventEncoding,
): Promise<AsyncIterable<string>> {
  const source = events[Symbol.asyncIterator]();
  const first = await source.next();
  return encoded(source, first, encoding);
}

async function* encoded(
  source: AsyncIterator<StreamEvent>,
  first: IteratorResult<StreamEvent>,
  encoding: EventEncoding,
): AsyncGenerator<string> {
  try {
    for (let next = first; !next.done; next = await source.next()) yield encodeOne(next.value, encoding);
  } catch (error) {
    yield encoding.failure(error);
  } finally {
    // The reader may have left in the middle: whatever feeds the stream must hear of it.
    await source.return?.();
  }
}

function encodeOne(event: StreamEvent, encoding: EventEncoding): string {
  if ('comment' in event) return `: ${event.comment}\n\n`;
  return `${event.id === undefined ? '' : `id: ${event.id}\n`}data: ${encoding.data(event.data)}\n\n`;
}
