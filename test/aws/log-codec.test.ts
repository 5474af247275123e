import { describe, expect, it } from 'vitest';
import { type PackedEntry, packEntry, unpackEntry } from '../../aws/log-codec.ts';
import type { Message } from '../../core/message.ts';
import type { LogEntry } from '../../core/task.ts';

const OWNER = { taskId: 't', contextId: 'c', bornMs: 1_000 };
const URI = 'https://askback.dev/a2a/extensions/question/v1';
const ENTRIES: readonly (readonly [LogEntry, string])[] = [
  [{ seq: 2, atMs: 1_005, generation: 2, state: 'TASK_STATE_WORKING' }, '{"s":2,"t":5,"g":2,"st":"WORKING"}'],
  [
    { seq: 3, atMs: 900, received: { value: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } } },
    '{"s":3,"t":-100,"r":{"messageId":"m","parts":[{"text":"hi"}]},"o":4}',
  ],
  [
    {
      seq: 4,
      atMs: 1_005,
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
      atMs: 1_005,
      generation: 4,
      artifact: { value: { artifact: { artifactId: 'a', parts: [{ data: null }] }, append: false, lastChunk: true } },
    },
    '{"s":5,"t":5,"g":4,"a":{"artifact":{"artifactId":"a","parts":[{"data":null}]},"append":false,"lastChunk":true}}',
  ],
  [
    { seq: 6, atMs: 1_005, generation: 5, state: 'TASK_STATE_INPUT_REQUIRED', reminds: 3 },
    '{"s":6,"t":5,"g":5,"st":"INPUT_REQUIRED","q":3}',
  ],
];

/** A message and how it lies there: as the agent's, and as the caller's. */
const MESSAGES: readonly (readonly [string, Omit<Message, 'messageId' | 'parts'>, string, string])[] = [
  [
    'all is as usual for a question',
    { role: 'ROLE_AGENT', taskId: 't', contextId: 'c', extensions: [URI] },
    '"m":{"messageId":"m","parts":[]},"o":15',
    '"r":{"messageId":"m","parts":[],"role":"ROLE_AGENT"},"o":11',
  ],
  [
    'of another task',
    { role: 'ROLE_USER', taskId: 't-2', contextId: 'c' },
    '"m":{"messageId":"m","parts":[],"taskId":"t-2","role":"ROLE_USER"},"o":2',
    '"r":{"messageId":"m","parts":[],"taskId":"t-2"},"o":6',
  ],
  [
    'of another context, with extensions of its own',
    { role: 'ROLE_USER', taskId: 't', contextId: 'c-2', extensions: [URI, 'x'], metadata: {} },
    '"m":{"messageId":"m","parts":[],"metadata":{},"contextId":"c-2","role":"ROLE_USER","extensions":["https://askback.dev/a2a/extensions/question/v1","x"]},"o":1',
    '"r":{"messageId":"m","parts":[],"metadata":{},"contextId":"c-2","extensions":["https://askback.dev/a2a/extensions/question/v1","x"]},"o":5',
  ],
  [
    'of which nothing is usual',
    { role: 'ROLE_UNSPECIFIED' as Message['role'], extensions: [] },
    '"m":{"messageId":"m","parts":[],"role":"ROLE_UNSPECIFIED","extensions":[]}',
    '"r":{"messageId":"m","parts":[],"role":"ROLE_UNSPECIFIED","extensions":[]}',
  ],
];

describe('log entries as stored', () => {
  it.each(ENTRIES)('%j', (entry, json) => {
    expect(JSON.stringify(packEntry(entry, OWNER))).toBe(json);
    expect(unpackEntry(JSON.parse(json) as PackedEntry, OWNER)).toStrictEqual(entry);
  });

  it.each(MESSAGES)('a message leaves out what it has in common with its task: %s', (_, rest, said, received) => {
    const value: Message = { messageId: 'm', parts: [], ...rest };
    for (const [entry, json] of [
      [{ seq: 7, atMs: 1_000, message: { value } }, said],
      [{ seq: 7, atMs: 1_000, received: { value } }, received],
    ] as const) {
      expect(JSON.stringify(packEntry(entry, OWNER))).toBe(`{"s":7,"t":0,${json}}`);
      expect(unpackEntry(JSON.parse(`{"s":7,"t":0,${json}}`) as PackedEntry, OWNER)).toStrictEqual(entry);
    }
  });
});
