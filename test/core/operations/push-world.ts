/** One agent over the fakes with a receiver of notifications; turns and pokes are delivered by hand. */
import type { Owner } from '../../../core/ids.ts';
import type { Message, Task, TaskEvent } from '../../../core/message.ts';
import { createPushConfig } from '../../../core/operations/create-push-config.ts';
import { deliverPush } from '../../../core/operations/deliver-push.ts';
import { runTurn } from '../../../core/operations/run-turn.ts';
import { sendMessage } from '../../../core/operations/send-message.ts';
import { sweep } from '../../../core/operations/sweep.ts';
import { QUESTION_EXTENSION_URI } from '../../../core/question/extension.ts';
import type { PushConfigRequest } from '../../../core/requests.ts';
import type { TaskHead } from '../../../core/task.ts';
import { fakeDeps } from '../../fakes/deps.ts';
import { ManualClock } from '../../fakes/manual-clock.ts';
import type { Post } from '../../fakes/memory-webhooks.ts';
import { fakePush } from '../../fakes/push.ts';
import { tinyAgent, type TinyAgent } from './tiny-agent.ts';
import { alice, AMPLE } from './world.ts';

export const HOOK = 'https://receiver.example/hook';

export function pushWorld(agent: TinyAgent = tinyAgent()) {
  const clock = new ManualClock();
  const push = fakePush(clock);
  const deps = fakeDeps({ agent, clock, push });
  const world = {
    deps,
    push,
    agent,
    async send(message: Omit<Message, 'role'>, config?: PushConfigRequest, owner: Owner = alice): Promise<Task> {
      const request = {
        message: { ...message, role: 'ROLE_USER' as const },
        configuration: { returnImmediately: true, ...(config ? { taskPushNotificationConfig: config } : {}) },
      };
      const result = await sendMessage(deps, owner, request);
      if (!('task' in result)) throw new Error('no task');
      return result.task;
    },
    register: (taskId: string, over: Partial<PushConfigRequest> = {}, owner: Owner = alice) =>
      createPushConfig(deps, owner, { taskId, url: HOOK, ...over }),
    async turns(): Promise<void> {
      for (let next = deps.queue.take(); next; next = deps.queue.take()) await runTurn(deps, next, AMPLE);
    },
    async pokes(): Promise<void> {
      for (let next = push.queue.take(); next; next = push.queue.take()) await deliverPush(deps, next, AMPLE);
    },
    /** Turns and pokes, as long as there are any. */
    async settle(): Promise<void> {
      while (deps.queue.nextReadyAtMs !== undefined || push.queue.nextReadyAtMs !== undefined) {
        const before = deps.queue.waiting.length + push.queue.waiting.length;
        await world.turns();
        await world.pokes();
        if (deps.queue.waiting.length + push.queue.waiting.length === before) return;
      }
    },
    sweep: () => sweep(deps, AMPLE),
    head(): TaskHead {
      const [head] = deps.store.heads();
      if (!head) throw new Error('no task');
      return head;
    },
    config: (id: string) => push.store.peek(world.head(), id),
    /** What the receivers were sent, in short: generation and state, or the artifact's name. */
    told: () => push.webhooks.posts.map(short),
  };
  return world;
}

export function short(post: Post): string {
  const event = eventOf(post);
  const { metadata } = 'statusUpdate' in event ? event.statusUpdate : event.artifactUpdate;
  const own = metadata?.[QUESTION_EXTENSION_URI] as { generation: number } | undefined;
  const what =
    'statusUpdate' in event
      ? event.statusUpdate.status.state.replace('TASK_STATE_', '')
      : `artifact ${event.artifactUpdate.artifact.name}`;
  return `${own?.generation} ${what}`;
}

export function eventOf(post: Post): TaskEvent {
  return post.payload as unknown as TaskEvent;
}
