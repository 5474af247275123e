/** What may happen in a world, as data that fast-check makes and shrinks, and how each is done. */
import fc from 'fast-check';
import type { Message } from '../../core/message.ts';
import { FIRST, messageFor, request, reused, SAYINGS, type Saying } from './callers.ts';
import { disturbance, START_MS } from './scheduler.ts';
import { MALLORY, type World } from './world.ts';

const DAY = 86_400_000;

export type Happening =
  /** One actor goes on, by a number of gates. */
  | { readonly do: 'run'; readonly pick: number; readonly gates: number }
  /** A call fails with nothing done, or is done and its answer is lost. */
  | { readonly do: 'disturb'; readonly pick: number }
  | { readonly do: 'kill' | 'freeze' | 'thaw'; readonly pick: number }
  /** A worker is gone, or only seems to be, its lease ends, and the sweeper comes by. */
  | { readonly do: 'lose-worker'; readonly pick: number; readonly dead: boolean }
  /** Callers speak at once; `unasked`: even if the task is not asking. */
  | { readonly do: 'say'; readonly sayings: readonly Saying[]; readonly unasked: boolean }
  | { readonly do: 'repeat' | 'reuse'; readonly pick: number }
  | { readonly do: 'first' | 'get' | 'cancel' | 'sweep' | 'fire' }
  | { readonly do: 'intrude'; readonly how: 'get' | 'send' | 'cancel' }
  /** A message that waits, or once more one that was delivered before; `short`: to a worker that must stop soon. */
  | { readonly do: 'deliver'; readonly pick: number; readonly again: boolean; readonly short: boolean }
  | { readonly do: 'drop'; readonly pick: number }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'wait-for-expiry'; readonly shortOf: number };

const pick = fc.nat(40);

function happening(chatty: boolean): fc.Arbitrary<Happening> {
  const of = <const T extends Happening['do']>(...kinds: T[]) => fc.constantFrom(...kinds);
  const say = (sayings: fc.Arbitrary<Saying>, unasked: fc.Arbitrary<boolean>) =>
    fc.record({ do: of('say'), sayings: fc.array(sayings, { minLength: 1, maxLength: 3 }), unasked });
  const unasked = (times: number) => (chatty ? fc.boolean() : seldom(times));
  const seldom = (times: number) => fc.nat(times).map((n) => n === times);
  return fc.oneof(
    { weight: 90, arbitrary: fc.record({ do: of('run'), pick, gates: fc.integer({ min: 1, max: 4 }) }) },
    { weight: 40, arbitrary: fc.record({ do: of('run'), pick, gates: fc.constant(100) }) },
    { weight: 20, arbitrary: say(fc.constantFrom(...SAYINGS), unasked(6)) },
    { weight: 14, arbitrary: say(fc.constantFrom<Saying>('CC-4410', 'CC-4420'), unasked(12)) },
    { weight: 40, arbitrary: fc.record({ do: of('deliver'), pick, again: fc.boolean(), short: seldom(10) }) },
    { weight: 8, arbitrary: fc.record({ do: of('repeat', 'reuse'), pick }) },
    { weight: 4, arbitrary: fc.record({ do: of('first', 'get') }) },
    { weight: 10, arbitrary: fc.record({ do: of('sweep', 'fire') }) },
    { weight: 1, arbitrary: fc.record({ do: of('cancel') }) },
    { weight: 2, arbitrary: fc.record({ do: of('intrude'), how: fc.constantFrom('get', 'send', 'cancel') }) },
    { weight: 7, arbitrary: fc.record({ do: of('disturb'), pick }) },
    { weight: 10, arbitrary: fc.record({ do: of('kill', 'freeze', 'thaw'), pick }) },
    { weight: 6, arbitrary: fc.record({ do: of('lose-worker'), pick, dead: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ do: of('drop'), pick }) },
    {
      weight: 14,
      arbitrary: fc.record({
        do: of('wait'),
        ms: fc.constantFrom(100, 250, 5_000, 20_000, 61_000, 130_000, 1_200_000),
      }),
    },
    { weight: 4, arbitrary: fc.record({ do: of('wait-for-expiry'), shortOf: fc.constantFrom(0, 0, 1, 3_600_000) }) },
  );
}

/** `chatty`: callers often speak to a task that is not asking. */
export const schedules = (maxLength: number, chatty = false): fc.Arbitrary<readonly Happening[]> =>
  fc.array(happening(chatty), { minLength: 20, maxLength, size: 'max' });

/** Messages that callers have sent, to be sent again. */
export class Callers {
  readonly sent: Message[] = [FIRST];
}

export async function happen(world: World, callers: Callers, what: Happening): Promise<void> {
  const { scheduler, head } = world;
  switch (what.do) {
    case 'run':
      return run(world, what.pick, what.gates);
    case 'disturb': {
      const gate = choose(
        scheduler.ready().filter(({ place }) => place !== 'sleep'),
        what.pick,
      );
      if (gate?.label === 'ledger.file') world.ledgerFaults += 1;
      if (gate) await scheduler.open(gate, disturbance(gate));
      return;
    }
    case 'kill': {
      const actor = choose(scheduler.live(), what.pick);
      if (actor) scheduler.kill(actor);
      return;
    }
    case 'freeze': {
      const actor = choose(scheduler.live(), what.pick);
      if (actor) actor.status = 'frozen';
      return;
    }
    case 'thaw':
      return thaw(world, what.pick);
    case 'first':
      return void (await world.send(request(FIRST)));
    case 'lose-worker': {
      const worker = choose(
        scheduler.live().filter(({ kind }) => kind === 'worker'),
        what.pick,
      );
      if (!worker) return;
      if (what.dead) scheduler.kill(worker);
      else worker.status = 'frozen';
      scheduler.nowMs += 61_000;
      return void (await world.sweep());
    }
    case 'say':
      for (const saying of what.sayings) {
        if (!head || (!head.ask && !what.unasked)) return;
        const message = messageFor(head, saying, `m-${callers.sent.length}`);
        callers.sent.push(message);
        await world.send(request(message));
      }
      return;
    case 'repeat':
      return void (await world.send(request(choose(callers.sent, what.pick) as Message)));
    case 'reuse': {
      // A first message under another id than the task's would only make another task.
      const message = choose(callers.sent, what.pick) as Message;
      return void (await world.send(request(reused(message))));
    }
    case 'sweep':
      return void (await world.sweep());
    case 'deliver': {
      const all = what.again ? world.queue.sent.map((_, index) => index) : world.deliverable();
      const index = choose(all, what.pick);
      if (index !== undefined) await world.deliver(index, what.short ? 45_000 : 900_000);
      return;
    }
    case 'drop': {
      const index = choose([...world.unacknowledged], what.pick);
      if (index !== undefined) world.unacknowledged.delete(index);
      return;
    }
    case 'wait':
      if (scheduler.nowMs < START_MS + 20 * DAY) scheduler.nowMs += what.ms;
      return;
    case 'wait-for-expiry':
      if (head?.ask) scheduler.nowMs = Math.max(scheduler.nowMs, head.ask.expiresAtMs - what.shortOf);
      return;
    case 'get':
      if (head) await world.get(head.taskId);
      return;
    case 'cancel':
      if (head) await world.cancel(head.taskId);
      return;
    case 'fire':
      if (head) await world.fire(head.taskId);
      return;
    case 'intrude':
      return intrude(world, what.how);
  }
}

async function run(world: World, pick: number, gates: number): Promise<void> {
  const actor = choose([...new Set(world.scheduler.ready().map((gate) => gate.actor))], pick);
  for (let opened = 0; opened < gates; opened++) {
    const gate = world.scheduler.ready().find((ready) => ready.actor === actor);
    if (!gate) return;
    await world.scheduler.open(gate);
  }
}

export function thaw(world: World, pick: number): void {
  const actor = choose(
    world.scheduler.actors.filter(({ status }) => status === 'frozen'),
    pick,
  );
  if (actor) actor.status = 'live';
}

async function intrude(world: World, how: 'get' | 'send' | 'cancel'): Promise<void> {
  const { head } = world;
  if (!head) return;
  if (how === 'get') await world.get(head.taskId, MALLORY);
  if (how === 'cancel') await world.cancel(head.taskId, MALLORY);
  if (how === 'send') await world.send(request(messageFor(head, 'CC-4410', 'm-mallory')), MALLORY);
}

function choose<T>(items: readonly T[], pick: number): T | undefined {
  return items[pick % Math.max(1, items.length)];
}
