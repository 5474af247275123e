/** A turn looks for STEP items only where some may be: the head says so, or an earlier attempt could not (decision 0023). */
import { describe, expect, it } from 'vitest';
import { runTurn } from '../../../core/operations/run-turn.ts';
import { sweep } from '../../../core/operations/sweep.ts';
import type { TurnHost } from '../../../core/turn-host.ts';
import { COST_CENTRE, tinyAgent } from './tiny-agent.ts';
import { AMPLE, answerTo, request, world } from './world.ts';

/** A world whose agent does just this, and what the store was asked for since it was last looked at. */
function worldOf(run: (host: TurnHost) => Promise<void>) {
  const all = world({ ...tinyAgent(), run });
  const { store } = all.deps;
  return {
    ...all,
    head: () => store.heads()[0],
    asked: () => store.calls.splice(0).map(({ op }) => op),
    /** Answers the open question and runs the turn that follows. */
    async answer(messageId: string): Promise<void> {
      const task = await all.send(request);
      await all.send(answerTo(task, { costCentre: 'CC-4410' }, messageId));
      store.calls.length = 0;
      await all.deliver();
    },
  };
}

const asksAt = async (host: TurnHost, call: number): Promise<void> => {
  if (!host.recorded(call)) await host.ask(call, { ...COST_CENTRE, name: `centre-${call}` });
};

/** Pending for ever, as the code of a worker that died. */
const never = () => new Promise<never>(() => undefined);

describe('a turn looks for recorded steps', () => {
  it('not where none was recorded: a whole cycle is 7 calls', async () => {
    const { send, deliver, asked } = worldOf((host) => asksAt(host, 1));
    const task = await send(request);
    await deliver();
    const before = asked();
    const asking = await send(request);
    asked();
    await send(answerTo({ ...asking, id: task.id }, { costCentre: 'CC-4410' }));
    await deliver();
    expect([...before, ...asked()]).toEqual(['create', 'claim', 'save', 'load', 'save', 'claim', 'save']);
  });

  it('where the turn before recorded one', async () => {
    let runs = 0;
    const { send, deliver, answer, asked } = worldOf(async (host) => {
      if (!host.recorded(1)) {
        runs += 1;
        await host.record(1, 'step', 'read', { ok: runs });
      }
      await asksAt(host, 2);
    });
    await send(request);
    await deliver();
    await answer('m-2');
    expect(asked()).toEqual(['claim', 'steps', 'save']);
    expect(runs).toBe(1);
  });

  it('where an earlier attempt recorded one and died before it could say so, and ever after', async () => {
    let runs = 0;
    const { deps, send, deliver, answer, asked, head } = worldOf(async (host) => {
      if (!host.recorded(1)) {
        runs += 1;
        await host.record(1, 'step', 'read', { ok: runs });
      }
      await asksAt(host, 2);
    });
    await send(request);
    // Nothing comes back from the first record, and nothing is written after it.
    deps.store.after = (op) => (op === 'putStep' ? never() : undefined);
    deps.store.before = (op) => (op === 'save' ? never() : undefined);
    void deliver();
    await deps.clock.advance(60_000);
    expect(head()).toMatchObject({ turn: { phase: 'running', attempts: 1 } });
    expect(head()?.steps).toBe(undefined);
    deps.store.after = undefined;
    deps.store.before = undefined;
    await sweep(deps, AMPLE);
    await deps.clock.advance(5_000);
    asked();
    await deliver();
    expect(asked()).toContain('steps');
    await answer('m-2');
    expect(asked()).toEqual(['claim', 'steps', 'save']);
    expect(runs).toBe(1);
  });

  it('after a worker ran out of time, whose steps in flight may still be recorded', async () => {
    const { deps, send, deliver, asked } = worldOf(async (host) => {
      if (host.turn > 1) return;
      const artifact = { artifactId: 'draft', parts: [{ text: 'half of it' }] };
      await host.artifact(1, 'draft', { artifact, append: false, lastChunk: true });
      await never();
    });
    await send(request);
    const turn = deps.queue.take();
    if (!turn) throw new Error('no turn was requested');
    let remainingMs = 900_000;
    void runTurn(deps, turn, { remainingMs: () => remainingMs });
    await deps.clock.advance(0);
    remainingMs = 30_000;
    await deps.clock.advance(20_000);
    asked();
    await deliver();
    expect(asked()).toEqual(['claim', 'steps', 'save']);
  });

  it('where answers have left the head for items of their own', async () => {
    const { deps, send, deliver, answer, asked, head } = worldOf(async (host) => {
      for (const call of [1, 2, 3]) await asksAt(host, call);
    });
    await send(request);
    await deliver();
    await answer('m-2');
    expect(asked()).toEqual(['claim', 'save']);
    await answer('m-3');
    // The oldest log entries are gone from the head by now, the request among them.
    expect(asked()).toEqual(['claim', 'logBefore', 'save']);
    expect(deps.store.childKeys(head()?.taskId ?? '').filter((key) => key.startsWith('STEP'))).toEqual(['STEP 000001']);
    await answer('m-4');
    expect(asked()).toEqual(['claim', 'logBefore', 'steps', 'save']);
  });
});
