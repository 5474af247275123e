/** Lambda response streaming (design 9), against a runtime that writes what AWS's writes: prelude, 8 NULs, payload. */
import { Writable } from 'node:stream';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import type { TaskOperations } from '../../core/wire/operations.ts';
import { type ApiContext, apiHandler } from '../../functions/api.ts';
import type { GatewayResult } from '../../functions/gateway-event.ts';
import { type LambdaStreaming, streamResponses } from '../../functions/stream-response.ts';
import { fakeDeps, TASK } from '../core/wire/support.ts';
import { ManualClock, settle } from '../fakes/manual-clock.ts';
import { QuietLog } from '../fakes/quiet-log.ts';
import { gatewayEvent, lambdaContext } from './events.ts';

const NULS = '\0'.repeat(8);

/** A caller at the other end; `slow`: takes nothing until it is told to. */
class Caller extends Writable {
  readonly chunks: string[] = [];
  prelude: string | undefined;
  #taken: (() => void) | undefined;
  readonly #slow: boolean;

  constructor(slow = false) {
    super({ highWaterMark: slow ? 1 : 16_384, decodeStrings: false });
    this.#slow = slow;
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, callback: () => void): void {
    if (this.prelude !== undefined && this.chunks.length === 0) this.chunks.push(`${this.prelude}${NULS}`);
    this.chunks.push(String(chunk));
    if (this.#slow) this.#taken = callback;
    else callback();
  }

  take(): void {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.();
  }
}

const runtime: LambdaStreaming = {
  streamifyResponse: (handler) => handler,
  HttpResponseStream: {
    from(stream, metadata) {
      (stream as Caller).prelude = JSON.stringify(metadata);
      return stream;
    },
  },
};

function lambda(handle: (event: APIGatewayProxyEvent, context: ApiContext) => Promise<GatewayResult>) {
  const clock = new ManualClock();
  const log = new QuietLog();
  const handler = streamResponses({ clock, log }, handle, runtime);
  const invoke = (caller: Caller, event = gatewayEvent({}), context: Context = lambdaContext(900_000)) =>
    handler(event, caller, context);
  return { clock, log, invoke };
}

const sse = (body: AsyncIterable<string>): GatewayResult => ({
  statusCode: 200,
  headers: { 'content-type': 'text/event-stream' },
  body,
});

describe('a response that streams', () => {
  it('status and headers leave before the first event is there, then each event by itself', async () => {
    let goOn = () => {};
    const { invoke } = lambda(async () =>
      sse(
        (async function* () {
          await new Promise<void>((resolve) => (goOn = resolve));
          yield 'one';
          await new Promise<void>((resolve) => (goOn = resolve));
          yield 'two';
        })(),
      ),
    );
    const caller = new Caller();
    const invoked = invoke(caller);
    await settle();
    const prelude = `{"statusCode":200,"headers":{"content-type":"text/event-stream"}}${NULS}`;
    expect(caller.chunks).toEqual([prelude, '']);
    goOn();
    await settle();
    expect(caller.chunks).toEqual([prelude, '', 'one']);
    goOn();
    await invoked;
    expect(caller.chunks).toEqual([prelude, '', 'one', 'two']);
    expect(caller.writableFinished).toBe(true);
  });

  it('is written no faster than it is taken', async () => {
    let made = 0;
    const { invoke } = lambda(async () =>
      sse(
        (async function* () {
          for (; made < 5; made += 1) yield `event ${made}`;
        })(),
      ),
    );
    const caller = new Caller(true);
    const invoked = invoke(caller);
    await settle();
    caller.take();
    await settle();
    expect(made).toBe(0);
    caller.take();
    await settle();
    expect(made).toBe(1);
    for (let n = 0; n < 5; n += 1) {
      caller.take();
      await settle();
    }
    await invoked;
    expect(caller.chunks.slice(2)).toEqual(['event 0', 'event 1', 'event 2', 'event 3', 'event 4']);
  });

  it('R34: a caller who leaves aborts the work at once', async () => {
    let ended = false;
    const { invoke, clock } = lambda(async (_event, context) =>
      sse(
        (async function* () {
          try {
            yield 'one';
            await new Promise<void>((resolve) => context.signal?.addEventListener('abort', () => resolve()));
          } finally {
            ended = true;
          }
        })(),
      ),
    );
    const caller = new Caller();
    const invoked = invoke(caller);
    await settle();
    caller.destroy();
    await invoked;
    expect(ended).toBe(true);
    expect(clock.sleeping).toBe(0);
  });

  it.each([
    ['that waits for the next event', false],
    ['whose caller takes nothing', true],
  ])('one %s ends a second before its function: on AWS nobody tells that the caller has gone', async (_what, slow) => {
    let endedAtMs = 0;
    const { invoke, clock } = lambda(async (_event, context) =>
      sse(
        (async function* () {
          try {
            for (let n = 0; ; n += 1) {
              yield 'one';
              if (!slow && n === 0)
                await new Promise<void>((resolve) => context.signal?.addEventListener('abort', () => resolve()));
            }
          } finally {
            endedAtMs = clock.now();
          }
        })(),
      ),
    );
    const invoked = invoke(new Caller(slow), gatewayEvent({}), lambdaContext(60_000));
    await clock.advance(60_000);
    await invoked;
    expect(endedAtMs - 1_800_000_000_000).toBe(59_000);
  });

  it('an error in mid-stream is an error event, without its text', async () => {
    const { invoke, log } = lambda(async () =>
      sse(
        (async function* () {
          yield 'one';
          throw new Error('table name');
        })(),
      ),
    );
    const caller = new Caller();
    await invoke(caller);
    expect(caller.chunks.at(-1)).toBe(
      'event: error\ndata: {"error":{"code":500,"status":"INTERNAL","message":"Internal error","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"INTERNAL","domain":"a2a-protocol.org","metadata":{"correlationId":"gateway-request-1"}}]}}\n\n',
    );
    expect(log.lines.map(({ message }) => message)).toEqual(['a stream broke']);
  });

  it('an answer that breaks after its first blank is cut: the invocation fails', async () => {
    const { invoke } = lambda(async () => ({
      statusCode: 200,
      headers: { 'content-type': 'application/json' },
      body: (async function* () {
        yield ' ';
        throw new Error('too late');
      })(),
    }));
    const caller = new Caller();
    await expect(invoke(caller)).rejects.toThrow('too late');
    expect(caller.writableFinished).toBe(false);
  });
});

describe('a response in one piece', () => {
  it('goes through the same pump', async () => {
    const { invoke, clock } = lambda(async () => ({ statusCode: 404, headers: { etag: 'x' }, body: '{"error":{}}' }));
    const caller = new Caller();
    await invoke(caller);
    expect(caller.chunks.join('')).toBe(`{"statusCode":404,"headers":{"etag":"x"}}${NULS}{"error":{}}`);
    expect(clock.sleeping).toBe(0);
  });

  it('that has no body still tells its status', async () => {
    const { invoke } = lambda(async () => ({ statusCode: 304, headers: {}, body: '' }));
    const caller = new Caller();
    await invoke(caller);
    expect(caller.chunks.join('')).toBe(`{"statusCode":304,"headers":{}}${NULS}`);
  });
});

describe('the api function behind it', () => {
  const operations: TaskOperations = {
    sendMessage: async () => ({ task: TASK }),
    async streamMessage() {
      throw new Error('not used');
    },
    async subscribeToTask(_deps, _owner, { id }, options) {
      return (async function* () {
        yield { id: '1', event: { task: { ...TASK, id } } };
        yield { comment: `${options?.waitMs} ${options?.lastEventId}` };
      })();
    },
    getTask: async () => TASK,
    listTasks: async () => ({ tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 }),
    cancelTask: async () => TASK,
  };
  const api = (streaming: boolean) => {
    const deps = { ...fakeDeps(), clock: new ManualClock() };
    return { deps, handler: apiHandler(deps, { streaming }, operations) };
  };

  it('streams a subscription, with the time that the function has', async () => {
    const { deps, handler } = api(true);
    const caller = new Caller();
    const event = gatewayEvent({ method: 'GET', path: '/tasks/t:subscribe', headers: { 'Last-Event-ID': ['4'] } });
    await streamResponses(deps, handler, runtime)(event, caller, lambdaContext(100_000));
    const [prelude, , task, comment] = caller.chunks;
    expect(prelude).toContain('"content-type":"text/event-stream"');
    expect(task).toMatch(/^id: 1\ndata: \{"task":\{"id":"t",/);
    expect(comment).toBe(': 98000 4\n\n');
  });

  it('keeps no stream open for longer than 14 minutes', async () => {
    const { deps, handler } = api(true);
    const caller = new Caller();
    const event = gatewayEvent({ method: 'GET', path: '/tasks/t:subscribe' });
    await streamResponses(deps, handler, runtime)(event, caller, lambdaContext(900_000));
    expect(caller.chunks.at(-1)).toBe(': 840000 undefined\n\n');
  });

  it('without streaming refuses it', async () => {
    const event = gatewayEvent({ method: 'GET', path: '/tasks/t:subscribe' });
    const { statusCode, body } = await api(false).handler(event, lambdaContext());
    expect(statusCode).toBe(400);
    expect(JSON.parse(String(body))).toMatchObject({ error: { status: 'FAILED_PRECONDITION' } });
  });

  it('does not start where there is no runtime that streams', () => {
    expect(() => streamResponses({ clock: new ManualClock(), log: new QuietLog() }, api(true).handler)).toThrow(
      'ASKBACK_STREAMING is on, and this is not a Lambda runtime that streams',
    );
  });
});
