/** What an author may get wrong about `turn.hold`, and what the fault then says (design, section 12). */
import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent/define-agent.ts';
import type { SubAgents } from '../../agent/delegate.ts';
import type { Turn } from '../../agent/turn.ts';
import type { Agent } from '../../core/agent.ts';
import { FakeTask } from './fake-host.ts';
import { FakeSubAgent } from './fake-sub-agent.ts';

function booking(run: (turn: Turn) => Promise<void>, agents: SubAgents = {}): Agent {
  return defineAgent({
    card: { name: 'B', description: 'B.', version: '1', skills: [{ id: 's', name: 'S', description: 'S.', tags: [] }] },
    holds: { seat: { release: () => undefined } },
    agents,
    run,
  });
}

describe('a mistake of the author’s', () => {
  const acquire = () => ({});
  it.each<[string, string, unknown, string]>([
    ['a name that releases nothing', 'car', { for: { minutes: 10 }, acquire }, 'has no "car" in `holds`'],
    ['a name that every object has', 'toString', { for: { minutes: 10 }, acquire }, 'has no "toString" in `holds`'],
    ['no options', 'seat', undefined, 'its options are an object: { for, acquire }'],
    ['a slip of the pen', 'seat', { for: { minutes: 10 }, acquire, tries: 5 }, 'hold "seat": "tries" is not an option'],
    ['nothing to acquire with', 'seat', { for: { minutes: 10 } }, 'acquire is the function that reserves'],
    ['no time', 'seat', { for: { minutes: 0 }, acquire }, 'hold "seat": for is no length of time, as in { hours: 24 }'],
    ['less than a millisecond', 'seat', { for: { seconds: 0.0004 }, acquire }, 'hold "seat": for is no length of time'],
    ['more than 30 days', 'seat', { for: { days: 30, seconds: 1 }, acquire }, 'hold "seat": for is at most 30 days'],
    ['a result that is no JSON', 'seat', { for: { minutes: 10 }, acquire: () => new Map() }, 'hold "seat"'],
  ])('%s is a fault that no catch of the author sees', async (_what, name, options, text) => {
    const task = new FakeTask();
    let caught = false;
    const agent = booking(async (turn) => {
      try {
        await turn.hold(name, options as never);
      } catch {
        caught = true;
      }
    });
    const left = await task.turn(agent);
    expect(left).toMatchObject({ left: 'threw', error: { name: 'AgentFault' } });
    expect((left as { readonly error: Error }).error.message).toContain(text);
    expect(caught).toBe(false);
  });

  it('after a hold is told with the author’s line, also where a sub-agent’s question is relayed', async () => {
    const task = new FakeTask();
    const sub = new FakeSubAgent();
    const agent = booking(
      async (turn) => {
        await turn.hold('seat', { for: { minutes: 10 }, acquire });
        await delegates(turn);
      },
      { other: sub },
    );
    async function delegates(turn: Turn): Promise<void> {
      const restate = () => ({ text: 'Which?', expireIn: { hours: 1 } });
      await turn.delegate('file', { agent: 'other', message: 'File it', restate });
    }
    await task.turn(agent);
    sub.asks({ questionId: 'q-1' });
    const { error } = (await task.turn(agent)) as { readonly error: Error };
    expect(error.message).toBe('ask "file": "expireIn" is not an option');
    expect(error.stack).toMatch(/^AgentFault: ask "file": "expireIn" is not an option\n/);
    expect(error.stack).toMatch(/at (async )?delegates \(.*hold-faults\.test\.ts/);
  });

  it('calling the turn inside acquire is refused', async () => {
    const task = new FakeTask();
    const agent = booking(async (turn) => {
      await turn.hold('seat', { for: { minutes: 10 }, acquire: () => turn.step('inner', () => 1) });
    });
    expect(await task.turn(agent)).toMatchObject({
      left: 'threw',
      error: { message: 'step "inner" was called inside hold "seat": call it outside' },
    });
  });

  it('code that has changed under a hold is found out before anything is reserved', async () => {
    const task = new FakeTask();
    await task.turn(
      booking(async (turn) => {
        await turn.step('seat', () => 1);
        await turn.ask('who', { text: 'Who?' });
      }),
    );
    task.answer('Ada');
    const left = await task.turn(
      booking(async (turn) => {
        await turn.hold('seat', { for: { minutes: 10 }, acquire });
      }),
    );
    expect(left).toMatchObject({ left: 'threw', error: { reason: 'CODE_CHANGED' } });
    expect(task.holds).toEqual([]);
  });
});
