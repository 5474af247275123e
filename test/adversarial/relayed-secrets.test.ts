/**
 * A `writeOnly` answer that is relayed: it goes down in one message and stands nowhere here, whatever the sub-agent says
 * of it (design, sections 6 and 12; R45).
 */
import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent/define-agent.ts';
import { getTask } from '../../core/operations/get-task.ts';
import { runTurn } from '../../core/operations/run-turn.ts';
import { sendMessage } from '../../core/operations/send-message.ts';
import { FakeSubAgent } from '../agent/fake-sub-agent.ts';
import { alice, AMPLE } from '../core/operations/world.ts';
import { fakeDeps } from '../fakes/deps.ts';
import { PLAIN_CARD } from '../support/plain-card.ts';

const SECRET = 'hunter2-4711';
const pin = { type: 'object', properties: { pin: { type: 'string', writeOnly: true } }, required: ['pin'] } as const;
const code = { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] } as const;

async function relayed(theirs: object, ours: typeof pin | typeof code, refuse?: string) {
  const sub = new FakeSubAgent();
  const agent = defineAgent({
    card: PLAIN_CARD,
    agents: { bank: sub },
    async run(turn) {
      try {
        await turn.delegate('reading', {
          agent: 'bank',
          message: 'x',
          restate: () => ({ text: 'Your PIN?', schema: ours }),
          translate: (answer) => {
            const given = answer as { readonly pin?: string; readonly code?: string };
            const value = given.pin ?? given.code ?? '';
            return 'code' in (theirs as { readonly properties: object }).properties ? { code: value } : { pin: value };
          },
        });
      } catch (error) {
        await turn.artifact({ name: 'why', data: (error as { readonly reason: string }).reason });
      }
    },
  });
  const deps = fakeDeps({ agent });
  sub.onTask = () => sub.asks({ questionId: 'q-1', schema: theirs as never });
  const send = async (messageId: string, parts: readonly object[], taskId?: string) => {
    const message = { messageId, role: 'ROLE_USER' as const, parts: parts as never, ...(taskId ? { taskId } : {}) };
    await sendMessage(deps, alice, { message, configuration: { returnImmediately: true } });
    for (let next = deps.queue.take(); next; next = deps.queue.take()) await runTurn(deps, next, AMPLE);
  };
  await send('m-1', [{ text: 'go' }]);
  const [asked] = deps.store.heads();
  if (!asked?.ask) throw new Error('nothing is asked');
  if (refuse !== undefined) sub.faults = [{ retryable: false, message: refuse }];
  else sub.onAnswer = () => sub.completes({});
  const name = ours === pin ? 'pin' : 'code';
  await send('m-2', [{ data: { questionId: asked.ask.questionId, [name]: SECRET } }], asked.taskId);
  const task = await getTask(deps, alice, { id: asked.taskId });
  return { deps, sub, task };
}

describe('a secret answer that is relayed', () => {
  it('goes down as it is, and stands nowhere here', async () => {
    const { deps, sub, task } = await relayed(pin, pin);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(sub.taken.at(-1)?.parts[0]?.data).toEqual({ questionId: 'q-1', pin: SECRET });
    for (const kept of [deps.store.dump(), JSON.stringify(deps.log.lines), JSON.stringify(task)]) {
      expect(kept).not.toContain(SECRET);
    }
  });

  it.each([
    ['secret on both sides', pin, pin],
    ['secret here alone', code, pin],
    ['secret there alone', pin, code],
  ])('is not repeated where the sub-agent quotes it in its refusal: %s', async (_where, theirs, ours) => {
    const { deps, task } = await relayed(theirs, ours, `"${SECRET}" is wrong`);
    expect(task.artifacts?.[0]?.parts[0]?.data).toBe('it refused the answer to its question: "[credential]" is wrong');
    expect(JSON.stringify(deps.log.lines)).not.toContain(SECRET);
    // Where it is no secret of this agent's own, its caller's message has it.
    if (ours === pin) expect(deps.store.dump()).not.toContain(SECRET);
  });

  it('what is no secret is told to the author as it was said', async () => {
    const { task } = await relayed(code, code, `"${SECRET}" is wrong`);
    expect(task.artifacts?.[0]?.parts[0]?.data).toBe(`it refused the answer to its question: "${SECRET}" is wrong`);
  });
});
