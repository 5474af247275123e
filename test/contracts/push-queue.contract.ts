/** What every push queue does. Time is moved by the one who runs the suite. */
import { describe, expect, it } from 'vitest';
import type { PushPoke, PushQueue } from '../../core/push/ports.ts';

export interface PushQueueUnderTest {
  readonly queue: PushQueue;
  /** The pokes a worker would be given now, oldest first; each is given once. */
  receive(): Promise<readonly PushPoke[]>;
  advance(ms: number): Promise<void>;
  /** The next send meets a queue that does not answer. Absent where that cannot be. */
  breakNext?(): void;
}

const poke = (taskId: string, configId = 'w'): PushPoke => ({ taskId, configId });

export function pushQueueContract(name: string, start: () => PushQueueUnderTest): void {
  describe(`push queue contract: ${name}`, () => {
    it('gives what was sent, and nothing but names (R45)', async () => {
      const { queue, receive } = start();
      const extra = { ...poke('a'), token: 'never travels' } as PushPoke;
      await queue.send([extra, { ...poke('b'), again: true }]);
      expect(await receive()).toEqual([
        { taskId: 'a', configId: 'w' },
        { taskId: 'b', configId: 'w', again: true },
      ]);
      expect(await receive()).toEqual([]);
    });

    it('takes as many at once as a task may have configs, and none at all', async () => {
      const { queue, receive } = start();
      await queue.send([]);
      await queue.send(Array.from({ length: 10 }, (_, n) => poke('a', `w-${n}`)));
      expect((await receive()).map(({ configId }) => configId)).toEqual([
        'w-0',
        'w-1',
        'w-2',
        'w-3',
        'w-4',
        'w-5',
        'w-6',
        'w-7',
        'w-8',
        'w-9',
      ]);
    });

    it('holds a poke back for its delay, and no shorter', async () => {
      const { queue, receive, advance } = start();
      await queue.send([poke('a')], 5_000);
      await advance(4_999);
      expect(await receive()).toEqual([]);
      await advance(1);
      expect(await receive()).toEqual([poke('a')]);
    });

    it('throws RetryableError when the queue does not answer, and works again after', async ({ skip }) => {
      const { queue, receive, breakNext } = start();
      if (!breakNext) return skip();
      breakNext();
      await expect(queue.send([poke('a')])).rejects.toMatchObject({
        name: 'RetryableError',
        reason: 'QUEUE_UNAVAILABLE',
      });
      await queue.send([poke('a')]);
      expect(await receive()).toHaveLength(1);
    });

    it('buries a poke where no worker finds it', async () => {
      const { queue, receive } = start();
      await queue.bury(poke('a'));
      expect(await receive()).toEqual([]);
    });
  });
}
