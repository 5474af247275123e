/** A store, a queue and a box office that keeps account: what was reserved, and what was given back. */
import { defineAgent } from '../../../agent/define-agent.ts';
import type { Turn } from '../../../agent/turn.ts';
import { cancelTask } from '../../../core/operations/cancel-task.ts';
import { doDue } from '../../../core/operations/do-due.ts';
import { runTurn } from '../../../core/operations/run-turn.ts';
import { sendMessage } from '../../../core/operations/send-message.ts';
import { runUndo } from '../../../core/operations/undo.ts';
import type { TaskHead } from '../../../core/task.ts';
import { fakeDeps } from '../../fakes/deps.ts';
import { ManualClock } from '../../fakes/manual-clock.ts';
import { AMPLE, alice as OWNER } from './world.ts';

export class BoxOffice {
  /** Every call, in order. */
  readonly calls: string[] = [];
  failures = 0;

  acquire(key: string): { readonly seat: string } {
    this.calls.push(`acquire ${short(key)}`);
    return { seat: `12A of ${short(key)}` };
  }

  release(key: string, value: unknown, reason: string): void {
    this.calls.push(`release ${short(key)} ${JSON.stringify(value)} ${reason}`);
    if (this.failures-- > 0) throw new Error('the box office is closed');
  }
}

function short(key: string): string {
  return key.replace(/^.*-(hold-\d+)$/, '$1');
}

export const MINUTES = 60_000;

export function holdWorld(run: (turn: Turn, office: BoxOffice) => Promise<void>) {
  const office = new BoxOffice();
  const agent = defineAgent({
    card: {
      name: 'Booking agent',
      description: 'Books seats.',
      version: '1',
      skills: [{ id: 's', name: 'Book', description: 'Books.', tags: [] }],
    },
    holds: { seat: { release: ({ value, idempotencyKey, reason }) => office.release(idempotencyKey, value, reason) } },
    run: (turn) => run(turn, office),
  });
  const clock = new ManualClock();
  const deps = fakeDeps({ agent, clock });
  const world = {
    office,
    deps,
    clock,
    /** Runs turns and undoes what is to be undone until nothing is ready. */
    async work(): Promise<void> {
      for (;;) {
        const turn = deps.queue.take();
        if (turn) await runTurn(deps, turn, AMPLE);
        const undo = turn ? undefined : deps.queue.takeUndo();
        if (undo) await runUndo(deps, undo);
        if (!turn && !undo) return;
      }
    },
    async start(): Promise<string> {
      const { task } = (await sendMessage(deps, OWNER, {
        message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'A seat to Vienna' }] },
        configuration: { returnImmediately: true },
      })) as { task: { id: string } };
      await world.work();
      return task.id;
    },
    async answer(taskId: string, answer: object): Promise<void> {
      const questionId = world.head(taskId).ask?.questionId;
      await sendMessage(deps, OWNER, {
        message: {
          messageId: `m-${questionId}`,
          role: 'ROLE_USER',
          taskId,
          parts: [{ data: { questionId: questionId ?? '', ...answer } }],
        },
        configuration: { returnImmediately: true },
      });
      await world.work();
    },
    async cancel(taskId: string): Promise<void> {
      await cancelTask(deps, OWNER, { id: taskId });
      await world.work();
    },
    /** Somebody looks at what is due, as a timer or the sweeper does. */
    async due(taskId: string): Promise<void> {
      await doDue(deps, taskId);
      await world.work();
    },
    head(taskId: string): TaskHead {
      const head = deps.store.peek(taskId);
      if (!head) throw new Error('no such task');
      return head;
    },
    state(taskId: string): string {
      return world.head(taskId).status.state.replace('TASK_STATE_', '');
    },
  };
  return world;
}
