/** Attacks on holds: who comes late, twice, out of order or at the very millisecond (design, section 12). */
import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent/define-agent.ts';
import type { Turn } from '../../agent/turn.ts';
import { cancelTask } from '../../core/operations/cancel-task.ts';
import { runTurn } from '../../core/operations/run-turn.ts';
import { sendMessage } from '../../core/operations/send-message.ts';
import { runUndo } from '../../core/operations/undo.ts';
import { runTurnHandler } from '../../functions/run-turn.ts';
import { FakeSubAgent } from '../agent/fake-sub-agent.ts';
import { holdWorld, MINUTES } from '../core/operations/hold-world.ts';
import { fakeDeps } from '../fakes/deps.ts';
import { settle } from '../fakes/manual-clock.ts';
import { alice, AMPLE } from '../core/operations/world.ts';

const skill = { id: 's', name: 'S', description: 'S.', tags: [] };

/** A door that somebody waits at until it is opened. */
function door() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

async function keepsSeat(turn: Turn, office: { acquire(key: string): unknown }): Promise<void> {
  const held = await turn.hold('seat', {
    for: { minutes: 10 },
    acquire: ({ idempotencyKey }) => office.acquire(idempotencyKey),
  });
  await turn.tryAsk('who', { text: 'Who?', expiresIn: { minutes: 15 }, onExpire: 'resume' });
  await turn.artifact({ name: 'kept', data: await held.tryConfirm() });
}

describe('a release that runs while what it is to release lands', () => {
  it('does not count: it is released once more, and nothing stays reserved', async () => {
    const taken = new Set<string>();
    const [acquiring, releasing] = [door(), door()];
    let releases = 0;
    const agent = defineAgent({
      card: { name: 'B', description: 'B.', version: '1', skills: [skill] },
      holds: {
        seat: {
          release: async ({ idempotencyKey }) => {
            taken.delete(idempotencyKey);
            // It has done its work, and is slow to say so.
            if (++releases === 1) await releasing.opened;
          },
        },
      },
      async run(turn) {
        await turn.hold('seat', {
          for: { minutes: 10 },
          acquire: async ({ idempotencyKey }) => {
            await acquiring.opened;
            taken.add(idempotencyKey);
            return 'seat';
          },
        });
      },
    });
    const deps = fakeDeps({ agent });
    await sendMessage(deps, alice, {
      message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] },
      configuration: { returnImmediately: true },
    });
    const turn = deps.queue.take();
    if (!turn) throw new Error('no turn');
    const working = runTurn(deps, turn, AMPLE);
    await settle();
    await cancelTask(deps, alice, { id: turn.taskId });
    const first = deps.queue.takeUndo();
    if (!first) throw new Error('nothing to undo');
    const undoing = runUndo(deps, first);
    await settle();
    expect(releases).toBe(1);
    acquiring.open();
    await working;
    expect([...taken]).toHaveLength(1);
    releasing.open();
    await undoing;
    for (let next = deps.queue.takeUndo(); next; next = deps.queue.takeUndo()) await runUndo(deps, next);
    expect([...taken]).toEqual([]);
    expect(releases).toBe(2);
  });
});

describe('confirming at the end of a hold’s own time (R52)', () => {
  it.each([
    [-1, true, []],
    [0, false, ['release hold-1 {"seat":"12A of hold-1"} time']],
    [1, false, ['release hold-1 {"seat":"12A of hold-1"} time']],
  ])('%i ms off: confirmed %s, and never both', async (offMs, kept, releases) => {
    const world = holdWorld(keepsSeat);
    const id = await world.start();
    await world.clock.advance(10 * MINUTES + offMs);
    await world.answer(id, { text: 'Ada' });
    expect(JSON.stringify(world.head(id).log)).toContain(`"data":${kept}`);
    // Everybody who could still release it comes by.
    await world.clock.advance(10 * MINUTES);
    await world.due(id);
    expect(world.office.calls.slice(1)).toEqual(releases);
    expect(world.head(id).confirmed).toEqual(kept ? [1] : undefined);
  });
});

describe('messages that undo', () => {
  it('of nothing, of another kind, too large and doubled change nothing, and none of them comes again', async () => {
    const world = holdWorld(keepsSeat);
    const id = await world.start();
    const before = world.head(id);
    const handler = runTurnHandler(world.deps);
    const bodies: unknown[] = [
      { taskId: id, undo: { of: 'hold', n: 1 } },
      { taskId: id, undo: { of: 'hold', n: 2 } },
      { taskId: id, undo: { of: 'delegate', n: 1 } },
      { taskId: id, undo: { of: 'constructor', n: 1 } },
      { taskId: id, undo: { of: 'hold', n: -1 } },
      { taskId: id, undo: { of: 'hold', n: '1' } },
      { taskId: id, undo: null },
      { taskId: 'nobody', undo: { of: 'hold', n: 1 } },
      { taskId: id, turn: 99 },
      'hold 1',
      null,
    ];
    const Records = bodies.map((body, n) => ({ messageId: `r-${n}`, body: JSON.stringify(body) }));
    const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 900_000 };
    expect(await handler({ Records } as never, context as never)).toEqual({ batchItemFailures: [] });
    expect(world.head(id)).toEqual(before);
    expect(world.office.calls).toEqual(['acquire hold-1']);
  });

  it('delivered three times at once release at least once, and settle the debt once', async () => {
    const world = holdWorld(keepsSeat);
    const id = await world.start();
    await cancelTask(world.deps, alice, { id });
    const message = world.deps.queue.takeUndo();
    if (!message) throw new Error('nothing to undo');
    await Promise.all([1, 2, 3].map(() => runUndo(world.deps, message)));
    expect(world.head(id).holds).toBeUndefined();
    await runUndo(world.deps, message);
    expect(world.office.calls.filter((call) => call.startsWith('release'))).toHaveLength(3);
  });
});

describe('the timer of a hold', () => {
  it('that fires early, late and twice releases it once (R54)', async () => {
    const world = holdWorld(keepsSeat);
    const id = await world.start();
    await world.due(id);
    expect(world.head(id).holds).toMatchObject([{ state: 'held' }]);
    await world.clock.advance(10 * MINUTES);
    const before = world.head(id).generation;
    await Promise.all([world.due(id), world.due(id)]);
    await world.due(id);
    expect(world.office.calls).toEqual(['acquire hold-1', 'release hold-1 {"seat":"12A of hold-1"} time']);
    // Nobody is told: to the caller the question is as it was.
    expect(world.head(id).generation).toBe(before);
    expect(world.state(id)).toBe('INPUT_REQUIRED');
  });
});

describe('a hold, and a sub-agent whose question ends before it', () => {
  it('ends on both sides at once: the author is told in the log, nothing stays reserved and nothing stays below', async () => {
    const sub = new FakeSubAgent();
    const released: string[] = [];
    const agent = defineAgent({
      card: { name: 'B', description: 'B.', version: '1', skills: [skill] },
      holds: { seat: { release: ({ reason }) => void released.push(reason) } },
      agents: { expenses: sub },
      async run(turn) {
        await turn.hold('seat', { for: { minutes: 30 }, acquire: () => 'seat' });
        await turn.delegate('filing', { agent: 'expenses', message: 'x', restate: () => ({ text: 'Which?' }) });
      },
    });
    const deps = fakeDeps({ agent });
    sub.onTask = () => sub.asks({ questionId: 'q-1', expiresAtMs: deps.clock.now() + 10 * MINUTES });
    await sendMessage(deps, alice, {
      message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] },
      configuration: { returnImmediately: true },
    });
    for (let next = deps.queue.take(); next; next = deps.queue.take()) await runTurn(deps, next, AMPLE);
    for (let next = deps.queue.takeUndo(); next; next = deps.queue.takeUndo()) await runUndo(deps, next);
    const [head] = deps.store.heads();
    expect(head?.status.state).toBe('TASK_STATE_FAILED');
    expect(released).toEqual(['end']);
    expect(sub.canceled).toEqual([sub.id]);
    const failure = deps.log.lines.find(({ message }) => message === 'the agent failed');
    expect(failure?.fields.error).toMatchObject({ reason: 'HOLD_TOO_LONG' });
  });
});
