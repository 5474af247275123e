/** Results that are streams, through an extra row of the table: what issue by issue adds rows relies on. */
import { parseSseStream } from '@a2a-js/sdk';
import { describe, expect, it } from 'vitest';
import { taskNotFound } from '../../../core/errors.ts';
import { handleHttp } from '../../../core/wire/dispatch.ts';
import type { WireOperation } from '../../../core/wire/operations.ts';
import type { StreamEvent } from '../../../core/wire/stream.ts';
import { answer, httpRequest, rpc, TASK, wired } from './support.ts';

const streaming = (events: () => AsyncIterable<StreamEvent>): readonly WireOperation[] => [
  {
    name: 'SendStreamingMessage',
    routes: [{ method: 'POST', path: '/message:stream' }],
    query: {},
    invoke: async () => ({ events: events() }),
  },
];

async function* twoEvents(): AsyncGenerator<StreamEvent> {
  yield { data: { task: TASK } };
  yield { id: '3', data: { statusUpdate: { taskId: 'task1', contextId: 'ctx1', status: TASK.status } } };
}

const read = async (text: string) => {
  const read = [];
  for await (const event of parseSseStream(new Response(text)))
    read.push({ type: event.type, data: JSON.parse(event.data) });
  return read;
};

describe('streamed results', () => {
  it('are server-sent events that the official client reads, with ids', async () => {
    const { status, headers, text } = await answer(wired({}, streaming(twoEvents)), { path: '/message:stream' });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/event-stream');
    expect(text).toContain('\n\nid: 3\ndata: {"statusUpdate"');
    expect((await read(text)).map(({ data }) => Object.keys(data))).toEqual([['task'], ['statusUpdate']]);
  });

  it('are wrapped one by one under JSON-RPC', async () => {
    const { text } = await rpc(wired({}, streaming(twoEvents)), 'SendStreamingMessage', {});
    expect((await read(text)).map(({ data }) => data)).toMatchObject([
      { jsonrpc: '2.0', id: 7, result: { task: { id: 'task1' } } },
      { jsonrpc: '2.0', id: 7, result: { statusUpdate: { taskId: 'task1' } } },
    ]);
  });

  it('R29: an error before the first event has its own status, not a stream', async () => {
    // biome-ignore lint/correctness/useYield: it fails before it could.
    const failing = async function* (): AsyncGenerator<StreamEvent> {
      throw taskNotFound('t');
    };
    const { status, json } = await answer(wired({}, streaming(failing)), { path: '/message:stream' });
    expect(status).toBe(404);
    expect(json).toMatchObject({ error: { status: 'NOT_FOUND' } });
  });

  it('an error in mid-stream is the last event, in the form of the binding', async () => {
    const breaking = async function* (): AsyncGenerator<StreamEvent> {
      yield { data: { task: TASK } };
      throw new Error('secret');
    };
    const overHttp = await answer(wired({}, streaming(breaking)), { path: '/message:stream' });
    expect((await read(overHttp.text))[1]).toMatchObject({ type: 'error', data: { error: { code: 500 } } });
    const overRpc = await rpc(wired({}, streaming(breaking)), 'SendStreamingMessage', {});
    expect((await read(overRpc.text))[1]).toMatchObject({ data: { id: 7, error: { code: -32603 } } });
    expect(overHttp.text + overRpc.text).not.toContain('secret');
  });

  it('R34: a reader that leaves ends the source', async () => {
    let ended = false;
    const endless = async function* (): AsyncGenerator<StreamEvent> {
      try {
        for (;;) yield { data: {} };
      } finally {
        ended = true;
      }
    };
    const request = httpRequest({ path: '/message:stream' });
    const { body } = await handleHttp(request, wired({}, streaming(endless)).context);
    if (typeof body === 'string') throw new Error('expected a stream');
    for await (const chunk of body) if (chunk !== '') break;
    expect(ended).toBe(true);
  });
});
