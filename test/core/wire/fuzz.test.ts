/** Nothing a caller can send is ever a 500, and every answer has the form of its binding (design section 9). */
import { Task } from '@a2a-js/sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answer, MESSAGE, rest, rpc, TASK, wired } from './support.ts';

const methods = [
  'SendMessage',
  'GetTask',
  'CancelTask',
  'ListTasks',
  'SendStreamingMessage',
  'GetExtendedAgentCard',
] as const;

function expectRpc(json: unknown): void {
  expect(json).toMatchObject({ jsonrpc: '2.0' });
  const { id, error, result } = json as { id: unknown; error?: unknown; result?: unknown };
  expect(id === null || typeof id === 'string' || typeof id === 'number').toBe(true);
  expect((error === undefined) !== (result === undefined)).toBe(true);
  if (error !== undefined) {
    expect(error).toMatchObject({
      code: expect.any(Number),
      message: expect.stringMatching(/./),
      data: expect.arrayContaining([expect.objectContaining({ domain: 'a2a-protocol.org' })]),
    });
  }
}

function expectRest(status: number, json: unknown): void {
  expect(status).toBeLessThan(500);
  if (status === 200) return;
  expect(json).toMatchObject({
    error: {
      code: status,
      status: expect.any(String),
      message: expect.stringMatching(/./),
      details: expect.any(Array),
    },
  });
}

/** A message in which any member may be anything. */
const almostMessage = fc.record(
  {
    messageId: fc.oneof(fc.constant('m1'), fc.jsonValue()),
    role: fc.oneof(fc.constant('ROLE_USER'), fc.jsonValue()),
    taskId: fc.jsonValue(),
    contextId: fc.jsonValue(),
    parts: fc.oneof(
      fc.jsonValue(),
      fc.array(
        fc.record(
          {
            text: fc.jsonValue(),
            raw: fc.jsonValue(),
            url: fc.jsonValue(),
            data: fc.jsonValue(),
            metadata: fc.jsonValue(),
          },
          { requiredKeys: [] },
        ),
      ),
    ),
    metadata: fc.jsonValue(),
    extensions: fc.jsonValue(),
  },
  { requiredKeys: [] },
);

describe('arbitrary requests', () => {
  it('any text as a body, on both bindings', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array()), async (body) => {
        const overRpc = await answer(wired(), { body });
        expect(overRpc.status).toBeLessThan(500);
        expectRpc(overRpc.json);
        const overHttp = await answer(wired(), { path: '/message:send', body });
        expectRest(overHttp.status, overHttp.json);
      }),
    );
  });

  it('any JSON as an envelope', async () => {
    const envelope = fc.record(
      {
        jsonrpc: fc.oneof(fc.constant('2.0'), fc.jsonValue()),
        id: fc.jsonValue(),
        method: fc.jsonValue(),
        params: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.jsonValue(), envelope), async (body) => {
        const { status, json } = await answer(wired(), { body: JSON.stringify(body) });
        expect(status).toBe(200);
        expectRpc(json);
      }),
    );
  });

  it('any params for any method, and any nearly right message', async () => {
    const params = fc.oneof(
      fc.jsonValue(),
      fc.record(
        { message: almostMessage, configuration: fc.jsonValue(), tenant: fc.jsonValue() },
        { requiredKeys: [] },
      ),
      fc.record({ id: fc.jsonValue(), historyLength: fc.jsonValue() }, { requiredKeys: [] }),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...methods), params, async (method, given) => {
        const { status, json } = await rpc(wired(), method, given);
        expect(status).toBe(200);
        expectRpc(json);
        const overHttp = await rest(wired(), 'POST', '/message:send', given);
        expectRest(overHttp.status, overHttp.json);
      }),
      { numRuns: 300 },
    );
  });

  it('any path, query, header and method', async () => {
    const path = fc.oneof(
      fc.string().map((text) => `/${text}`),
      fc
        .tuple(fc.webPath(), fc.constantFrom('', ':cancel', ':subscribe', '/pushNotificationConfigs'))
        .map((all) => all.join('')),
    );
    const values = fc.dictionary(fc.string(), fc.array(fc.string()));
    await fc.assert(
      fc.asyncProperty(
        path,
        values,
        fc.constantFrom('GET', 'POST', 'DELETE', 'PUT', 'HEAD'),
        fc.option(fc.string(), { nil: '1.0' }),
        async (given, query, method, version) => {
          const headers = { 'a2a-version': version, 'a2a-extensions': version, 'if-none-match': version };
          const { status, json } = await answer(wired(), { method, path: given, query, headers });
          expect(status).toBeLessThan(500);
          // No version is 0.3, whose errors are plain.
          if (given === '/' || given === '') return;
          if (version.trim() === '' && status >= 400) expect(json).toMatchObject({ message: expect.any(String) });
          else expectRest(status, json);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('what is accepted reaches the operation as the same JSON', async () => {
    // JSON.parse keeps `__proto__` as a property, which is refused; everything else is kept.
    const data = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('"__proto__"'));
    await fc.assert(
      fc.asyncProperty(data, async (value) => {
        const wire = wired();
        const message = { ...MESSAGE, parts: [{ data: value }] };
        await rpc(wire, 'SendMessage', { message });
        expect(JSON.stringify(wire.calls)).toBe(JSON.stringify([['sendMessage', { message }]]));
      }),
    );
  });
});

describe('the official SDK reads our tasks', () => {
  it('Task.fromJSON gives back what GetTask sent', async () => {
    const { json } = await rpc(wired(), 'GetTask', { id: 'task1' });
    const { result } = json as { result: unknown };
    expect(Task.toJSON(Task.fromJSON(result))).toEqual(TASK);
  });
});
