/** Wrong requests that are well-formed JSON: both bindings refuse each field by name, and no operation runs. */
import { describe, expect, it } from 'vitest';
import { MESSAGE, rest, rpc, wired } from './support.ts';

const part = (value: unknown) => ({ message: { ...MESSAGE, parts: [value] } });
const message = (value: object) => ({ message: { ...MESSAGE, ...value } });
const configuration = (value: unknown) => ({ message: MESSAGE, configuration: value });
const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

const ONE_OF = 'must have one of text, raw, url and data';

/** Title, params, and every violation in order. */
const SEND_CASES: readonly [string, unknown, ...[field: string, description: string][]][] = [
  ['no message', {}, ['message', 'is required']],
  ['null message', { message: null }, ['message', 'is required']],
  ['message that is a list', { message: [] }, ['message', 'must be an object']],
  ['message that is text', { message: 'hello' }, ['message', 'must be an object']],
  [
    'empty message',
    { message: {} },
    ['message.messageId', 'is required'],
    ['message.role', 'is required'],
    ['message.parts', 'is required'],
  ],
  ['empty messageId', message({ messageId: '' }), ['message.messageId', 'must not be empty']],
  ['number as messageId', message({ messageId: 5 }), ['message.messageId', 'must be a string']],
  [
    'long messageId',
    message({ messageId: 'm'.repeat(129) }),
    ['message.messageId', 'must not be longer than 128 characters'],
  ],
  [
    'line break in messageId',
    message({ messageId: 'a\nb' }),
    ['message.messageId', 'must not contain control characters'],
  ],
  [
    'half a character in messageId',
    message({ messageId: '\ud800' }),
    ['message.messageId', 'must be well-formed Unicode'],
  ],
  ['number as contextId', message({ contextId: 1 }), ['message.contextId', 'must be a string']],
  ['object as taskId', message({ taskId: {} }), ['message.taskId', 'must be a string']],
  [
    'R90: the role of A2A 0.3',
    message({ role: 'user' }),
    ['message.role', 'must be ROLE_USER; "user" is A2A 0.3, and this request names version 1.0'],
  ],
  ["the agent's role", message({ role: 'ROLE_AGENT' }), ['message.role', 'must be ROLE_USER']],
  ['role by number', message({ role: 1 }), ['message.role', 'must be ROLE_USER']],
  ['unspecified role', message({ role: 'ROLE_UNSPECIFIED' }), ['message.role', 'must be ROLE_USER']],
  ['no parts', message({ parts: [] }), ['message.parts', 'must have at least one part']],
  ['parts that are an object', message({ parts: { text: 'x' } }), ['message.parts', 'must be a list']],
  [
    'too many parts',
    message({ parts: Array(101).fill({ text: 'x' }) }),
    ['message.parts', 'must not have more than 100 parts'],
  ],
  ['null part', part(null), ['message.parts[0]', 'must be an object']],
  ['text for a part', part('hello'), ['message.parts[0]', 'must be an object']],
  ['part without content', part({}), ['message.parts[0]', ONE_OF]],
  [
    'R90: a part of A2A 0.3',
    part({ kind: 'file', file: { uri: 'https://x' } }),
    ['message.parts[0]', `${ONE_OF}; "kind" is A2A 0.3, and this request names version 1.0`],
  ],
  ['null text alone', part({ text: null }), ['message.parts[0]', ONE_OF]],
  [
    'text and data',
    part({ text: 'x', data: {} }),
    ['message.parts[0]', 'must have one of text, raw, url and data, not text and data'],
  ],
  [
    'text and null data: null is a value',
    part({ text: 'x', data: null }),
    ['message.parts[0]', 'must have one of text, raw, url and data, not text and data'],
  ],
  [
    'all four',
    part({ text: 'x', raw: '', url: 'u', data: 1 }),
    ['message.parts[0]', 'must have one of text, raw, url and data, not text and raw and url and data'],
  ],
  ['number as text', part({ text: 5 }), ['message.parts[0].text', 'must be a string']],
  ['half a character in text', part({ text: 'a\udfff' }), ['message.parts[0].text', 'must be well-formed Unicode']],
  ['number as raw', part({ raw: 5 }), ['message.parts[0].raw', 'must be a base64 string']],
  ['bad base64: alphabet', part({ raw: 'a*b=' }), ['message.parts[0].raw', 'must be valid base64']],
  ['bad base64: one digit left', part({ raw: 'aaaaa' }), ['message.parts[0].raw', 'must be valid base64']],
  ['bad base64: padding', part({ raw: 'aa=' }), ['message.parts[0].raw', 'must be valid base64']],
  ['bad base64: padding inside', part({ raw: 'aa==aa==' }), ['message.parts[0].raw', 'must be valid base64']],
  ['bad base64: both alphabets', part({ raw: 'a+b_' }), ['message.parts[0].raw', 'must be valid base64']],
  ['empty url', part({ url: '' }), ['message.parts[0].url', 'must not be empty']],
  ['data too deep', part({ data: nested(65) }), ['message.parts[0].data', 'must not be nested deeper than 64 levels']],
  ['half a character in data', part({ data: ['\udc00'] }), ['message.parts[0].data', 'must be well-formed Unicode']],
  [
    'half a character in a key',
    part({ data: { '\ud800': 1 } }),
    ['message.parts[0].data', 'must be well-formed Unicode'],
  ],
  ['number as mediaType', part({ text: 'x', mediaType: 1 }), ['message.parts[0].mediaType', 'must be a string']],
  ['list as filename', part({ text: 'x', filename: [] }), ['message.parts[0].filename', 'must be a string']],
  ['list as part metadata', part({ text: 'x', metadata: [] }), ['message.parts[0].metadata', 'must be an object']],
  ['text as metadata', message({ metadata: 'x' }), ['message.metadata', 'must be an object']],
  [
    'large metadata',
    message({ metadata: { a: 'x'.repeat(16_384) } }),
    ['message.metadata', 'must not be larger than 16384 bytes'],
  ],
  [
    'deep metadata',
    message({ metadata: nested(65) }),
    ['message.metadata', 'must not be nested deeper than 64 levels'],
  ],
  ['text as extensions', message({ extensions: 'x' }), ['message.extensions', 'must be a list of strings']],
  ['number in extensions', message({ extensions: ['x', 1] }), ['message.extensions[1]', 'must be a string']],
  [
    'too many referenced tasks',
    message({ referenceTaskIds: Array(101).fill('t') }),
    ['message.referenceTaskIds', 'must not have more than 100 items'],
  ],
  ['list as configuration', configuration([]), ['configuration', 'must be an object']],
  [
    'text as historyLength',
    configuration({ historyLength: '5' }),
    ['configuration.historyLength', 'must be a non-negative integer'],
  ],
  [
    'negative historyLength',
    configuration({ historyLength: -1 }),
    ['configuration.historyLength', 'must be a non-negative integer'],
  ],
  [
    'fraction as historyLength',
    configuration({ historyLength: 1.5 }),
    ['configuration.historyLength', 'must be a non-negative integer'],
  ],
  [
    'historyLength over int32',
    configuration({ historyLength: 2_147_483_648 }),
    ['configuration.historyLength', 'must be a non-negative integer'],
  ],
  [
    'text as returnImmediately',
    configuration({ returnImmediately: 'false' }),
    ['configuration.returnImmediately', 'must be true or false'],
  ],
  [
    'null in acceptedOutputModes',
    configuration({ acceptedOutputModes: [null] }),
    ['configuration.acceptedOutputModes[0]', 'is required'],
  ],
  ['list as request metadata', { message: MESSAGE, metadata: [] }, ['metadata', 'must be an object']],
  ["another owner's tenant", { message: MESSAGE, tenant: 'globex' }, ['tenant', 'is not the tenant of this caller']],
  ['number as tenant', { message: MESSAGE, tenant: 1 }, ['tenant', 'must be a string']],
  [
    'wrong parts among right ones',
    { message: { ...MESSAGE, parts: [{ text: 'x' }, {}, { raw: '*' }] } },
    ['message.parts[1]', ONE_OF],
    ['message.parts[2].raw', 'must be valid base64'],
  ],
];

function refusal(violations: [string, string][]) {
  const fieldViolations = violations.map(([field, description]) => ({ field, description }));
  const metadata = { fieldViolations: JSON.stringify(fieldViolations) };
  return {
    message: violations.map(([field, description]) => `${field}: ${description}`).join('; '),
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'INVALID_PARAMS',
        domain: 'a2a-protocol.org',
        metadata,
      },
      { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations },
    ],
  };
}

describe('a wrong SendMessage is refused field by field, before any operation (design section 9)', () => {
  it.each(SEND_CASES)('JSON-RPC: %s', async (_title, params, ...violations) => {
    const wire = wired();
    const { status, json } = await rpc(wire, 'SendMessage', params);
    const { message: text, details } = refusal(violations);
    expect(json).toEqual({ jsonrpc: '2.0', id: 7, error: { code: -32602, message: text, data: details } });
    expect(status).toBe(200);
    expect(wire.calls).toEqual([]);
  });

  it.each(SEND_CASES)('HTTP+JSON: %s', async (_title, params, ...violations) => {
    const wire = wired();
    const { status, json, headers } = await rest(wire, 'POST', '/message:send', params);
    const { message: text, details } = refusal(violations);
    expect(json).toEqual({ error: { code: 400, status: 'INVALID_ARGUMENT', message: text, details } });
    expect(status).toBe(400);
    expect(headers['content-type']).toBe('application/json');
    expect(wire.calls).toEqual([]);
  });

  it('reports at most 20 violations and says how many more than three there are', async () => {
    const params = { message: { ...MESSAGE, parts: Array(50).fill({}) } };
    const { json } = await rpc(wired(), 'SendMessage', params);
    expect(json).toMatchObject({
      error: {
        message:
          'message.parts[0]: must have one of text, raw, url and data; ' +
          'message.parts[1]: must have one of text, raw, url and data; ' +
          'message.parts[2]: must have one of text, raw, url and data; and 17 more',
      },
    });
    expect(JSON.stringify(json).split('"field":').length).toBe(21);
  });

  it('refuses numbers that cannot be stored and keys that would become prototypes', async () => {
    const wire = wired();
    const send = async (data: string) => {
      const body = `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":${data}}]}}`;
      return (await rest(wire, 'POST', '/message:send', undefined, { body })).json;
    };
    expect(await send('{"n":1e400}')).toMatchObject({
      error: { message: 'message.parts[0].data: has a number that is too large' },
    });
    expect(await send('{"a":[{"__proto__":{"polluted":true}}]}')).toMatchObject({
      error: { message: 'message.parts[0].data: must not have a property named __proto__' },
    });
    expect(wire.calls).toEqual([]);
  });
});

describe('wrong GetTask and CancelTask requests', () => {
  const HISTORY: [string, string] = ['historyLength', 'must be a non-negative integer'];

  it.each<[string, string, unknown, ...[string, string][]]>([
    ['no params', 'GetTask', undefined, ['id', 'is required']],
    ['null params', 'GetTask', null, ['id', 'is required']],
    ['params by position', 'GetTask', ['task1'], ['params', 'must be an object']],
    ['empty id', 'GetTask', { id: '' }, ['id', 'must not be empty']],
    ['number as id', 'GetTask', { id: 1 }, ['id', 'must be a string']],
    ['long id', 'GetTask', { id: 't'.repeat(129) }, ['id', 'must not be longer than 128 characters']],
    ['NUL in id', 'GetTask', { id: 'a\u0000' }, ['id', 'must not contain control characters']],
    ['text as historyLength', 'GetTask', { id: 't', historyLength: '1' }, HISTORY],
    ['negative historyLength', 'GetTask', { id: 't', historyLength: -1 }, HISTORY],
    ["another owner's tenant", 'GetTask', { id: 't', tenant: 'x' }, ['tenant', 'is not the tenant of this caller']],
    ['no params', 'CancelTask', undefined, ['id', 'is required']],
    ['list as metadata', 'CancelTask', { id: 't', metadata: [] }, ['metadata', 'must be an object']],
    ["another owner's tenant", 'CancelTask', { id: 't', tenant: 'x' }, ['tenant', 'is not the tenant of this caller']],
  ])('JSON-RPC: %s (%s)', async (_title, method, params, ...violations) => {
    const wire = wired();
    const { json } = await rpc(wire, method, params);
    const { message: text, details } = refusal(violations);
    expect(json).toEqual({ jsonrpc: '2.0', id: 7, error: { code: -32602, message: text, data: details } });
    expect(wire.calls).toEqual([]);
  });

  it.each<[string, Record<string, string[]>, string, string]>([
    ['text', { historyLength: ['x'] }, ...HISTORY],
    ['empty', { historyLength: [''] }, ...HISTORY],
    ['negative', { historyLength: ['-1'] }, ...HISTORY],
    ['fraction', { historyLength: ['1.5'] }, ...HISTORY],
    ['exponent', { historyLength: ['1e3'] }, ...HISTORY],
    ['huge', { historyLength: ['99999999999999999999'] }, ...HISTORY],
    ['twice', { historyLength: ['1', '2'] }, 'historyLength', 'must be given once'],
    ['tenant', { tenant: ['x'] }, 'tenant', 'is not the tenant of this caller'],
  ])('HTTP+JSON query: %s', async (_title, query, field, description) => {
    const { status, json } = await rest(wired(), 'GET', '/tasks/t', undefined, { query });
    const { message: text, details } = refusal([[field, description]]);
    expect(json).toEqual({ error: { code: 400, status: 'INVALID_ARGUMENT', message: text, details } });
    expect(status).toBe(400);
  });

  it('HTTP+JSON: a body that is not an object, and a tenant in the path', async () => {
    expect((await rest(wired(), 'POST', '/message:send', [1])).json).toMatchObject({
      error: { code: 400, message: 'body: must be a JSON object' },
    });
    expect((await rest(wired(), 'POST', '/globex/message:send', { message: MESSAGE })).json).toMatchObject({
      error: { code: 400, message: 'tenant: is not the tenant of this caller' },
    });
    expect((await rest(wired(), 'GET', '/globex/tasks/task1')).status).toBe(400);
  });
});
