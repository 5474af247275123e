/** Histories longer than one page of anything (R87, invariant 8): whole, in order, each message once. */
import { describe, expect, it } from 'vitest';
import type { Message, Task } from '../../../core/message.ts';
import { getTask } from '../../../core/operations/get-task.ts';
import { sendMessage } from '../../../core/operations/send-message.ts';
import { COST_CENTRE, tinyAgent } from '../operations/tiny-agent.ts';
import { alice, request, world } from '../operations/world.ts';

const ASKS = 60;

/** Asks sixty times, each time ten times over: a request, 600 questions and 600 answers. */
async function longTalk() {
  const { deps, deliver } = world({
    ...tinyAgent(),
    async run(host) {
      for (let call = 1; call <= ASKS; call += 1) {
        if (host.recorded(call)?.kind !== 'ask')
          return host.ask(call, { ...COST_CENTRE, name: `ask-${call}`, maxAttempts: 10 });
      }
    },
  });
  const say = async (message: Omit<Message, 'role'>): Promise<Task> => {
    const configuration = { returnImmediately: true, historyLength: 0 };
    const sent = await sendMessage(deps, alice, { message: { ...message, role: 'ROLE_USER' }, configuration });
    if (!('task' in sent)) throw new Error('no task');
    return sent.task;
  };
  const sent: string[] = ['m-1'];
  let task = await say(request);
  for (let ask = 1; ask <= ASKS; ask += 1) {
    await deliver();
    task = await getTask(deps, alice, { id: task.id, historyLength: 0 });
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      const questionId = task.status.message?.messageId ?? '';
      const messageId = `answer-${ask}-${attempt}`;
      sent.push(questionId, messageId);
      const data = { questionId, costCentre: attempt === 10 ? 'CC-4410' : 'nowhere' };
      task = await say({ messageId, taskId: task.id, parts: [{ data }] });
    }
  }
  await deliver();
  const read = async (historyLength?: number) => {
    const { history = [] } = await getTask(deps, alice, { id: task.id, ...(historyLength ? { historyLength } : {}) });
    return history.map(({ messageId }: Message) => messageId);
  };
  return { sent, read };
}

describe('a history of 1,201 messages', () => {
  it('is read whole when all of it is asked for, and its newest messages otherwise', async () => {
    const { sent, read } = await longTalk();
    expect(sent).toHaveLength(1_201);
    expect(await read(2_147_483_647)).toEqual(sent);
    expect(await read(1_201)).toEqual(sent);
    expect(await read(1_200)).toEqual(sent.slice(1));
    expect(await read()).toEqual(sent.slice(-100));
  }, 30_000);
});
