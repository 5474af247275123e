/** What travels through the turn queue (design, section 4): a name, and nothing that is told beside it. */
import { describe, expect, it } from 'vitest';
import { encodeQueueMessage, parseQueueMessage, type QueueMessage } from '../../core/queue-message.ts';

describe('a message of the turn queue', () => {
  it.each<[QueueMessage, string]>([
    [{ taskId: 'a', turn: 2 }, '{"taskId":"a","turn":2}'],
    [{ taskId: 'a', undo: { of: 'hold', n: 1 } }, '{"taskId":"a","undo":{"of":"hold","n":1}}'],
    [{ taskId: 'a', undo: { of: 'delegate', n: 3 } }, '{"taskId":"a","undo":{"of":"delegate","n":3}}'],
  ])('is read as it was written: %j', (message, text) => {
    expect(encodeQueueMessage(message)).toBe(text);
    expect(parseQueueMessage(text)).toEqual(message);
  });

  it('carries nothing that lies beside it', () => {
    const turn = { taskId: 'a', turn: 1, secret: 's' } as QueueMessage;
    expect(encodeQueueMessage(turn)).toBe('{"taskId":"a","turn":1}');
    const undo = { taskId: 'a', undo: { of: 'hold', n: 1, value: 's' } } as QueueMessage;
    expect(encodeQueueMessage(undo)).toBe('{"taskId":"a","undo":{"of":"hold","n":1}}');
  });

  it.each([
    '',
    '{',
    'null',
    '[]',
    '{}',
    '{"taskId":"","turn":1}',
    '{"taskId":7,"turn":1}',
    '{"taskId":"a"}',
    '{"taskId":"a","turn":0}',
    '{"taskId":"a","turn":1.5}',
    '{"taskId":"a","turn":"1"}',
    '{"taskId":"a","undo":{"of":"ask","n":1}}',
    '{"taskId":"a","undo":{"of":"hold","n":0}}',
    '{"taskId":"a","undo":{"of":"hold"}}',
  ])('is not read out of %s', (text) => {
    expect(parseQueueMessage(text)).toBeUndefined();
  });
});
