/** Sizes (design, sections 4 and 6; R76): what an agent makes too large, and what is large but allowed. */
import { describe, expect, it } from 'vitest';
import type { Artifact, Task } from '../../core/message.ts';
import type { Agent } from '../../core/agent.ts';
import type { TurnHost } from '../../core/turn-host.ts';
import { tinyAgent } from '../core/operations/tiny-agent.ts';
import { KIB, system } from './api-over-fakes.ts';

describe('what an agent makes too large fails its task with a reason, and leaves nothing half-made', () => {
  function agentThat(run: (host: TurnHost) => Promise<unknown>): Agent {
    return { ...tinyAgent(), run: async (host) => void (await run(host)) };
  }
  const artifact = (chars: number): { artifact: Artifact; append: false; lastChunk: true } => ({
    artifact: { artifactId: 'a', parts: [{ text: 'x'.repeat(chars) }] },
    append: false,
    lastChunk: true,
  });

  async function life(run: (host: TurnHost) => Promise<unknown>) {
    const { deps, call, send, deliver } = system(agentThat(run));
    const { task } = await send({});
    await deliver();
    return { deps, task: (await call('GET', `/tasks/${task?.id}`)).task as Task };
  }

  it.each<[string, (host: TurnHost) => Promise<unknown>, string]>([
    [
      'a step result of more than 1,000 KiB',
      (host) => host.record(1, 'step', 'big', { ok: 'x'.repeat(1_000 * KIB) }),
      'the result of "big" has 1024002 bytes; at most 1024000 are recorded',
    ],
    [
      'an artifact of more than 5,000 KiB',
      (host) => host.artifact(1, 'big', artifact(5_000 * KIB)),
      'a task may have 100 artifacts and 5120000 bytes of them; artifact "big" is over',
    ],
    [
      'a question of more than 8 KiB',
      (host) => host.ask(1, { name: 'q', text: 'x'.repeat(8 * KIB + 1) }),
      'question "q": the text is longer than 8192 bytes',
    ],
    [
      'secret names of more than 1 KiB',
      (host) =>
        host.ask(1, {
          name: 'q',
          text: 'Q',
          schema: { type: 'object', properties: { ['x'.repeat(1_100)]: { type: 'string', writeOnly: true } } },
        }),
      'question "q": the names of writeOnly properties have more than 1024 bytes together',
    ],
    [
      'a default of more than 2 KiB',
      (host) =>
        host.ask(1, { name: 'q', text: 'Q', onExpire: { then: 'default', value: { text: 'x'.repeat(2_048) } } }),
      'question "q": the default at expiry: expected at most 2048 bytes of JSON',
    ],
  ])('%s', async (_what, run, logged) => {
    const { deps, task } = await life(run);
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(task.status.message?.parts[0]?.text).toContain('Correlation id');
    expect(task.artifacts).toBeUndefined();
    const errors = deps.log.lines.filter(({ level }) => level === 'error').map(({ fields }) => fields.error as Error);
    expect(errors.map(({ message }) => message)).toEqual([logged]);
    expect(deps.store.childKeys(task.id).filter((key) => !key.startsWith('LOG'))).toEqual([]);
  });

  it('an artifact of 450 KB is a blob, and comes back whole', async () => {
    const { deps, task } = await life((host) => host.artifact(1, 'big', artifact(450_000)));
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(task.artifacts?.[0]?.parts[0]?.text).toHaveLength(450_000);
    expect(deps.store.childKeys(task.id)).toHaveLength(1);
    expect(JSON.stringify(deps.store.peek(task.id)).length).toBeLessThan(24_576);
  });

  it('twenty unread messages of 900 KB are read at once and recorded: callers cannot fail an agent', async () => {
    const read: string[][] = [];
    const agent: Agent = {
      ...agentThat(async (host) => {
        read.push((await host.inbox(1)).map((message) => message.messageId));
      }),
      settings: { idempotency: 'on', onMessage: 'queue' },
    };
    const { deps, send, deliver, call } = system(agent);
    const { task } = await send({});
    for (let n = 1; n <= 20; n++) {
      await send({ messageId: `m-${n + 1}`, taskId: task?.id ?? '', parts: [{ text: `${n} ${'x'.repeat(900_000)}` }] });
    }
    await deliver();
    expect(read[0]).toEqual(Array.from({ length: 20 }, (_, n) => `m-${n + 2}`));
    expect(deps.store.peek(task?.id ?? '')?.unread).toEqual([]);
    expect((await call('GET', `/tasks/${task?.id}`)).task?.status.state).toBe('TASK_STATE_COMPLETED');
  });
});
