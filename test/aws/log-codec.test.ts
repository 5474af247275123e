import { describe, expect, it } from 'vitest';
import { decodeLogEntry, encodeLogEntry } from '../../aws/log-codec.ts';
import type { LogEntry } from '../../core/task.ts';

const ENTRIES: readonly (readonly [LogEntry, string])[] = [
  [{ seq: 2, atMs: 5, generation: 2, state: 'TASK_STATE_WORKING' }, '{"s":2,"t":5,"g":2,"st":"WORKING"}'],
  [
    { seq: 3, atMs: 5, received: { value: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } } },
    '{"s":3,"t":5,"r":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}]}}',
  ],
  [
    {
      seq: 4,
      atMs: 5,
      generation: 3,
      state: 'TASK_STATE_WORKING',
      message: { blob: 'hash', bytes: 2_000 },
      transient: true,
    },
    '{"s":4,"t":5,"g":3,"st":"WORKING","p":1,"m":["hash",2000]}',
  ],
  [
    {
      seq: 5,
      atMs: 5,
      generation: 4,
      artifact: { value: { artifact: { artifactId: 'a', parts: [{ data: null }] }, append: false, lastChunk: true } },
    },
    '{"s":5,"t":5,"g":4,"a":{"artifact":{"artifactId":"a","parts":[{"data":null}]},"append":false,"lastChunk":true}}',
  ],
  [
    { seq: 6, atMs: 5, generation: 5, state: 'TASK_STATE_INPUT_REQUIRED', reminds: 3 },
    '{"s":6,"t":5,"g":5,"st":"INPUT_REQUIRED","q":3}',
  ],
];

describe('log entries as stored', () => {
  it.each(ENTRIES)('%j', (entry, json) => {
    expect(encodeLogEntry(entry)).toBe(json);
    expect(decodeLogEntry(json)).toEqual(entry);
  });
});
