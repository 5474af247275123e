/** A task that waits for an authorisation, over the operations: agent layer, store, callback and all (S33, R35). */
import { describe, expect, it } from 'vitest';
import { cancelTask } from '../../../core/operations/cancel-task.ts';
import { grantAuth } from '../../../core/operations/grant-auth.ts';
import { runTurn } from '../../../core/operations/run-turn.ts';
import { sweep } from '../../../core/operations/sweep.ts';
import type { CallbackAddress } from '../../../core/operations/vouched.ts';
import { alice, AMPLE } from './world.ts';
import { DAY_MS, placeOf, SECRET, world } from './auth-world.ts';

describe('an authorisation', () => {
  it('has the task wait with what is needed, and the task goes on by itself once it is granted (S33)', async () => {
    const { deps, waiting, deliver, get, uses } = world();
    const { id, task, place } = await waiting();
    expect(task.status).toMatchObject({
      state: 'TASK_STATE_AUTH_REQUIRED',
      message: {
        messageId: `a-${id.slice(0, 16)}-1`,
        parts: [
          { text: 'Sign in to your calendar.' },
          {
            data: {
              authId: `a-${id.slice(0, 16)}-1`,
              expires: '2027-01-16T08:00:00.000Z',
              request: { scopes: ['calendar.write'] },
            },
          },
        ],
      },
    });
    expect(await grantAuth(deps, place, { access_token: SECRET })).toBe('done');
    expect((await get(id)).status).not.toHaveProperty('message');
    await deliver();
    const done = await get(id);
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(done.artifacts?.[0]?.parts).toEqual([{ data: { event: `${id}-1` }, mediaType: 'application/json' }]);
    expect(uses).toEqual([{ access_token: SECRET }]);
    expect(done.history?.map(({ messageId }) => messageId)).toEqual(['m-1', `a-${id.slice(0, 16)}-1`]);
  });

  it('leaves its credential nowhere: sealed while it waits, deleted once used, in no log', async () => {
    const { deps, waiting, deliver } = world();
    const { place, id: taskId } = await waiting();
    await grantAuth(deps, place, { access_token: SECRET });
    expect(deps.store.childKeys(taskId).filter((key) => key.startsWith('SECRET'))).toHaveLength(1);
    expect(deps.store.dump()).not.toContain(SECRET);
    await deliver();
    expect(deps.store.childKeys(taskId).filter((key) => key.startsWith('SECRET'))).toEqual([]);
    expect(deps.store.dump()).not.toContain(SECRET);
    expect(JSON.stringify(deps.log.lines)).not.toContain(SECRET);
  });

  it('costs one read, one write and one queue send to grant (section 13)', async () => {
    const { deps, waiting } = world();
    const { place } = await waiting();
    deps.store.calls.length = 0;
    const sent = deps.queue.sent.length;
    await grantAuth(deps, place, 'x');
    expect(deps.store.calls.map(({ op }) => op)).toEqual(['load', 'save']);
    expect(deps.queue.sent.length).toBe(sent + 1);
  });

  it('is granted once: the second is told that it is over, and changes nothing', async () => {
    const { deps, waiting, deliver, uses, get } = world();
    const { id, place } = await waiting();
    const results = await Promise.all([grantAuth(deps, place, 'one'), grantAuth(deps, place, 'two')]);
    expect(results.sort()).toEqual(['done', 'gone']);
    // Who lost leaves nothing behind.
    expect(deps.store.childKeys(id).filter((key) => key.startsWith('SECRET'))).toHaveLength(1);
    await deliver();
    expect(await grantAuth(deps, place, 'three')).toBe('gone');
    expect(uses).toHaveLength(1);
    expect((await get(id)).status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('is bound to task, owner, agent and authorisation: all else is not found (invariant 10, R43)', async () => {
    const { deps, waiting, send, deliver, get } = world();
    const { id, place } = await waiting();
    const other = await send('m-2', [{ text: 'Another trip' }]);
    await deliver();
    const theirs = placeOf(await get(other.id));
    const wrong: CallbackAddress[] = [
      { ...place, token: theirs.token },
      { ...theirs, token: place.token },
      { ...place, id: `a-${id.slice(0, 16)}-2` },
      { ...place, taskId: 'nothing' },
      { ...place, token: '' },
    ];
    for (const each of wrong) expect(await grantAuth(deps, each, 'x')).toBe('not-found');
    const { baseUrl: _absent, ...keyless } = deps;
    expect(await grantAuth(keyless, place, 'x')).toBe('not-found');
    expect((await get(id)).status.state).toBe('TASK_STATE_AUTH_REQUIRED');
  });

  it('an address of an earlier task of the same id is none of this one (section 4, born)', async () => {
    const { deps, waiting, get } = world();
    const { id, place } = await waiting();
    await cancelTask(deps, alice, { id });
    await deps.clock.advance(31 * DAY_MS);
    const again = await waiting();
    expect(again.place).toMatchObject({ taskId: place.taskId, id: place.id });
    expect(await grantAuth(deps, place, 'x')).toBe('not-found');
    expect((await get(id)).status.state).toBe('TASK_STATE_AUTH_REQUIRED');
    expect(await grantAuth(deps, again.place, 'x')).toBe('done');
  });

  it('ends at its expiry for whoever looks first, the one who grants included (invariant 7)', async () => {
    const { deps, waiting, get, uses } = world();
    const { id, place } = await waiting();
    await deps.clock.advance(DAY_MS);
    expect(await grantAuth(deps, place, 'late')).toBe('gone');
    expect(deps.store.peek(id)?.status.state).toBe('TASK_STATE_FAILED');
    expect(deps.store.childKeys(id).filter((key) => key.startsWith('SECRET'))).toEqual([]);
    expect((await get(id)).status.message?.parts[0]?.text).toContain('No authorisation for "calendar" arrived');
    expect(uses).toEqual([]);
  });

  it('expires by the sweeper too, and with "resume" the code is told', async () => {
    const { deps, waiting, deliver, get } = world({ onExpire: 'resume', catches: true, expiresIn: { hours: 1 } });
    const { id } = await waiting();
    await deps.clock.advance(3_600_000);
    await sweep(deps, AMPLE);
    await deliver();
    expect((await get(id)).artifacts?.[0]?.parts[0]?.data).toEqual({
      error: 'the authorisation "calendar" expired without a credential',
      reason: null,
    });
  });

  it('is over when the task is canceled', async () => {
    const { deps, waiting } = world();
    const { id, place } = await waiting();
    expect((await cancelTask(deps, alice, { id })).status.state).toBe('TASK_STATE_CANCELED');
    expect(await grantAuth(deps, place, 'x')).toBe('gone');
    expect(deps.deadlines.timers).toEqual([]);
  });

  it('serves the retries of the turn that follows, and a step that fails for good is a StepError', async () => {
    let tries = 0;
    const failing = world({
      catches: true,
      use: () => {
        tries += 1;
        throw new Error('the calendar is closed');
      },
    });
    const { id, place } = await failing.waiting();
    await grantAuth(failing.deps, place, 'x');
    const running = failing.deliver();
    await failing.deps.clock.advance(10_000);
    await running;
    expect(tries).toBe(3);
    expect((await failing.get(id)).artifacts?.[0]?.parts[0]?.data).toMatchObject({ error: 'the calendar is closed' });
    expect(failing.deps.store.childKeys(id).filter((key) => key.startsWith('SECRET'))).toEqual([]);
  });

  it('a worker that dies after the use: the next one uses the credential again, under the same key', async () => {
    const { deps, waiting, deliver, uses, get } = world();
    const { id, place } = await waiting();
    await grantAuth(deps, place, 'x');
    const message = deps.queue.take() as { taskId: string; turn: number };
    deps.store.before = (op) => {
      if (op === 'save') throw new Error('killed');
    };
    await runTurn(deps, message, AMPLE);
    deps.store.before = undefined;
    await deps.clock.advance(60_000);
    await sweep(deps, AMPLE);
    await deps.clock.advance(5_000);
    await deliver();
    expect(uses).toEqual(['x', 'x']);
    expect((await get(id)).artifacts?.[0]?.parts[0]?.data).toEqual({ event: `${id}-1` });
  });

  it('cannot be required where nobody can be called back, and the author is told why', async () => {
    const { deps, send } = world();
    const { id } = await send('m-1', [{ text: 'Plan my trip' }]);
    const message = deps.queue.take() as { taskId: string; turn: number };
    await runTurn({ ...deps, baseUrl: () => undefined }, message, AMPLE);
    expect(deps.store.peek(id)?.status.state).toBe('TASK_STATE_FAILED');
    expect(JSON.stringify(deps.log.lines)).toContain('BAD_CALL');
  });
});
