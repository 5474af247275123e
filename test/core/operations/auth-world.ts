/** An agent that requires one authorisation, over the fakes, with the queue delivered by hand. */
import { expect } from 'vitest';
import { type AuthOptions, DeclinedError, defineAgent, type Json } from '../../../agent/index.ts';
import type { Part, Task } from '../../../core/message.ts';
import { getTask } from '../../../core/operations/get-task.ts';
import { runTurn } from '../../../core/operations/run-turn.ts';
import { sendMessage } from '../../../core/operations/send-message.ts';
import type { CallbackAddress } from '../../../core/operations/vouched.ts';
import { fakeDeps } from '../../fakes/deps.ts';
import { alice, AMPLE } from './world.ts';

export const SECRET = 'tok-4711-super-secret';
export const DAY_MS = 86_400_000;

export interface Options extends Partial<AuthOptions<Json>> {
  readonly onMessage?: 'reject' | 'queue';
  readonly catches?: boolean;
}

/** Puts an event into a calendar with what it is given, and says which it was. */
export function world({ onMessage = 'reject', catches = false, ...auth }: Options = {}) {
  const uses: Json[] = [];
  const agent = defineAgent({
    card: {
      name: 'Travel agent',
      description: 'Plans trips',
      version: '1.0.0',
      skills: [{ id: 's', name: 'S', description: 'd', tags: [] }],
    },
    onMessage,
    async run(turn) {
      try {
        const event = await turn.requireAuth('calendar', {
          text: 'Sign in to your calendar.',
          request: { scopes: ['calendar.write'] },
          use: (credential, { idempotencyKey }) => {
            uses.push(credential);
            return { event: idempotencyKey };
          },
          ...auth,
        });
        await turn.artifact({ name: 'event', data: event });
        if (onMessage === 'queue') {
          for (const message of await turn.inbox()) await turn.artifact({ name: 'read', data: message.messageId });
        }
      } catch (error) {
        if (!catches) throw error;
        const reason = error instanceof DeclinedError ? error.reason : undefined;
        await turn.artifact({ name: 'caught', data: { error: (error as Error).message, reason: reason ?? null } });
      }
    },
  });
  const deps = fakeDeps({ agent });
  const send = async (messageId: string, parts: readonly Part[], taskId?: string) => {
    const message = { messageId, role: 'ROLE_USER' as const, parts, ...(taskId === undefined ? {} : { taskId }) };
    const result = await sendMessage(deps, alice, { message, configuration: { returnImmediately: true } });
    if (!('task' in result)) throw new Error('no task');
    return result.task;
  };
  const deliver = async () => {
    for (let next = deps.queue.take(); next; next = deps.queue.take()) {
      if ('turn' in next) await runTurn(deps, next as { taskId: string; turn: number }, AMPLE);
    }
  };
  return {
    deps,
    uses,
    send,
    deliver,
    get: (id: string) => getTask(deps, alice, { id }),
    /** A task that waits, and the address that it waits at. */
    async waiting(): Promise<{ readonly id: string; readonly task: Task; readonly place: CallbackAddress }> {
      const { id } = await send('m-1', [{ text: 'Plan my trip' }]);
      await deliver();
      const task = await getTask(deps, alice, { id });
      return { id, task, place: placeOf(task) };
    },
  };
}

export function placeOf(task: Task): CallbackAddress {
  const data = task.status.message?.parts[1]?.data as { readonly callbackUrl: string };
  const [, , kind, taskId = '', id = '', token = ''] = new URL(data.callbackUrl).pathname.split('/');
  expect(kind).toBe('auth');
  return { taskId, id, token };
}
