import { describe, expect, it } from 'vitest';
import { createOutput } from '../../../client/cli/output.ts';
import { historyLines, inboxLines, partText, requestLine } from '../../../client/cli/render-task.ts';
import { cardLines } from '../../../client/cli/render-card.ts';
import { choiceLines, questionLines } from '../../../client/cli/form.ts';
import { formField } from '../../../client/cli/field.ts';
import { duration, timeLeft } from '../../../client/cli/time-left.ts';
import type { World } from '../../../client/cli/world.ts';
import { readQuestion } from '../../../client/read-question.ts';
import type { Task } from '../../../core/message.ts';
import { screenOf } from './screen.ts';

const NOW = Date.parse('2026-11-30T10:00:00Z');
const URI = 'https://askback.dev/a2a/extensions/question/v1';

function output({ tty = false, env = {}, json = false } = {}) {
  const written: string[] = [];
  const screen = { write: (text: string) => void written.push(text), isTTY: tty, columns: undefined };
  const world = { out: screen, err: screen, env } as unknown as World;
  return { out: createOutput(world, json), written };
}
const { out } = output();

const asking: Task = {
  id: 't-1',
  contextId: 'c-1',
  status: {
    state: 'TASK_STATE_INPUT_REQUIRED',
    timestamp: '2026-11-30T09:00:00.000Z',
    message: {
      messageId: 'q-1',
      role: 'ROLE_AGENT',
      parts: [
        { text: 'Which one?\u001b]0;owned\u0007\u202e' },
        {
          data: {
            questionId: 'q-1',
            expires: '2026-12-01T09:30:00.000Z',
            answerSchema: { type: 'object', properties: { pick: { type: 'string' } }, required: ['pick'] },
            options: [{ value: 'a', label: 'First\u001b[1A', description: 'the one' }, 'b'],
            attempt: 2,
            maxAttempts: 3,
          },
        },
      ],
    },
  },
};
const question = readQuestion(asking, { name: 'Agent', url: 'http://localhost:3000' });

describe('a question', () => {
  it('shows who asks, its text, the time left and the attempt; nothing of it moves the cursor', () => {
    expect(questionLines(question, out, NOW)).toEqual([
      'Agent (http://localhost:3000) asks:',
      '  Which one?',
      '  23 h 30 min left (until 2026-12-01 09:30:00 UTC); attempt 2 of 3',
    ]);
  });

  it('shows its options as numbers, with label and description', () => {
    if (question.kind !== 'question') throw new Error('no question');
    const [first] = question.fields;
    expect(choiceLines(formField(first!, false))).toEqual(['  1) First  the one', '  2) b']);
  });

  it('is on the inbox with its agent, the address, the time that is left, and the request where it is known', () => {
    const lines = [
      't-1  Agent (http://localhost:3000)  23 h 30 min left (until 2026-12-01 09:30:00 UTC)',
      '  Which one?',
    ];
    expect(inboxLines([{ question }], out, NOW)).toEqual(lines);
    const request = 'File my taxi receipt';
    expect(inboxLines([{ question, request }], out, NOW)).toEqual([lines[0], '  "File my taxi receipt"', lines[1]]);
  });

  it.each([
    [[{ data: 1 }, { text: ' \u001b[2JFile my receipt\nfrom Tuesday' }], 'File my receipt'],
    [[{ text: 'x'.repeat(200) }], `${'x'.repeat(99)}…`],
    [[{ data: 1 }, { text: '  ' }], undefined],
  ])('%#: the first line of the request, cleaned and cut, tells tasks apart', (parts, expected) => {
    expect(requestLine(parts)).toBe(expected);
  });
});

describe('time left', () => {
  it.each([
    [59_999, '59 s'],
    [60_000, '1 min'],
    [3_600_000, '1 h'],
    [86_399_999, '23 h 59 min'],
    [86_400_000, '1 d'],
    [30 * 86_400_000 - 1, '29 d 23 h'],
  ])('%d ms is %j, never more than is left', (ms, expected) => {
    expect(duration(ms)).toBe(expected);
  });

  it('is overdue from the very time on', () => {
    expect(timeLeft('2026-11-30T10:00:00Z', NOW)).toBe('overdue');
    expect(timeLeft('2026-11-30T10:00:00.001Z', NOW)).toBe('0 s left');
  });
});

describe('the audit trail', () => {
  const recordedAt = (time: string) => ({ [URI]: { recordedAt: time } });
  const task: Task = {
    ...asking,
    history: [
      { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'Hello' }], metadata: recordedAt('2026-11-30T08:59:59Z') },
      { ...asking.status.message!, metadata: recordedAt('2026-11-30T09:00:00Z') },
      { messageId: 'm-2', role: 'ROLE_USER', parts: [{ data: { pick: 'c' } }, { raw: 'AAAA', filename: 'r.png' }] },
    ],
  };

  it('has each message with its time and sender, and ends with how it stands', () => {
    expect(historyLines(task, 'Agent', out)).toEqual([
      '2026-11-30 08:59:59 UTC  you  m-1',
      '  Hello',
      '2026-11-30 09:00:00 UTC  Agent  q-1',
      '  asks (attempt 2 of 3): Which one?',
      'time unknown             you  m-2',
      '  {\n    "pick": "c"\n  }',
      '  r.png, 3 bytes',
      'Task t-1 is input-required since 2026-11-30 09:00:00 UTC',
    ]);
  });

  it('names files and addresses, and never writes bytes', () => {
    expect(partText({ url: 'https://x/y\u001b[2J', filename: 'a.pdf', mediaType: 'application/pdf' })).toBe(
      'a.pdf (application/pdf): https://x/y',
    );
  });
});

describe('an agent card', () => {
  it('says what it speaks, can and wants, and what strangers wrote is cleaned', () => {
    const card = {
      name: 'Agent\u001b[31m',
      version: '1.0.0',
      description: 'Does\nthings.',
      supportedInterfaces: [{ url: 'http://localhost:3000', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
      capabilities: { streaming: true, extensions: [{ uri: URI }] },
      securitySchemes: { oidc: {} },
      skills: [{ id: 's', name: 'Skill', description: 'Helps.', examples: ['Help me'] }],
    };
    expect(cardLines(card, out)).toEqual([
      'Agent 1.0.0',
      'Does things.',
      '',
      'speaks      JSONRPC 1.0 at http://localhost:3000',
      'can         streams, no notifications, asks questions with answer schemas',
      'credentials oidc',
      `extensions  ${URI}`,
      '',
      'Skill (s)',
      '  Helps.',
      '  e.g. "Help me"',
    ]);
  });
});

describe('colour', () => {
  it.each([
    [{ tty: true }, '\u001b[31mx\u001b[0m'],
    [{ tty: false }, 'x'],
    [{ tty: true, env: { NO_COLOR: '1' } }, 'x'],
    [{ tty: true, env: { TERM: 'dumb' } }, 'x'],
  ])('%j: only on a screen, and not with NO_COLOR', (setup, expected) => {
    expect(output(setup).out.paint('red', 'x')).toBe(expected);
  });
});

describe('with --json', () => {
  it('nothing but objects is written, one a line', () => {
    const { out: json, written } = output({ json: true });
    json.result('for people');
    json.progress('for people');
    json.object({ type: 'x', text: 'two\nlines' });
    expect(written).toEqual(['{"type":"x","text":"two\\nlines"}\n']);
  });
});

describe('the screen that these tests read', () => {
  it.each([
    ['a\r\nb', 'a\nb'],
    ['abc\u001b[2Dx', 'axc'],
    ['one\r\ntwo\u001b[1A\r\u001b[KONE', 'ONE\ntwo'],
    ['one\r\ntwo\u001b[1A\u001b[1G\u001b[Jx', 'x'],
    ['\u001b[31mred\u001b[0m\u001b[?25l', 'red'],
  ])('%j is %j', (written, expected) => {
    expect(screenOf(written)).toBe(expected);
  });
});
