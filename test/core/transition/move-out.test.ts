/** The head stays small however long a task lives: old entries and calls leave it in whole chunks (design, section 4). */
import { describe, expect, it } from 'vitest';
import { jsonBytes } from '../../../core/json.ts';
import type { Child, TaskHead } from '../../../core/task.ts';
import { transition } from '../../../core/transition/transition.ts';
import { COMMANDS, claimOf, must, START_MS, submitted, TOKEN, userMessage } from './fixtures.ts';

interface Lived {
  head: TaskHead;
  children: Child[];
  bytesByRound: number[];
}

/** A task that asks and is answered so many times. */
function live(rounds: number): Lived {
  let head = submitted;
  const children: Child[] = [];
  const bytesByRound: number[] = [];
  const step = (result: ReturnType<typeof must>): void => {
    head = result.head;
    children.push(...result.children);
  };
  for (let round = 1; round <= rounds; round++) {
    step(must(transition(head, claimOf(round), START_MS)));
    step(
      must(transition(head, { type: 'ask', token: TOKEN, call: round, spec: COMMANDS.ask.spec, events: [] }, START_MS)),
    );
    bytesByRound[round] = jsonBytes(head);
    const questionId = `q-abcdefghijklmnop-${round}`;
    step(
      must(
        transition(
          head,
          {
            type: 'answer',
            questionId,
            message: userMessage(`answer-${round}`, { data: { questionId, costCentre: 'CC-4410' } }),
            mark: { id: `mark-id-${round}`, digest: `mark-digest-${round}` },
            accepted: { value: { costCentre: 'CC-4410' } },
          },
          START_MS,
        ),
      ),
    );
  }
  return { head, children, bytesByRound };
}

describe('moving out', () => {
  const { head, children, bytesByRound } = live(100);
  const chunks = children.filter((child) => child.kind === 'log');

  it('keeps a write at round 100 as small as at round 40 (invariant 9)', () => {
    expect(bytesByRound[100]).toBeLessThan((bytesByRound[40] ?? 0) * 1.05);
    expect(bytesByRound[100]).toBeLessThan(8_192);
  });

  it('keeps the head of the reference question within 2 KB', () => {
    expect(bytesByRound[1]).toBeLessThan(2_048);
  });

  it('leaves every entry exactly once, either in a chunk or in the head, in order', () => {
    const moved = chunks.flatMap((chunk) => chunk.entries.map((entry) => entry.seq));
    const all = [...moved, ...head.log.map((entry) => entry.seq)];
    expect(all).toEqual(Array.from({ length: 202 }, (_, at) => at + 1));
  });

  it('writes chunks of fixed bounds: 1-4, 5-8, ...', () => {
    expect(chunks.map((chunk) => [chunk.chunk, chunk.entries[0]?.seq, chunk.entries.length]).slice(0, 3)).toEqual([
      [0, 1, 4],
      [1, 5, 4],
      [2, 9, 4],
    ]);
    expect(chunks.every((chunk) => chunk.entries[0]?.seq === chunk.chunk * 4 + 1 && chunk.entries.length === 4)).toBe(
      true,
    );
  });

  it('moves recorded calls to STEP items, each once, and keeps the newest in the head', () => {
    const moved = children.filter((child) => child.kind === 'step').map((child) => child.record.call);
    expect([...moved, ...head.calls.map((call) => call.call)]).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
  });

  it('never moves what this very write adds: it could still lose', () => {
    let running = must(transition(submitted, claimOf(1), START_MS)).head;
    const long = 'x'.repeat(600);
    const events = Array.from({ length: 12 }, (_, at) => ({
      kind: 'artifact' as const,
      calls: [{ call: at + 1, name: 'page' }],
      artifact: { artifactId: `page-${at}`, parts: [{ text: long }] },
      append: false,
      lastChunk: true,
    }));
    const first = must(transition(running, { type: 'emit', token: TOKEN, events }, START_MS));
    expect(first.children).toEqual([]);
    running = first.head;
    const second = must(transition(running, { type: 'emit', token: TOKEN, events: [] }, START_MS));
    expect(second.children.filter((child) => child.kind === 'log').map((chunk) => chunk.chunk)).toEqual([0, 1, 2]);
    expect(second.head.log.map((entry) => entry.seq)).toEqual([13, 14]);
  });

  it('keeps the current status message readable when its entry leaves', () => {
    let running = must(transition(submitted, claimOf(1), START_MS)).head;
    running = must(
      transition(running, { type: 'emit', token: TOKEN, events: [{ kind: 'progress', text: 'reading' }] }, START_MS),
    ).head;
    for (let at = 0; at < 10; at++) {
      const event = {
        kind: 'artifact' as const,
        calls: [{ call: at + 1, name: 'page' }],
        artifact: { artifactId: `page-${at}`, parts: [{ text: 'x'.repeat(300) }] },
        append: false,
        lastChunk: true,
      };
      running = must(transition(running, { type: 'emit', token: TOKEN, events: [event] }, START_MS)).head;
    }
    expect(running.log[0]?.seq).toBeGreaterThan(3);
    expect(running.status.message).toMatchObject({ value: { parts: [{ text: 'reading' }] } });
  });
});
