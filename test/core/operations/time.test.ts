/** What happens by itself: sweeper, leases, retries, retention, workers that run out of time. */
import { describe, expect, it } from 'vitest';
import { AgentFault } from '../../../core/errors.ts';
import { getTask } from '../../../core/operations/get-task.ts';
import { runTurn } from '../../../core/operations/run-turn.ts';
import { sendMessage } from '../../../core/operations/send-message.ts';
import { sweep } from '../../../core/operations/sweep.ts';
import { tinyAgent } from './tiny-agent.ts';
import { alice, AMPLE, answerTo, request, world } from './world.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

describe('the sweeper (invariant 3)', () => {
  it('starts a turn whose queue message was never sent, exactly once (R07)', async () => {
    const { deps, send, deliver, agent } = world();
    deps.queue.failures = 1;
    await send(request);
    await deps.clock.advance(2 * MINUTE_MS);
    expect(await sweep(deps, AMPLE)).toEqual({ found: 1, failed: 0 });
    expect(await sweep(deps, AMPLE)).toEqual({ found: 0, failed: 0 });
    await deliver();
    expect(agent.runs).toBe(1);
  });

  it('expires a question whose timer never fired, and removes the task after its retention', async () => {
    const { deps, send, deliver } = world();
    const { id } = await send(request);
    await deliver();
    await deps.clock.advance(DAY_MS);
    await sweep(deps, AMPLE);
    expect(deps.store.peek(id)?.status.state).toBe('TASK_STATE_FAILED');
    await deps.clock.advance(30 * DAY_MS - 1);
    await sweep(deps, AMPLE);
    expect(deps.store.peek(id)).toBeDefined();
    await deps.clock.advance(1);
    await sweep(deps, AMPLE);
    expect(deps.store.peek(id)).toBeUndefined();
    expect(deps.store.childKeys(id)).toEqual([]);
  });

  it('leaves a task of another agent alone: one table serves one agent', async () => {
    const { deps, send } = world();
    const { id } = await send(request);
    const before = deps.store.peek(id);
    await deps.clock.advance(2 * MINUTE_MS);
    const other = { ...deps, agent: { ...tinyAgent(), name: 'Travel agent' } };
    await sweep(other, AMPLE);
    expect(deps.store.peek(id)).toEqual(before);
    await sweep(deps, AMPLE);
    expect(deps.store.peek(id)?.turn.dispatch?.intervalMs).toBe(100_000);
  });

  it('counts a task that fails and goes on with the others', async () => {
    const { deps, send } = world();
    deps.queue.failures = 2;
    const bad = await send(request);
    const good = await send({ ...request, messageId: 'm-other' });
    await deps.clock.advance(2 * MINUTE_MS);
    deps.store.before = (op, taskId) => {
      if (op === 'load' && taskId === bad.id) throw new Error('damaged');
    };
    expect(await sweep(deps, AMPLE)).toEqual({ found: 2, failed: 1 });
    expect(deps.queue.sent.map(({ message }) => message.taskId)).toEqual([good.id]);
  });
});

describe('a worker that dies (section 8)', () => {
  it('is replaced after its lease and the retry delay; recorded steps do not run again', async () => {
    const { deps, send, deliver, agent } = world();
    const { id } = await send(request);
    await deliver();
    await send(answerTo(await getTask(deps, alice, { id }), { costCentre: 'CC-4410' }));
    const message = deps.queue.take() ?? { taskId: '', turn: 0 };
    deps.store.before = (op) => {
      if (op === 'save') throw new Error('killed');
    };
    await runTurn(deps, message, AMPLE);
    deps.store.before = undefined;
    expect(agent.filed).toHaveLength(1);
    await deps.clock.advance(MINUTE_MS);
    await sweep(deps, AMPLE);
    expect(deps.store.peek(id)?.turn).toMatchObject({ phase: 'parked', attempts: 1 });
    await deps.clock.advance(5_000);
    await deliver();
    expect(deps.store.peek(id)?.status.state).toBe('TASK_STATE_COMPLETED');
    expect(agent.filed).toHaveLength(1);
    expect(deps.log.metrics.filter((metric) => metric === 'LeasesTakenOver')).toHaveLength(1);
  });

  it('whose message is delivered again finds nothing to claim', async () => {
    const { deps, send, deliver, agent } = world();
    const { id } = await send(request);
    await deliver();
    await runTurn(deps, { taskId: id, turn: 1 }, AMPLE);
    await runTurn(deps, { taskId: 'nobody', turn: 1 }, AMPLE);
    expect(agent.runs).toBe(1);
  });
});

describe('code that changed under a parked task (R19, R15)', () => {
  it('is tried again, so that a rollback rescues it; then the task fails and says what changed', async () => {
    const message = 'the agent\'s code changed: expected step "read-receipt" at call 1, found ask "cost-centre"';
    const agent = tinyAgent();
    const run = agent.run.bind(agent);
    let broken = true;
    agent.run = (host) => (broken ? Promise.reject(new AgentFault('CODE_CHANGED', message)) : run(host));
    const { deps, send, deliver } = world(agent);
    const { id } = await send(request);
    for (let attempt = 1; attempt <= 4; attempt++) {
      await deliver();
      expect(deps.store.peek(id)?.turn).toMatchObject({ phase: 'parked', attempts: attempt });
      await deps.clock.advance(15 * MINUTE_MS);
    }
    await deliver();
    const failed = await getTask(deps, alice, { id });
    expect(failed.status.state).toBe('TASK_STATE_FAILED');
    expect(failed.status.message?.parts[0]?.text).toContain(message);

    const rescued = await send({ ...request, messageId: 'm-other' });
    await deliver();
    broken = false;
    await deps.clock.advance(15 * MINUTE_MS);
    await deliver();
    expect(deps.store.peek(rescued.id)?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  });

  it('other faults of the author fail the task at once, and the caller sees a correlation id only', async () => {
    const agent = tinyAgent();
    agent.run = () => Promise.reject(new AgentFault('NOT_JSON', 'secret detail'));
    const { deps, send, deliver } = world(agent);
    const { id } = await send(request);
    await deliver();
    const failed = await getTask(deps, alice, { id });
    expect(failed.status.state).toBe('TASK_STATE_FAILED');
    expect(failed.status.message?.parts[0]?.text).toMatch(/^The agent failed\. Correlation id: \S+$/);
  });
});

describe('a long turn', () => {
  /** An agent that works until it is told to go on. */
  function slow() {
    let release: () => void = () => undefined;
    const agent = tinyAgent();
    const run = agent.run.bind(agent);
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    return { agent: { ...agent, run: (host: Parameters<typeof run>[0]) => gate.then(() => run(host)) }, release };
  }

  it('renews its lease every 20 s', async () => {
    const { agent, release } = slow();
    const { deps, send } = world(agent);
    const { id } = await send(request);
    const until = () => (deps.store.peek(id)?.turn.lease?.untilMs ?? 0) - deps.clock.now();
    const turn = runTurn(deps, deps.queue.take() ?? { taskId: '', turn: 0 }, AMPLE);
    await settled();
    expect(until()).toBe(60_000);
    for (let beat = 0; beat < 5; beat++) {
      await deps.clock.advance(20_000);
      expect(until()).toBe(60_000);
    }
    release();
    await turn;
    expect(deps.store.peek(id)?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  });

  it('that has recorded nothing when the worker must stop counts as a failed attempt', async () => {
    const { agent } = slow();
    const { deps, send } = world(agent);
    const { id } = await send(request);
    const endMs = deps.clock.now() + 50_000;
    const turn = runTurn(deps, deps.queue.take() ?? { taskId: '', turn: 0 }, {
      remainingMs: () => endMs - deps.clock.now(),
    });
    await settled();
    await deps.clock.advance(20_000);
    await turn;
    expect(deps.store.peek(id)?.turn).toMatchObject({ n: 1, phase: 'parked', attempts: 1 });
  });
});

describe('a blocking send (S4, R35)', () => {
  it('returns when the task asks', async () => {
    const { deps } = world();
    const sent = sendMessage(deps, alice, { message: { ...request, role: 'ROLE_USER' } });
    await settled();
    await runTurn(deps, deps.queue.take() ?? { taskId: '', turn: 0 }, AMPLE);
    await settled();
    expect(await sent).toMatchObject({ task: { status: { state: 'TASK_STATE_INPUT_REQUIRED' } } });
  });

  it('returns the task as it is before the gateway gives up', async () => {
    const { deps } = world();
    const sent = sendMessage(deps, alice, { message: { ...request, role: 'ROLE_USER' } });
    await deps.clock.advance(25_000);
    expect(await sent).toMatchObject({ task: { status: { state: 'TASK_STATE_SUBMITTED' } } });
  });
});

/** Lets every promise that can go on go on. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
