/** What the checks let through, and in which form the operation gets it (A2A 1.0 section 5.7). */
import { describe, expect, it } from 'vitest';
import { checkCancelTask, checkGetTask, checkSendMessage } from '../../../core/wire/check-request.ts';
import { MESSAGE } from './support.ts';

const OWNER = { tenant: 'acme', principal: 'alice' };

describe('accepted requests', () => {
  it('keeps every known field of a message and drops unknown ones, at every level', () => {
    const request = checkSendMessage(
      {
        tenant: 'acme',
        unknown: 1,
        metadata: { source: 'test' },
        configuration: {
          acceptedOutputModes: ['text/plain'],
          historyLength: 0,
          returnImmediately: false,
          blocking: true,
          taskPushNotificationConfig: null,
        },
        message: {
          messageId: 'm1',
          contextId: 'ctx',
          taskId: 'task',
          role: 'ROLE_USER',
          kind: 'message',
          parts: [{ text: 'a', kind: 'text', filename: 'f.txt', mediaType: 'text/plain', metadata: { k: [1, null] } }],
          metadata: {},
          extensions: ['https://example.com/x'],
          referenceTaskIds: ['t0'],
        },
      },
      OWNER,
    );
    expect(request).toEqual({
      metadata: { source: 'test' },
      configuration: { acceptedOutputModes: ['text/plain'], historyLength: 0, returnImmediately: false },
      message: {
        messageId: 'm1',
        contextId: 'ctx',
        taskId: 'task',
        role: 'ROLE_USER',
        parts: [{ text: 'a', filename: 'f.txt', mediaType: 'text/plain', metadata: { k: [1, null] } }],
        metadata: {},
        extensions: ['https://example.com/x'],
        referenceTaskIds: ['t0'],
      },
    });
  });

  it('takes null and the empty string of optional fields for absent (ProtoJSON)', () => {
    const request = checkSendMessage(
      {
        tenant: '',
        metadata: null,
        configuration: null,
        message: { ...MESSAGE, contextId: '', taskId: null, metadata: null, extensions: [], referenceTaskIds: null },
      },
      OWNER,
    );
    expect(request).toStrictEqual({ message: MESSAGE });
  });

  it.each([false, 0, '', null, [], {}, { a: null }])('R56: data %j stays what it is', (data) => {
    const { message } = checkSendMessage({ message: { ...MESSAGE, parts: [{ data }] } }, OWNER);
    expect(message.parts).toStrictEqual([{ data }]);
  });

  it.each([
    ['aGVsbG8=', 'aGVsbG8='],
    ['aGVsbG8', 'aGVsbG8='],
    ['-_-_', '+/+/'],
    ['-w', '+w=='],
    ['', ''],
  ])('keeps base64 %j in its standard form', (given, kept) => {
    const { message } = checkSendMessage({ message: { ...MESSAGE, parts: [{ raw: given }] } }, OWNER);
    expect(message.parts).toStrictEqual([{ raw: kept }]);
  });

  it('accepts limits exactly: 128 characters, 100 parts, 64 levels, empty text, any characters in text', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 64; level += 1) deep = [deep];
    const parts = [{ data: deep }, { text: '' }, { text: '\u0000\t\n\u202e😀' }, ...Array(97).fill({ text: 'x' })];
    const raw = { message: { ...MESSAGE, messageId: 'm'.repeat(128), parts } };
    expect(checkSendMessage(JSON.parse(JSON.stringify(raw)), OWNER)).toEqual(raw);
  });

  it('checks five megabytes of base64 without failing, right or wrong', () => {
    const raw = 'QUJD'.repeat(1_250_000);
    const send = (value: string) => checkSendMessage({ message: { ...MESSAGE, parts: [{ raw: value }] } }, OWNER);
    expect(send(raw).message.parts[0]?.raw?.length).toBe(5_000_000);
    expect(() => send(`${raw}*`)).toThrow('message.parts[0].raw: must be valid base64');
  });

  it('an unknown field named __proto__ changes nothing', () => {
    const raw = JSON.parse(
      '{"__proto__":{"polluted":1},"message":{"__proto__":{"taskId":"x"},"messageId":"m1","role":"ROLE_USER",' +
        '"parts":[{"__proto__":{"mediaType":"x"},"text":"hello"}]}}',
    );
    const { message } = checkSendMessage(raw, OWNER);
    expect(message).toStrictEqual(MESSAGE);
    expect(message.taskId).toBeUndefined();
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('reads GetTask and CancelTask', () => {
    expect(checkGetTask({ id: 't', historyLength: 2, tenant: 'acme', x: 1 }, OWNER)).toStrictEqual({
      id: 't',
      historyLength: 2,
    });
    expect(checkGetTask({ id: 't', historyLength: null }, OWNER)).toStrictEqual({ id: 't' });
    expect(checkCancelTask({ id: 't', metadata: { why: 'x' } }, OWNER)).toStrictEqual({
      id: 't',
      metadata: { why: 'x' },
    });
  });
});
