/** Limits of a worker, of the decisions that run in the API and of the sweeper, each at its edge (sections 7 and 8). */
import { describe, expect, it } from 'vitest';
import { AgentFault } from '../../../core/errors.ts';
import { jsonBytes } from '../../../core/json.ts';
import { change } from '../../../core/operations/change.ts';
import { decide } from '../../../core/operations/decide.ts';
import { runTurn } from '../../../core/operations/run-turn.ts';
import { sweep } from '../../../core/operations/sweep.ts';
import { TurnWriter } from '../../../core/operations/turn-writer.ts';
import type { TurnHost } from '../../../core/turn-host.ts';
import type { TaskHead } from '../../../core/task.ts';
import { fakeDeps } from '../../fakes/deps.ts';
import { MemoryTaskStore } from '../../fakes/memory-store.ts';
import { submitted, TOKEN, working } from '../transition/fixtures.ts';
import { tinyAgent } from './tiny-agent.ts';
import { AMPLE, request, world } from './world.ts';

/** A world whose agent does just this, and its first turn run to where it comes by itself. */
async function worker(run: (host: TurnHost) => Promise<void>) {
  const all = world({ ...tinyAgent(), run });
  const { id } = await all.send(request);
  const turn = runTurn(all.deps, all.deps.queue.take() ?? { taskId: '', turn: 0 }, AMPLE);
  return { ...all, id, turn, head: () => all.deps.store.peek(id) as TaskHead };
}

const chunk = (text: string, append: boolean) => ({
  artifact: { artifactId: 'page', parts: [{ text }] },
  append,
  lastChunk: false,
});

describe('a step result', () => {
  it('of 8 KB stands in its item, a byte more in a blob', async () => {
    const small = await worker(async (host) => void (await host.record(1, 'step', 's', { ok: 'x'.repeat(8_190) })));
    await small.turn;
    expect(small.deps.store.childKeys(small.id)).toEqual(['STEP 000001']);
    const large = await worker(async (host) => void (await host.record(1, 'step', 's', { ok: 'x'.repeat(8_191) })));
    await large.turn;
    expect(large.deps.store.childKeys(large.id).map((key) => key.split(' ')[0])).toEqual(['BLOB', 'STEP']);
  });
});

describe('what a worker tells', () => {
  it('waits 250 ms for more', async () => {
    const { deps, head } = await worker(async (host) => {
      host.progress('reading');
      await new Promise<never>(() => undefined);
    });
    await deps.clock.advance(249);
    expect(head().generation).toBe(2);
    await deps.clock.advance(1);
    expect(head().generation).toBe(3);
  });

  it('is written at once when more than 6 KB wait', async () => {
    const told = async (bytes: number) => {
      const { deps, head } = await worker(async (host) => {
        await host.artifact(1, 'page', chunk('', false));
        // Two parts, their braces and what stands round them make the rest.
        await host.artifact(2, 'page', chunk('x'.repeat(bytes), true));
        await new Promise<never>(() => undefined);
      });
      await deps.clock.advance(0);
      return head().generation;
    };
    expect(await told(5_500)).toBe(2);
    expect(await told(6_144)).toBe(3);
  });

  it('ends with the 101st artifact, and the task with it', async () => {
    const made = async (artifacts: number) => {
      const { turn, head } = await worker(async (host) => {
        for (let call = 1; call <= artifacts; call++) {
          const artifact = { artifactId: `page-${call}`, parts: [{ text: 'x' }] };
          await host.artifact(call, 'page', { artifact, append: false, lastChunk: true });
        }
      });
      await turn;
      return head();
    };
    expect((await made(100)).status.state).toBe('TASK_STATE_COMPLETED');
    const over = await made(101);
    expect(over.status.state).toBe('TASK_STATE_FAILED');
    expect(over.used.artifacts).toBe(100);
  });

  it('leaves 2 KB of the 24 KB of a head free for the write that ends the task', async () => {
    const written = async (bytes: number) => {
      const deps = fakeDeps({ agent: tinyAgent() });
      // The newest record cannot leave the head; the version that the write gives it has as many digits.
      const of = (name: string): TaskHead => ({ ...working, calls: [{ kind: 'artifact', call: 1, name }] });
      const head = of('x'.repeat(bytes - jsonBytes(of(''))));
      await deps.store.create(head, []);
      const writer = new TurnWriter(deps, head, TOKEN);
      return writer.write({ type: 'read-inbox', seqs: [] });
    };
    await written(22_528);
    await expect(written(22_529)).rejects.toThrow(
      new AgentFault('HEAD_FULL', "the task's head would have 22529 bytes of 24576"),
    );
  });
});

describe('a decision', () => {
  it('that always loses is taken six times, then the caller is told to try again', async () => {
    class Busy extends MemoryTaskStore {
      saves = 0;
      override async save(previous: TaskHead, next: TaskHead): Promise<TaskHead> {
        this.saves += 1;
        const other = { ...previous, version: next.version };
        await super.save(previous, other);
        return super.save(previous, next);
      }
    }
    const store = new Busy();
    const deps = fakeDeps({ agent: tinyAgent(), store });
    await store.create(submitted, []);
    const changing = change(deps, submitted, () => ({ type: 'cancel' }));
    await expect(changing).rejects.toMatchObject({ name: 'RetryableError', reason: 'CONFLICT' });
    expect(store.saves).toBe(6);
  });

  it('of the author in the API is waited for 5 s', async () => {
    const deps = fakeDeps({ agent: tinyAgent() });
    let outcome: unknown;
    void decide(deps, new Promise<never>(() => undefined), 'reply').catch((error: unknown) => (outcome = error));
    await deps.clock.advance(4_999);
    expect(outcome).toBeUndefined();
    await deps.clock.advance(1);
    expect(outcome).toMatchObject({ name: 'RetryableError', reason: 'AGENT_SLOW' });
  });
});

describe('the sweeper', () => {
  it('asks each of the 8 shards for 100 tasks at a time', async () => {
    const asked: [number, number][] = [];
    class Empty extends MemoryTaskStore {
      override async due(shard: number, _nowMs: number, limit: number): Promise<readonly string[]> {
        asked.push([shard, limit]);
        return [];
      }
    }
    await sweep(fakeDeps({ agent: tinyAgent(), store: new Empty() }), AMPLE);
    expect(asked).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((shard) => [shard, 100]));
  });
});
