/** Agents that hold while they ask, and what must be true of what they held (design, section 12). */
import { defineAgent } from '../../agent/define-agent.ts';
import type { Turn } from '../../agent/turn.ts';
import { isTerminal } from '../../core/message.ts';
import type { Hold } from '../../core/hold.ts';
import type { TaskHead } from '../../core/task.ts';
import { type AgentUnderTest, question } from './agents.ts';
import { must } from './trace-properties.ts';
import type { AgentMaker, Handled, Outside, World } from './world.ts';

/** The second release comes so long after the first, at least. */
const AGAIN_MS = 120_000;

function maker(name: string, run: (turn: Turn, outside: Outside) => Promise<void>): AgentMaker {
  const skill = { id: 's', name: 'Skill', description: 'Does it.', tags: [] };
  return (outside) =>
    defineAgent({
      card: { name, description: 'Under test.', version: '1', skills: [skill] },
      holds: { seat: { release: ({ idempotencyKey }) => outside.giveBack(idempotencyKey) } },
      run: (turn) => run(turn, outside),
    });
}

function seat(turn: Turn, outside: Outside, minutes: number) {
  return turn.hold('seat', {
    for: { minutes },
    acquire: ({ idempotencyKey }) => outside.acquire(idempotencyKey),
  });
}

/** Holds as long as it may, and goes on without an answer as well. */
export const holding: AgentUnderTest = {
  title: 'an agent that holds while it asks',
  make: maker('holding', async (turn, outside) => {
    const held = await seat(turn, outside, 55).catch(() => undefined);
    const { outcome } = await turn.tryAsk('who', { ...question, expiresIn: { hours: 1 }, onExpire: 'resume' });
    await held?.tryConfirm();
    await turn.artifact({ name: 'outcome', data: { outcome } });
  }),
  expected: ({ who }) => ({
    state: 'TASK_STATE_COMPLETED',
    artifacts: [{ outcome: who?.startsWith('CC-') ? 'answered' : (who as string) }],
    ledger: [],
  }),
};

/** Two at once, for so short a time that it passes while the turn runs; one is given back, one forgotten. */
export const twoHolds: AgentUnderTest = {
  title: 'an agent with two holds, one of them short',
  make: maker('two-holds', async (turn, outside) => {
    const [short, long] = await Promise.all(
      [1, 50].map((minutes) => seat(turn, outside, minutes).catch(() => undefined)),
    );
    await turn.tryAsk('who', { ...question, expiresIn: { hours: 1 } });
    await short?.tryConfirm();
    await long?.release();
    await turn.artifact({ name: 'done', data: { done: true } });
  }),
  expected: () => ({ state: 'TASK_STATE_COMPLETED', artifacts: [{ done: true }], ledger: [] }),
};

/** To be checked when a world is quiet. */
export function checkHolds(world: World): void {
  const { commits, head } = world;
  for (const [index, { head: now, decidedAtMs }] of commits.entries()) {
    const before = commits[index - 1]?.head;
    for (const hold of kept(now)) {
      must(!isTerminal(now.status.state), 'no hold outlives its task', hold);
      must(
        now.ask === undefined || hold.untilMs <= now.ask.expiresAtMs,
        'no hold outlives its question',
        hold,
        now.ask,
      );
    }
    const closed = now.calls.find((one) => one.kind === 'ask' && !before?.calls.some(({ call }) => call === one.call));
    const fruitless = closed?.kind === 'ask' && closed.outcome !== 'answered';
    must(!fruitless || kept(now).length === 0, 'no hold outlives its question', closed, now.holds);
    for (const n of now.confirmed ?? []) {
      if (before?.confirmed?.includes(n)) continue;
      const held = before?.holds?.find((hold) => hold.n === n);
      must(held?.state === 'held' && held.untilMs > decidedAtMs, 'only what is held, and in time, is confirmed', held);
    }
    for (const n of before?.confirmed ?? []) must(now.confirmed?.includes(n) === true, 'what is confirmed stays so', n);
  }
  if (!head) return;
  for (const hold of head.holds ?? []) {
    const waits = head.ask !== undefined && (hold.undo ? hold.undo.dueMs : hold.untilMs) > world.nowMs;
    must(waits, 'at rest only what waits is held, or is to be released once more', hold);
  }
  for (const key of new Set(world.handled.map((one) => one.key))) checkKey(world, head, key);
}

function kept({ holds = [] }: TaskHead): readonly Hold[] {
  return holds.filter(({ state }) => state !== 'releasing');
}

function checkKey(world: World, head: TaskHead, key: string): void {
  const n = Number(key.split('-').at(-1));
  const calls = world.handled.filter((one) => one.key === key);
  const confirmed = head.confirmed?.includes(n) === true;
  const releases = calls.filter(({ did }) => did === 'release');
  must(
    !confirmed || releases.length === 0,
    'confirm and release never both',
    key,
    calls.map(({ did }) => did),
  );
  const open = head.holds?.some((hold) => hold.n === n) === true;
  if (confirmed || open) return;
  const last = calls.at(-1);
  must(
    last?.did === 'release' || isBeyondReach(world, n, last),
    'what was reserved and not confirmed is given back',
    key,
    trail(calls),
  );
}

/** Reserved so long after it was to be released that nothing stands in the head any more, by who could not say so. */
function isBeyondReach(world: World, n: number, last: Handled | undefined): boolean {
  const toRelease = world.commits.find(({ head }) => head.holds?.some((hold) => hold.n === n && hold.undo));
  return last !== undefined && toRelease !== undefined && last.atMs - toRelease.atMs >= AGAIN_MS;
}

function trail(calls: readonly Handled[]): readonly string[] {
  const first = calls[0]?.atMs ?? 0;
  return calls.map(({ did, atMs, actor }) => `${did} after ${atMs - first} by ${actor.name}, ${actor.status}`);
}
