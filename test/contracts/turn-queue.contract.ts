/** What every turn queue does. Time is moved by the one who runs the suite. */
import { describe, expect, it } from 'vitest';
import type { TurnQueue } from '../../core/ports.ts';
import type { QueueMessage } from '../../core/queue-message.ts';

export interface QueueUnderTest {
  readonly queue: TurnQueue;
  /** The messages a worker would be given now, oldest first; each is given once. */
  receive(): Promise<readonly QueueMessage[]>;
  advance(ms: number): Promise<void>;
  /** The next send meets a queue that does not answer. Absent where that cannot be. */
  breakNext?(): void;
}

export function turnQueueContract(name: string, start: () => QueueUnderTest): void {
  describe(`turn queue contract: ${name}`, () => {
    it('gives what was sent, and nothing but task and turn (section 3, 2)', async () => {
      const { queue, receive } = start();
      const extra = { taskId: 'a', turn: 1, secret: 'never travels' } as QueueMessage;
      await queue.send(extra);
      await queue.send({ taskId: 'b', turn: 7 });
      expect(await receive()).toEqual([
        { taskId: 'a', turn: 1 },
        { taskId: 'b', turn: 7 },
      ]);
      expect(await receive()).toEqual([]);
    });

    it('gives what is to be undone, and nothing but what names it (section 12)', async () => {
      const { queue, receive } = start();
      const extra = { taskId: 'a', undo: { of: 'hold', n: 2, value: 'never travels' } } as QueueMessage;
      await queue.send(extra);
      await queue.send({ taskId: 'b', undo: { of: 'delegate', n: 1 } });
      expect(await receive()).toEqual([
        { taskId: 'a', undo: { of: 'hold', n: 2 } },
        { taskId: 'b', undo: { of: 'delegate', n: 1 } },
      ]);
    });

    it('holds a message back for its delay, and no shorter (section 8)', async () => {
      const { queue, receive, advance } = start();
      await queue.send({ taskId: 'a', turn: 1 }, 5_000);
      await advance(4_999);
      expect(await receive()).toEqual([]);
      await advance(1);
      expect(await receive()).toEqual([{ taskId: 'a', turn: 1 }]);
    });

    it('sends the same message twice when told twice: the head decides (invariant 2)', async () => {
      const { queue, receive } = start();
      await queue.send({ taskId: 'a', turn: 1 });
      await queue.send({ taskId: 'a', turn: 1 });
      expect(await receive()).toHaveLength(2);
    });

    it('throws RetryableError when the queue does not answer, and works again after (R07)', async ({ skip }) => {
      const { queue, receive, breakNext } = start();
      if (!breakNext) return skip();
      breakNext();
      await expect(queue.send({ taskId: 'a', turn: 1 })).rejects.toMatchObject({
        name: 'RetryableError',
        reason: 'QUEUE_UNAVAILABLE',
      });
      await queue.send({ taskId: 'a', turn: 1 });
      expect(await receive()).toHaveLength(1);
    });
  });
}
