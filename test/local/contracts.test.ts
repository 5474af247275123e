import type { QueueMessage } from '../../core/queue-message.ts';
import { LocalDeadlines } from '../../local/local-deadlines.ts';
import { LocalTurnQueue } from '../../local/local-turn-queue.ts';
import { deadlinesContract } from '../contracts/deadlines.contract.ts';
import { turnQueueContract } from '../contracts/turn-queue.contract.ts';
import { ManualClock, settle } from '../fakes/manual-clock.ts';
import { QuietLog } from '../fakes/quiet-log.ts';

turnQueueContract('in the local process', () => {
  const clock = new ManualClock();
  let delivered: QueueMessage[] = [];
  const deliver = async (message: QueueMessage) => {
    delivered.push(message);
  };
  return {
    queue: new LocalTurnQueue({ clock, log: new QuietLog(), deliver }),
    receive: async () => {
      await settle();
      const received = delivered;
      delivered = [];
      return received;
    },
    advance: (ms) => clock.advance(ms),
  };
});

deadlinesContract('in the local process', () => {
  const fire = async () => {};
  const deadlines = new LocalDeadlines({ clock: new ManualClock(), log: new QuietLog(), fire });
  return { deadlines, standing: () => deadlines.standing };
});
