/**
 * A `fetch` that takes no more than so much: the official client reads whole answers into memory, however long an agent
 * goes on. Event streams may go on, since the client bounds their events one by one.
 */
import { AgentMisbehavedError } from './errors.ts';

/** More than any server here sends (6 MB), with room for agents that put files into artifacts. */
export const ANSWER_BYTES = 64 * 1_024 * 1_024;

export function boundedFetch(own: typeof fetch, bytes: number = ANSWER_BYTES): typeof fetch {
  return async (input, init) => {
    const response = await own(input, init);
    if (!response.body || isStream(response, init)) return response;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(upTo(bytes)), { status, statusText, headers });
  };
}

/** Only what was asked for as a stream is read as one, whatever the answer calls itself. */
function isStream(response: Response, init: RequestInit | undefined): boolean {
  const asked = new Headers(init?.headers).get('accept') ?? '';
  const given = response.headers.get('content-type') ?? '';
  return response.ok && asked.includes('text/event-stream') && given.startsWith('text/event-stream');
}

function upTo(bytes: number): TransformStream<Uint8Array, Uint8Array> {
  let taken = 0;
  return new TransformStream({
    transform(chunk, controller) {
      taken += chunk.byteLength;
      if (taken <= bytes) return controller.enqueue(chunk);
      return controller.error(new AgentMisbehavedError(`the agent's answer is larger than ${bytes} bytes`));
    },
  });
}
