/**
 * Delivery under failures in any order: every event is told at least once, for the first time in the order of
 * generations, and no cursor goes back. Receivers refuse, pokes are lost or doubled, senders die before and after
 * a write, configs are registered anew in the middle; then everything heals, and all must have been told.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RetryableError } from '../../../core/errors.ts';
import { deliverPush } from '../../../core/operations/deliver-push.ts';
import { getTask } from '../../../core/operations/get-task.ts';
import { runTurn } from '../../../core/operations/run-turn.ts';
import type { Post } from '../../fakes/memory-webhooks.ts';
import { HOOK, pushWorld, short } from './push-world.ts';
import { alice, AMPLE, answerTo, request, text } from './world.ts';

const MINUTE_MS = 60_000;
const URLS = [HOOK, `${HOOK}/2`];

type Step =
  | 'turn'
  | 'poke'
  | 'poke twice'
  | 'lose pokes'
  | 'queue down'
  | 'receiver down'
  | 'sender dies'
  | 'write lost'
  | 'bad answer'
  | 'answer'
  | 'register'
  | 'second'
  | 'sweep'
  | 'minute'
  | 'hour';

const STEPS: readonly Step[] = [
  'turn',
  'poke',
  'poke twice',
  'lose pokes',
  'queue down',
  'receiver down',
  'sender dies',
  'write lost',
  'bad answer',
  'answer',
  'register',
  'second',
  'sweep',
  'minute',
  'hour',
];

it('every event is told at least once and in order, and no cursor goes back', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...STEPS), { minLength: 5, maxLength: 40 }), async (steps) => {
      const world = pushWorld();
      const { deps, push } = world;
      const { id } = await world.send(request, { id: 'a', url: URLS[0]! });
      let since = Infinity;
      let failures = 0;
      let down = 0;
      const cursors = new Map<string, number>();
      const taken: Post[] = [];
      push.webhooks.answer = (post) => {
        if (failures > 0) {
          failures -= 1;
          return { ok: false, why: 'answered 500' };
        }
        if (down > 0) {
          down -= 1;
          throw new Error('killed');
        }
        taken.push(post);
        return { ok: true };
      };
      const noteCursors = () => {
        for (const config of ['a', 'b'].map((name) => push.store.peek(world.head(), name))) {
          if (!config) continue;
          expect(config.cursor).toBeGreaterThanOrEqual(cursors.get(config.id) ?? 0);
          cursors.set(config.id, config.cursor);
        }
      };
      const deliver = async () => {
        const poke = push.queue.take();
        if (!poke) return;
        // What throws comes again, as SQS delivers it again.
        await deliverPush(deps, poke, AMPLE).catch(() => push.queue.send([poke], 60_000).catch(() => undefined));
      };
      const asking = async () => (await getTask(deps, alice, { id })).status.state === 'TASK_STATE_INPUT_REQUIRED';
      let messages = 0;
      const act = async (step: Step): Promise<unknown> => {
        switch (step) {
          case 'turn': {
            const next = deps.queue.take();
            return next && runTurn(deps, next, AMPLE);
          }
          case 'poke':
            return deliver();
          case 'poke twice': {
            const [poke] = push.queue.waiting;
            if (poke) await push.queue.send([poke]).catch(() => undefined);
            return Promise.all([deliver(), deliver()]);
          }
          case 'lose pokes':
            return push.queue.lose();
          case 'queue down':
            push.queue.failures += 1;
            return undefined;
          case 'receiver down':
            failures += 2;
            return undefined;
          case 'sender dies':
            down += 1;
            return undefined;
          case 'write lost': {
            let once = true;
            push.store.after = (op) => {
              if (op !== 'put' || !once) return;
              once = false;
              throw new RetryableError('STORE_UNAVAILABLE', 'response lost');
            };
            return undefined;
          }
          case 'bad answer':
            if (!(await asking())) return undefined;
            return world.send({ messageId: `bad-${messages++}`, taskId: id, parts: [text('engineering')] });
          case 'answer': {
            const task = await getTask(deps, alice, { id });
            if (task.status.state !== 'TASK_STATE_INPUT_REQUIRED') return undefined;
            return world.send(answerTo(task, { costCentre: 'CC-4410' }, `good-${messages++}`));
          }
          case 'register':
            return world.register(id, { id: 'a', url: URLS[0]!, token: `t-${messages++}` }).catch(() => undefined);
          case 'second':
            if (since === Infinity) since = world.head().generation;
            return world.register(id, { id: 'b', url: URLS[1]! }).catch(() => undefined);
          case 'sweep':
            return world.sweep();
          case 'minute':
            return deps.clock.advance(MINUTE_MS);
          case 'hour':
            return deps.clock.advance(60 * MINUTE_MS);
          default:
            throw new Error(`unknown step: ${String(step satisfies never)}`);
        }
      };
      for (const step of steps) {
        await act(step);
        noteCursors();
      }
      push.queue.failures = 0;
      failures = 0;
      down = 0;
      push.store.after = undefined;
      const isB = push.store.peek(world.head(), 'b') !== undefined;
      for (let n = 0; n < 150; n += 1) {
        await world.settle();
        noteCursors();
        await deps.clock.advance(MINUTE_MS);
        await world.sweep();
      }
      const { generation } = world.head();
      const told = (url: string) => [
        ...new Set(taken.filter((post) => post.url === url).map((post) => Number(short(post).split(' ')[0]))),
      ];
      const upTo = (from: number) => Array.from({ length: generation - from }, (_, n) => from + n + 1);
      expect(told(URLS[0]!)).toEqual(upTo(0));
      const second = told(URLS[1]!);
      if (isB) {
        expect(second.at(-1) ?? since).toBe(generation);
        expect(second).toEqual(upTo(generation - second.length));
        expect(second.length).toBeGreaterThanOrEqual(generation - Math.max(since, cursors.get('b') ?? 0));
      } else expect(second).toEqual([]);
      expect(push.store.peek(world.head(), 'a')).toMatchObject({ cursor: generation });
      expect(world.head().push?.check).toBeUndefined();
    }),
    { numRuns: 60 },
  );
});
