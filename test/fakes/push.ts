/** All fakes of push notifications wired together. */
import type { Clock } from '../../core/ports.ts';
import { MemoryPushQueue } from './memory-push-queue.ts';
import { MemoryPushStore } from './memory-push-store.ts';
import { MemoryWebhooks } from './memory-webhooks.ts';

export interface FakePush {
  readonly store: MemoryPushStore;
  readonly queue: MemoryPushQueue;
  readonly webhooks: MemoryWebhooks;
}

export function fakePush(clock: Clock): FakePush {
  return { store: new MemoryPushStore(), queue: new MemoryPushQueue(clock), webhooks: new MemoryWebhooks() };
}
