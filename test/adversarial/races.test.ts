/** Races that no single caller can see: a text for a question that has gone, a verdict from a worker that is dead. */
import { describe, expect, it } from 'vitest';
import { runTurn } from '../../core/operations/run-turn.ts';
import { sweep } from '../../core/operations/sweep.ts';
import { AMPLE, alice, answered, attacked, first, holding, refusal, said } from './world.ts';

const HOUR_MS = 3_600_000;

describe('a text that came while another question was open (R01, R47)', () => {
  it('is not taken for the answer to the next one', async () => {
    const { deps, send, deliver, get } = attacked(async (turn) => {
      const name = await turn.ask('name', { text: 'Who are you?' });
      const city = await turn.ask('city', { text: 'Where do you live?' });
      await turn.artifact({ name: 'both', data: { name, city } });
    });
    const { id } = await send(first);
    await deliver();
    const asked = await get(id);
    const slow = holding(deps.store, 'save');
    const loser = send(said(asked, 'm-2', 'Ann'), alice, { store: slow.store });
    await slow.held;
    await send(answered(asked, 'm-3', { text: 'Bob' }));
    await deliver();
    slow.go();
    const told = await loser;
    expect(JSON.stringify(told.metadata)).toContain('"answeredBy":"m-3"');
    expect(told.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(JSON.stringify(told.history)).not.toContain('Ann');
    await send(answered(await get(id), 'm-4', { text: 'Lisbon' }));
    await deliver();
    expect((await get(id)).artifacts?.[0]?.parts[0]?.data).toEqual({ name: 'Bob', city: 'Lisbon' });
  });

  it('is refused when that one expired', async () => {
    const { deps, send, deliver, get } = attacked(async (turn) => {
      await turn.tryAsk('name', { text: 'Who are you?', onExpire: 'resume', expiresIn: { hours: 1 } });
      await turn.ask('city', { text: 'Where do you live?' });
    });
    const { id } = await send(first);
    await deliver();
    const slow = holding(deps.store, 'save');
    const late = send(said(await get(id), 'm-2', 'Ann'), alice, { store: slow.store });
    await slow.held;
    await deps.clock.advance(HOUR_MS);
    await sweep(deps, AMPLE);
    await deliver();
    slow.go();
    expect(await refusal(late)).toMatchObject({ reason: 'INVALID_PARAMS' });
    expect((await get(id)).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  });

  it('is taken for the same ask when that was asked again meanwhile', async () => {
    const { deps, send, deliver, get } = attacked(async (turn) => {
      const { choice } = await turn.ask('choice', {
        text: 'Which?',
        schema: { type: 'object', properties: { choice: { type: 'string' } }, required: ['choice'] } as const,
        options: ['red', 'blue'],
      });
      await turn.artifact({ name: 'choice', text: choice });
    });
    const { id } = await send(first);
    await deliver();
    const asked = await get(id);
    const slow = holding(deps.store, 'save');
    const good = send(said(asked, 'm-2', 'red'), alice, { store: slow.store });
    await slow.held;
    await send(said(asked, 'm-3', 'green'));
    slow.go();
    expect((await good).status.state).toBe('TASK_STATE_WORKING');
    await deliver();
    expect((await get(id)).artifacts?.[0]?.parts[0]?.text).toBe('red');
  });
});

describe("the author's own check (section 6)", () => {
  it('of a worker back from the dead does not let a refused answer in (invariants 2 and 6)', async () => {
    let free = true;
    const { deps, send, deliver, get } = attacked(async (turn) => {
      const seat = await turn.ask('seat', { text: 'Which seat?', check: () => (free ? undefined : 'is taken') });
      await turn.artifact({ name: 'seat', text: seat });
    });
    const { id } = await send(first);
    await deliver();
    await send(answered(await get(id), 'm-2', { text: '12A' }));
    // It found the seat free, and froze before it could record that.
    const dead = holding(deps.store, 'save');
    const zombie = runTurn({ ...deps, store: dead.store, clock: stopped(deps.clock) }, taken(deps), AMPLE);
    await dead.held;
    await deps.clock.advance(60_000);
    await sweep(deps, AMPLE);
    await deps.clock.advance(5_000);
    free = false;
    await deliver();
    const again = await get(id);
    expect(again.status.message?.messageId).toMatch(/-2$/);
    dead.go();
    await zombie;
    free = true;
    await send(answered(again, 'm-3', { text: '14C' }));
    await deliver();
    expect((await get(id)).artifacts?.[0]?.parts[0]?.text).toBe('14C');
  });
});

/** The clock of a process that is frozen: nothing that sleeps wakes. */
function stopped(clock: { now(): number }) {
  return { now: () => clock.now(), sleep: () => new Promise<void>(() => undefined), after: () => () => undefined };
}

function taken(deps: ReturnType<typeof attacked>['deps']) {
  const message = deps.queue.take();
  if (!message) throw new Error('no turn was requested');
  return message;
}
