/** What a head may hold, each limit at its edge (design, section 4; invariant 9). */
import { describe, expect, it } from 'vitest';
import { AgentFault } from '../../../core/errors.ts';
import { jsonBytes } from '../../../core/json.ts';
import type { TaskHead } from '../../../core/task.ts';
import { isSurelySmall } from '../../../core/transition/move-out.ts';
import { transition } from '../../../core/transition/transition.ts';
import { COMMANDS, moved, must, PLACES, START_MS, TOKEN, userMessage, working } from './fixtures.ts';

const KIB = 1_024;

/** A message to a task that is not asking, whose JSON has so many bytes. */
function received(bytes: number, n: number) {
  const id = `m-${String(n).padStart(4, '0')}`;
  const empty = jsonBytes(userMessage(id, { text: '' }));
  return {
    type: 'receive' as const,
    message: userMessage(id, { text: 'x'.repeat(bytes - empty) }),
    mark: { id: `mark-${n}`, digest: `digest-${n}` },
  };
}

/** The agent has read all that came, so that more may come. */
function readAll(head: TaskHead): TaskHead {
  return { ...head, unread: [] };
}

/** Every name and id as long as it may be, of characters that take six bytes in JSON. */
const longest = '\u0001'.repeat(128);
const inline = { value: 'x'.repeat(1_022) };

/**
 * The largest head without recorded calls, holds and sub-tasks. Its type wants every other field, so that a new one is
 * thought of here. An authorisation that is open is smaller than a question.
 */
function fullOf(entries: number): Required<Omit<TaskHead, 'holds' | 'delegates' | 'auth'>> {
  return {
    ...working,
    staleTimers: [100],
    toldUnread: 9_999,
    firstArtifactSeq: 9_999,
    steps: true,
    used: {
      messages: 1_000,
      asks: 100,
      questions: 1_000,
      artifacts: 100,
      artifactBytes: 5_000_000,
      holds: 100,
      delegates: 20,
    },
    agent: longest,
    contextId: longest,
    owner: 'x'.repeat(1_024),
    status: { ...working.status, message: inline as never },
    log: Array.from({ length: entries }, (_, n) => ({
      seq: 9_990 + n,
      atMs: START_MS,
      generation: 9_990 + n,
      state: 'TASK_STATE_INPUT_REQUIRED',
      message: inline as never,
    })),
    marks: Array.from({ length: 24 }, () => ({ id: 'x'.repeat(16), digest: 'x'.repeat(16), hidden: true as const })),
    unread: Array.from({ length: 20 }, (_, n) => 9_000 + n),
    push: { ids: Array(10).fill('x'.repeat(64)), gaveUp: Array(10).fill('x'.repeat(64)) },
    confirmed: Array.from({ length: 100 }, (_, n) => n + 1),
    ask: {
      call: 10_000,
      name: longest,
      ask: 100,
      questionId: `q-${'x'.repeat(16)}-1000`,
      attempt: 10,
      maxAttempts: 10,
      expiresAtMs: START_MS,
      remindAtMs: Array(5).fill(START_MS),
      onExpire: { then: 'default', value: 'x'.repeat(2_046) },
      secret: ['x'.repeat(1_020)],
      relays: { taskId: longest, questionId: longest },
    },
  };
}

describe('what a head may hold', () => {
  it('is not measured while it has 7 log entries and no calls: at its largest, 2 KB are still free of 24', () => {
    const seven = fullOf(7);
    expect(isSurelySmall(seven)).toBe(true);
    expect(jsonBytes(seven)).toBeLessThanOrEqual(22 * KIB);
    expect(isSurelySmall(fullOf(8))).toBe(false);
    expect(isSurelySmall({ ...seven, calls: [{ kind: 'artifact', call: 1, name: 'page' }] })).toBe(false);
    expect(isSurelySmall({ ...seven, holds: [] })).toBe(false);
    expect(isSurelySmall({ ...seven, delegates: [] })).toBe(false);
  });

  it('a value of 1 KB stays in it, a byte more is a blob that is written before', () => {
    const small = must(transition(working, received(1_024, 1), START_MS));
    expect(small.children).toEqual([]);
    expect(small.head.log.at(-1)?.received).toHaveProperty('value');
    const large = must(transition(working, received(1_025, 1), START_MS));
    expect(large.children.map(({ kind }) => kind)).toEqual(['blob']);
    expect(large.head.log.at(-1)?.received).toMatchObject({ bytes: 1_025 });
  });

  it('the marks of the newest 24 messages; older ones become items', () => {
    let head = working;
    for (let n = 2; n <= 24; n++) head = readAll(moved(head, received(100, n)));
    expect(head.marks).toHaveLength(24);
    const next = must(transition(head, received(100, 25), START_MS));
    expect(next.head.marks).toHaveLength(24);
    expect(next.children).toEqual([{ kind: 'mark', mark: head.marks[0] }]);
  });

  it('the newest recorded call after a write of a turn; older ones become STEP items', () => {
    const calls = Array.from({ length: 6 }, (_, n) => ({ kind: 'artifact' as const, call: n + 1, name: 'page' }));
    const result = must(transition({ ...working, calls }, COMMANDS.emit, START_MS));
    expect(result.head.calls.map(({ call }) => call)).toEqual([6]);
    expect(result.children.map((child) => child.kind === 'step' && child.record.call)).toEqual([1, 2, 3, 4, 5]);
  });

  it('1,740 bytes of log after a write of a turn, as far as whole chunks of committed entries go', () => {
    let head = working;
    for (let n = 3; n <= 12; n++) head = readAll(moved(head, received(150, n)));
    const before = must(transition(head, COMMANDS.renew, START_MS)).head;
    expect(jsonBytes(before.log)).toBeGreaterThan(1_740);
    const after = moved(before, { ...COMMANDS.emit, events: [] });
    expect(jsonBytes(after.log)).toBeLessThanOrEqual(1_740);
    // No more than needed leaves: with one chunk more it would be over.
    const kept = after.log[0]?.seq ?? 0;
    const oneMore = before.log.filter(({ seq }) => seq >= kept - 4);
    expect(jsonBytes(oneMore)).toBeGreaterThan(1_740);
  });

  it('8 KB when callers write: then what can leave leaves with whatever write comes', () => {
    let head = working;
    let writes = 0;
    for (; writes < 20; writes++) {
      const next = must(transition(head, received(900, writes), START_MS));
      head = next.head;
      if (next.children.some(({ kind }) => kind === 'log')) break;
      expect(jsonBytes(head)).toBeLessThanOrEqual(8 * KIB);
    }
    expect(writes).toBeGreaterThan(5);
    expect(jsonBytes(head)).toBeLessThan(8 * KIB);
    expect(head.unread).toHaveLength(writes + 1);
  });
});

describe('how much of a thing a task may have', () => {
  it('100 asks', () => {
    const asked = (asks: number): TaskHead => ({ ...working, used: { ...working.used, asks } });
    expect(moved(asked(99), COMMANDS.ask).used.asks).toBe(100);
    expect(() => transition(asked(100), COMMANDS.ask, START_MS)).toThrow(
      new AgentFault('LIMIT_EXCEEDED', 'a task may ask at most 100 questions'),
    );
  });

  it('1,000 messages: an answer, a decline and a message unasked all count', () => {
    const full = (head: TaskHead): TaskHead => ({ ...head, used: { ...head.used, messages: 1_000 } });
    for (const command of [COMMANDS.answer, COMMANDS.decline, COMMANDS['refuse-answer']]) {
      const refused = transition(full(PLACES['input-required']), command, START_MS + 2_000);
      expect(refused).toEqual({ ok: false, rejection: 'too-many-messages' });
    }
    expect(transition(full(working), COMMANDS.receive, START_MS)).toEqual({
      ok: false,
      rejection: 'too-many-messages',
    });
    const last = { ...working, used: { ...working.used, messages: 999 } };
    expect(moved(last, COMMANDS.receive).used.messages).toBe(1_000);
  });
});

describe('an ended task', () => {
  it('is looked at two minutes after its end when it had secrets, then after its retention', () => {
    const ended = moved({ ...working, secrets: true }, { ...COMMANDS.end, token: TOKEN }, START_MS);
    expect(ended.dueMs).toBe(START_MS + 120_000);
    expect(moved(working, COMMANDS.end, START_MS).dueMs).toBe(START_MS + 2_592_000_000);
  });
});
