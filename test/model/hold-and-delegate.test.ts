/**
 * A hold and a sub-task in one task, with a crash at each single step of anybody's: whatever ends the task ends both, and
 * neither end hides the other's (design 12).
 */
import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent/define-agent.ts';
import { isTerminal, type Message } from '../../core/message.ts';
import { FakeSubAgent } from '../agent/fake-sub-agent.ts';
import { FIRST, request } from './callers.ts';
import { heal } from './heal.ts';
import { checkHolds } from './holds.ts';
import { disturbance, type Gate } from './scheduler.ts';
import { recordedIds, view } from './story.ts';
import { checkTrace } from './trace-properties.ts';
import { type Outside, World } from './world.ts';

const MINUTE_MS = 60_000;
const theirs = { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] } as const;

/** Asks once, for an hour; then it has done its work, or will not. */
function bookings(nowMs: () => number): FakeSubAgent {
  const sub = new FakeSubAgent();
  sub.onTask = () => sub.asks({ questionId: 'q-sub-1', schema: theirs, expiresAtMs: nowMs() + 60 * MINUTE_MS });
  sub.onAnswer = ({ status }, { parts }) => {
    if (isTerminal(status.state)) return;
    const data = parts[0]?.data as { readonly decline?: unknown } | undefined;
    if (data?.decline === undefined) sub.completes({ booked: true });
    else sub.says('TASK_STATE_REJECTED', 'Then not.');
  };
  return sub;
}

function maker(sub: FakeSubAgent) {
  return (outside: Outside) =>
    defineAgent({
      card: {
        name: 'traveller',
        description: 'Under test.',
        version: '1',
        skills: [{ id: 's', name: 'S', description: 'S.', tags: [] }],
      },
      holds: { seat: { release: ({ idempotencyKey }) => outside.giveBack(idempotencyKey) } },
      agents: {
        bookings: {
          send: (message, options) => outside.call('sub.send', () => sub.send(message, options)),
          get: (taskId) => outside.call('sub.get', () => sub.get(taskId)),
          cancel: (taskId) => outside.call('sub.cancel', () => sub.cancel(taskId)),
        },
      },
      async run(turn) {
        const held = await turn.hold('seat', {
          for: { minutes: 40 },
          acquire: ({ idempotencyKey }) => outside.acquire(idempotencyKey),
        });
        const done = await turn.delegate('booking', {
          agent: 'bookings',
          message: 'Book it',
          restate: () => ({ text: 'Which code?', schema: theirs }),
        });
        const kept = await held.tryConfirm();
        await turn.artifact({ name: 'done', data: { kept, ...(done.artifacts[0]?.parts[0]?.data as object) } });
      },
    });
}

type End = 'answer' | 'decline' | 'cancel' | 'expire';
type Crash = 'dies' | 'freezes' | 'fails';

interface Played {
  readonly world: World;
  readonly sub: FakeSubAgent;
  readonly gates: number;
  readonly where: string;
}

/** The way to one end, with a crash at the gate of the given number (0: none). */
async function play(end: End, at: number, how: Crash): Promise<Played> {
  let world: World;
  const sub = bookings(() => world.nowMs);
  world = new World(maker(sub));
  let gates = 0;
  let where = '';
  const open = async (gate: Gate): Promise<void> => {
    if (++gates !== at) return world.scheduler.open(gate);
    where = `${end}; ${gate.actor.name}: ${gate.place} ${gate.label} (${how})`;
    if (how === 'fails' && gate.place !== 'sleep') await world.scheduler.open(gate, disturbance(gate));
    else if (how === 'dies') world.scheduler.kill(gate.actor);
    else gate.actor.status = 'frozen';
    if (gate.actor.kind === 'worker' && how !== 'fails') world.unacknowledged.clear();
    return heal(world, 59_999);
  };
  const goOn = async (): Promise<void> => {
    for (;;) {
      for (let [gate] = world.scheduler.ready(); gate; [gate] = world.scheduler.ready()) await open(gate);
      const [index] = world.deliverable();
      if (index === undefined) return;
      await world.deliver(index);
    }
  };
  const send = async (message: Message): Promise<void> => {
    for (let tries = 0; tries < 3 && !recordedIds(world).includes(message.messageId); tries++) {
      await world.send(request(message));
      await goOn();
    }
  };
  await send(FIRST);
  await heal(world);
  const { head } = world;
  if (!head?.ask) throw new Error(`${where}: nothing is asked, ${head?.status.state}`);
  const { taskId, ask } = head;
  const said = (data: object): Message => ({
    messageId: 'm-answer',
    role: 'ROLE_USER',
    taskId,
    parts: [{ data: { questionId: ask.questionId, ...data } }],
  });
  if (end === 'answer') await send(said({ code: 'AB' }));
  if (end === 'decline') await send(said({ decline: {} }));
  if (end === 'cancel') {
    for (let tries = 0; tries < 3 && !isTerminal(world.head?.status.state ?? 'TASK_STATE_WORKING'); tries++) {
      await world.cancel(taskId);
      await goOn();
    }
  }
  if (end === 'expire') {
    world.scheduler.nowMs = ask.expiresAtMs;
    await world.fire(taskId);
    await goOn();
  }
  for (const actor of world.scheduler.actors) if (actor.status === 'frozen') actor.status = 'live';
  await heal(world);
  return { world, sub, gates, where };
}

const ENDS: Readonly<Record<End, { readonly above: string; readonly below: string; readonly kept: boolean }>> = {
  answer: { above: 'COMPLETED', below: 'COMPLETED', kept: true },
  decline: { above: 'REJECTED', below: 'REJECTED', kept: false },
  cancel: { above: 'CANCELED', below: 'CANCELED', kept: false },
  expire: { above: 'FAILED', below: 'CANCELED', kept: false },
};

async function check({ world, sub, where }: Played, end: End): Promise<void> {
  const { above, below, kept } = ENDS[end];
  checkTrace(world.commits);
  checkHolds(world);
  expect(world.head?.status.state, where).toBe(`TASK_STATE_${above}`);
  expect(
    [...sub.tasks.values()].map(({ status }) => status.state),
    where,
  ).toEqual([`TASK_STATE_${below}`]);
  expect(world.head?.delegates, where).toBeUndefined();
  expect(world.head?.holds, where).toBeUndefined();
  expect(world.head?.confirmed, where).toEqual(kept ? [1] : undefined);
  expect(world.handled.at(-1)?.did, where).toBe(kept ? 'acquire' : 'release');
  const artifacts = (await view(world)).artifacts?.map(({ parts }) => parts[0]?.data) ?? [];
  expect(artifacts, where).toEqual(end === 'answer' ? [{ kept: true, booked: true }] : []);
}

describe('a task that holds and delegates', () => {
  it.each(
    (['answer', 'decline', 'cancel', 'expire'] as const).flatMap((end) =>
      (['dies', 'freezes', 'fails'] as const).map((how) => [end, how] as const),
    ),
  )('ends whole by %s, and whoever is at it %s, wherever that is', { timeout: 120_000 }, async (end, how) => {
    const whole = await play(end, 0, how);
    await check(whole, end);
    expect(whole.gates).toBeGreaterThan(20);
    for (let at = 1; at <= whole.gates; at++) await check(await play(end, at, how), end);
  });
});
