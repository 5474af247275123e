/** A `fetch` that reaches the agent and loses what comes back: whole responses, or a stream from its n-th event on. */

export interface FaultyFetch {
  readonly fetch: typeof fetch;
  /** Bodies of the requests that were sent, with their headers in lower case. */
  readonly sent: { readonly url: string; readonly body: string; readonly headers: Record<string, string> }[];
  /** The next `count` responses to requests whose body or URL holds `words` get lost. */
  lose(words: string, count?: number): void;
  /** The next stream of such a request ends at once, properly and without an event. */
  empty(words: string): void;
  /** The next stream of such a request breaks after `events` events. */
  cut(words: string, events: number): void;
}

export function faultyFetch(): FaultyFetch {
  const sent: FaultyFetch['sent'] = [];
  const losing: { words: string; count: number }[] = [];
  const cutting: { words: string; events: number }[] = [];
  const emptied: { words: string }[] = [];
  const take = <T extends { words: string }>(list: T[], text: string) => list.find(({ words }) => text.includes(words));
  return {
    sent,
    lose: (words, count = 1) => losing.push({ words, count }),
    empty: (words) => emptied.push({ words }),
    cut: (words, events) => cutting.push({ words, events }),
    async fetch(input, init) {
      const url = String(input instanceof Request ? input.url : input);
      const body = typeof init?.body === 'string' ? init.body : '';
      sent.push({ url, body, headers: Object.fromEntries(new Headers(init?.headers)) });
      const response = await fetch(input, init);
      const lost = take(losing, url + body);
      if (lost && lost.count > 0) {
        lost.count -= 1;
        if (lost.count === 0) losing.splice(losing.indexOf(lost), 1);
        // The agent has done its work by the time that nobody hears of it.
        await response.text();
        throw new TypeError('fetch failed');
      }
      const empty = take(emptied, url + body);
      if (empty) {
        emptied.splice(emptied.indexOf(empty), 1);
        await response.text();
        return new Response('', response);
      }
      const cut = take(cutting, url + body);
      if (!cut || !response.body) return response;
      cutting.splice(cutting.indexOf(cut), 1);
      // The agent has gone on by then to where its stream ends.
      return new Response(cutAfter(await response.text(), cut.events), response);
    },
  };
}

/** Server-sent events end with an empty line. */
function cutAfter(stream: string, events: number): ReadableStream<Uint8Array> {
  const all = stream.split('\n\n').filter((event) => event !== '' && !event.startsWith(':'));
  return new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(`${all.slice(0, events).join('\n\n')}\n\n`)),
    pull: (controller) => controller.error(new TypeError('terminated')),
  });
}
