/**
 * Delegation with a crash at each single step of anybody's, and callers who come between: an answer goes down exactly
 * once, the question above ends before the one below, no sub-task is left behind, and no task completes before the one
 * below it (design 12).
 */
import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent/define-agent.ts';
import type { SubAgent } from '../../agent/sub-agent.ts';
import { isTerminal, type Message, type Task } from '../../core/message.ts';
import { FakeSubAgent } from '../agent/fake-sub-agent.ts';
import { FIRST, messageFor, request, type Saying } from './callers.ts';
import { heal } from './heal.ts';
import { disturbance, type Gate } from './scheduler.ts';
import { ending, recordedIds, toOpen } from './story.ts';
import { checkTrace } from './trace-properties.ts';
import { type AgentMaker, type Outside, World } from './world.ts';

const HOUR_MS = 3_600_000;
const skill = { id: 's', name: 'Skill', description: 'Does it.', tags: [] };
const schema = {
  type: 'object',
  properties: { choice: { type: 'string', pattern: '^CC-[0-9]{4}$' } },
  required: ['choice'],
} as const;
const theirs = { type: 'object', properties: { costCentre: { type: 'string' } }, required: ['costCentre'] } as const;

/** What happens below: the sub-agent asks so often, then completes. */
interface Below {
  readonly sub: FakeSubAgent;
  /** Every state its only task was in, with the time. */
  readonly expiry: Map<string, number>;
}

function below(asks: number, nowMs: () => number): Below {
  const sub = new FakeSubAgent();
  const expiry = new Map<string, number>();
  const next = (n: number): void => {
    if (n > asks) return sub.completes({ expenseId: 'EXP-1' });
    const questionId = `q-sub-${n}`;
    expiry.set(questionId, nowMs() + HOUR_MS);
    return sub.asks({ questionId, schema: theirs, expiresAtMs: nowMs() + HOUR_MS });
  };
  let asked = 0;
  sub.onTask = () => next(++asked);
  sub.onAnswer = ({ status }: Task) => {
    if (!isTerminal(status.state)) next(++asked);
  };
  return { sub, expiry };
}

/** The other agent behind the gates of the actor that calls it. */
function gated(sub: FakeSubAgent, outside: Outside): SubAgent {
  return {
    send: (message, options) => outside.call('sub.send', () => sub.send(message, options)),
    get: (taskId) => outside.call('sub.get', () => sub.get(taskId)),
    cancel: (taskId) => outside.call('sub.cancel', () => sub.cancel(taskId)),
  };
}

function maker(sub: FakeSubAgent): AgentMaker {
  return (outside) =>
    defineAgent({
      card: { name: 'orchestrator', description: 'Under test.', version: '1', skills: [skill] },
      agents: { expenses: gated(sub, outside) },
      async run(turn) {
        const done = await turn.delegate('filing', {
          agent: 'expenses',
          message: 'File it',
          restate: () => ({ text: 'Which one?', schema, options: ['CC-4410', 'CC-4420'] }),
          translate: ({ choice }: { choice: string }) => ({ costCentre: choice }),
        });
        await turn.artifact({ name: 'done', data: done.artifacts[0]?.parts[0]?.data ?? null });
      },
    });
}

interface Played {
  readonly world: World;
  readonly below: Below;
  readonly gates: number;
  readonly where: string;
}

type Crash = 'dies' | 'freezes' | 'fails';
type Step = Saying | 'cancel';

/** The steps with a crash at the gate of the given number (0: none). */
async function play(asks: number, steps: readonly Step[], at: number, how: Crash): Promise<Played> {
  let world: World;
  const under = below(asks, () => world.nowMs);
  world = new World(maker(under.sub));
  let gates = 0;
  let where = '';
  const open = async (gate: Gate): Promise<void> => {
    if (++gates !== at) return world.scheduler.open(gate);
    where = `${gate.actor.name}: ${gate.place} ${gate.label} (${how})`;
    if (how === 'fails' && gate.place !== 'sleep') await world.scheduler.open(gate, disturbance(gate));
    else if (how === 'dies') world.scheduler.kill(gate.actor);
    else gate.actor.status = 'frozen';
    if (gate.actor.kind === 'worker' && how !== 'fails') world.unacknowledged.clear();
    return heal(world, 59_999);
  };
  const goOn = async (): Promise<void> => {
    for (let [gate] = world.scheduler.ready(); gate; [gate] = world.scheduler.ready()) await open(gate);
  };
  const work = async (): Promise<void> => {
    for (let [index] = world.deliverable(); index !== undefined; [index] = world.deliverable()) {
      await world.deliver(index);
      await goOn();
    }
  };
  const settle = async (): Promise<void> => {
    await work();
    // The polls of the sub-task, until the caller's turn comes.
    for (let n = 0; n < 40 && world.head?.turn.phase === 'parked'; n++) {
      world.scheduler.nowMs = Math.max(world.nowMs, world.head.turn.parked?.untilMs ?? 0);
      await world.fire(world.head.taskId);
      await goOn();
      await work();
    }
  };
  const send = async (message: Message): Promise<void> => {
    for (let tries = 0; tries < 3 && !recordedIds(world).includes(message.messageId); tries++) {
      await world.send(request(message));
      await goOn();
    }
    await settle();
  };

  await send(FIRST);
  for (const [index, step] of steps.entries()) {
    const { head } = world;
    if (!head || isTerminal(head.status.state)) break;
    if (step !== 'cancel') await send(toOpen(world, step, `m-${index}`));
    else {
      for (let tries = 0; tries < 3 && !isTerminal(world.head?.status.state ?? 'TASK_STATE_WORKING'); tries++) {
        await world.cancel(head.taskId);
        await goOn();
      }
      await settle();
    }
  }
  for (const actor of world.scheduler.actors) if (actor.status === 'frozen') actor.status = 'live';
  await heal(world);
  return { world, below: under, gates, where };
}

function check({ world, below: { sub, expiry }, where }: Played): void {
  checkTrace(world.commits);
  // Sent down exactly once: each question below has at most one answer, and no message was taken for two.
  const answers = sub.taken.flatMap(({ parts }) => {
    const data = parts[0]?.data as { questionId?: string } | undefined;
    return data?.questionId === undefined ? [] : [data.questionId];
  });
  expect(answers, where).toEqual([...new Set(answers)]);
  expect(sub.tasks.size, where).toBeLessThanOrEqual(1);
  const [task] = sub.tasks.values();
  for (const { head, atMs } of world.commits) {
    const { ask, status } = head;
    if (ask?.relays) {
      const theirsAtMs = expiry.get(ask.relays.questionId ?? '') ?? 0;
      expect(ask.expiresAtMs, where).toBeLessThanOrEqual(theirsAtMs - 60_000);
      expect(ask.relays.taskId, where).toBe(task?.id);
    }
    if (status.state === 'TASK_STATE_COMPLETED')
      expect(task?.status.state, `${where} at ${atMs}`).toBe('TASK_STATE_COMPLETED');
  }
  // No orphan: the task above has ended, and so has the one below.
  if (world.head && isTerminal(world.head.status.state)) {
    expect(world.head.delegates, where).toBeUndefined();
    if (task) expect(isTerminal(task.status.state), `${where}: ${task.status.state}`).toBe(true);
  }
}

const ANSWERED = {
  state: 'TASK_STATE_COMPLETED',
  artifacts: [{ expenseId: 'EXP-1' }],
  ledger: [],
};

describe('a task that delegates recovers from one crash wherever it happens', () => {
  it('needs no sweep when nobody crashes: two questions go up, two answers come down', async () => {
    const played = await play(2, ['CC-4410', 'CC-4420'], 0, 'dies');
    expect(await ending(played.world)).toEqual({
      ...ANSWERED,
      history: ['m-first', 'q-1', 'm-0', 'q-2', 'm-1'],
    });
    expect(played.below.sub.taken.map(({ parts }) => parts[0]?.data ?? null)).toEqual([
      null,
      { costCentre: 'CC-4410', questionId: 'q-sub-1' },
      { costCentre: 'CC-4420', questionId: 'q-sub-2' },
    ]);
    check(played);
  });

  it.each<[string, number, readonly Step[], Crash, unknown]>([
    ['one question, and whoever is at it dies', 1, ['CC-4410'], 'dies', ANSWERED],
    ['one question, and whoever is at it freezes', 1, ['CC-4410'], 'freezes', ANSWERED],
    ['one question, and whoever is at it fails', 1, ['CC-4410'], 'fails', ANSWERED],
    [
      'two questions, a refused answer between, and whoever is at it dies',
      2,
      ['wrong', 'CC-4410', 'CC-4420'],
      'dies',
      ANSWERED,
    ],
    ['canceled at the question, and whoever is at it dies', 1, ['cancel'], 'dies', { state: 'TASK_STATE_CANCELED' }],
    [
      'canceled at the question, and whoever is at it freezes',
      1,
      ['cancel'],
      'freezes',
      { state: 'TASK_STATE_CANCELED' },
    ],
    ['canceled at the question, and whoever is at it fails', 1, ['cancel'], 'fails', { state: 'TASK_STATE_CANCELED' }],
  ])('%s', { timeout: 120_000 }, async (_title, asks, steps, how, end) => {
    const { gates } = await play(asks, steps, 0, how);
    expect(gates).toBeGreaterThan(20);
    for (let at = 1; at <= gates; at++) {
      const played = await play(asks, steps, at, how);
      expect(await ending(played.world), played.where).toMatchObject(end as object);
      check(played);
    }
  });
});

describe('nobody answers', () => {
  it('the question above expires before the one below, and both sides end (expiry goes up, cancel goes down)', async () => {
    const played = await play(1, [], 0, 'dies');
    const { world, below: under } = played;
    expect(world.head?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const expiresAtMs = world.head?.ask?.expiresAtMs ?? 0;
    expect(expiresAtMs).toBeLessThan(under.expiry.get('q-sub-1') ?? 0);
    world.scheduler.nowMs = expiresAtMs;
    await world.get(world.head?.taskId ?? '');
    await heal(world);
    expect(world.head?.status.state).toBe('TASK_STATE_FAILED');
    expect(under.sub.tasks.get(under.sub.id)?.status.state).toBe('TASK_STATE_CANCELED');
    check(played);
  });
});

describe('who comes between', () => {
  it.each<[string, readonly ('answer' | 'again' | 'cancel' | 'expire' | 'sweep' | 'hint' | 'worker')[]]>([
    ['two answers at once', ['answer', 'again']],
    ['an answer and a cancel', ['answer', 'cancel']],
    ['an answer at the last moment, the sweeper and a cancel', ['expire', 'answer', 'sweep', 'cancel']],
    ['a cancel twice and an answer', ['cancel', 'cancel', 'answer']],
    ['an answer, its worker, webhooks and a cancel', ['answer', 'worker', 'hint', 'hint', 'cancel']],
    ['an answer, its worker and webhooks', ['answer', 'worker', 'hint', 'hint']],
  ])('%s: one of them wins, in every order of their steps', { timeout: 120_000 }, async (_title, actors) => {
    // Each seed is another order of the same steps.
    for (let seed = 1; seed <= 40; seed++) {
      const played = await play(1, [], 0, 'dies');
      const { world } = played;
      const head = world.head;
      if (!head?.ask) throw new Error('nothing is asked');
      for (const actor of actors) {
        if (actor === 'expire') world.scheduler.nowMs = head.ask.expiresAtMs;
        if (actor === 'answer') await world.send(request(messageFor(head, 'CC-4410', 'm-a')));
        if (actor === 'again') await world.send(request(messageFor(head, 'CC-4420', 'm-b')));
        if (actor === 'cancel') await world.cancel(head.taskId);
        if (actor === 'sweep') await world.sweep();
        if (actor === 'hint') await world.hint(1);
        if (actor === 'worker') {
          await world.scheduler.drain();
          await world.deliver(world.deliverable()[0] ?? 0);
        }
      }
      let random = seed;
      for (let ready = world.scheduler.ready(); ready.length > 0; ready = world.scheduler.ready()) {
        random = (random * 1_103_515_245 + 12_345) % 2_147_483_648;
        await world.scheduler.open(ready[random % ready.length] as Gate);
      }
      await heal(world);
      const state = world.head?.status.state;
      expect(['TASK_STATE_COMPLETED', 'TASK_STATE_CANCELED', 'TASK_STATE_FAILED']).toContain(state);
      check({ ...played, where: `seed ${seed}` });
    }
  });
});
