/** Server-sent events out of a byte stream, as the HTML standard reads them; only what A2A uses of them. */

export interface ServerEvent {
  /** `message` unless the event says otherwise. */
  readonly type: string;
  readonly id: string | undefined;
  readonly data: string;
}

/** More than the largest event of a server that keeps to the official client's limit. */
const MAX_EVENT = 8 * 1_024 * 1_024;

/** @throws Error when one event is larger than any should be */
export async function* serverEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let pending = '';
  for await (const chunk of chunks) {
    pending += decoder.decode(chunk, { stream: true });
    // A line feed may still follow a carriage return at the very end.
    const blocks = pending.split(/\r\n\r\n|\n\n|\r\r(?!$)/);
    pending = blocks.pop() ?? '';
    if (pending.length > MAX_EVENT) throw new Error('an event of the stream is too large');
    for (const block of blocks) {
      const event = eventOf(block);
      if (event) yield event;
    }
  }
}

/** Undefined for comments alone. */
function eventOf(block: string): ServerEvent | undefined {
  const data: string[] = [];
  let type = 'message';
  let id: string | undefined;
  for (const line of block.split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') data.push(value);
    else if (name === 'event') type = value;
    else if (name === 'id') id = value;
  }
  return data.length === 0 ? undefined : { type, id, data: data.join('\n') };
}
