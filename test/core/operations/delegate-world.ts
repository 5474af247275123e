/** An agent that delegates, over the fakes of the ports, with the queue delivered by hand. */
import { defineAgent } from '../../../agent/define-agent.ts';
import type { DelegateOptions } from '../../../agent/delegate.ts';
import type { Delegate } from '../../../core/delegate.ts';
import type { Json } from '../../../core/json.ts';
import { runTurn } from '../../../core/operations/run-turn.ts';
import { sendMessage } from '../../../core/operations/send-message.ts';
import { runUndo } from '../../../core/operations/undo.ts';
import { wakeDelegate } from '../../../core/operations/wake-delegate.ts';
import type { TaskHead } from '../../../core/task.ts';
import { FakeSubAgent } from '../../agent/fake-sub-agent.ts';
import { fakeDeps } from '../../fakes/deps.ts';
import { AMPLE, alice, text } from './world.ts';
import { PLAIN_CARD } from '../../support/plain-card.ts';

const BASE = 'https://finance.example/a2a';
export const costCentre = {
  type: 'object',
  properties: { costCentre: { type: 'string' } },
  required: ['costCentre'],
} as const;

export function delegateWorld(options: Partial<DelegateOptions> = {}) {
  const sub = new FakeSubAgent();
  const agent = defineAgent({
    card: PLAIN_CARD,
    agents: { expenses: sub },
    async run(turn) {
      const done = await turn.delegate('filing', {
        agent: 'expenses',
        message: 'File it',
        restate: () => ({ text: 'Which one?', schema: costCentre }),
        ...options,
      });
      await turn.artifact({ name: 'done', data: done.artifacts[0]?.parts[0]?.data ?? null });
    },
  });
  const deps = { ...fakeDeps({ agent }), baseUrl: () => BASE };
  return {
    deps,
    sub,
    dead: [] as unknown[],
    get head(): TaskHead {
      return deps.store.heads()[0] as TaskHead;
    },
    get entry(): Delegate | undefined {
      return this.head.delegates?.[0];
    },
    async send(parts: Json = [text('File my receipt')] as never, taskId?: string) {
      const messageId = `m-${this.deps.store.heads().length}-${deps.clock.now()}`;
      const message = { messageId, role: 'ROLE_USER' as const, parts: parts as never, ...(taskId ? { taskId } : {}) };
      await sendMessage(deps, alice, { message, configuration: { returnImmediately: true } });
    },
    /** Every turn message that is visible now. */
    async deliver(): Promise<number> {
      let runs = 0;
      for (let next = deps.queue.take(); next; next = deps.queue.take()) {
        runs++;
        await runTurn(deps, next, AMPLE);
      }
      for (let next = deps.queue.takeUndo(); next; next = deps.queue.takeUndo()) {
        // As SQS does with what fails: it comes again, in the end among the dead letters.
        await runUndo(deps, next).catch((error: unknown) => this.dead.push(error));
      }
      return runs;
    },
    hint(body: Json = { task: { status: { state: 'TASK_STATE_COMPLETED' } } }, url = sub.sent[0]?.pushUrl as string) {
      const [, , taskId = '', id = '', token = ''] = new URL(url).pathname.replace('/a2a', '').split('/').slice(1);
      return wakeDelegate(deps, { taskId: taskId, id, token: decodeURIComponent(token), body: () => body });
    },
  };
}
