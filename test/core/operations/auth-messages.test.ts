/** What callers say to a task that waits for an authorisation: it is never a grant. */
import { describe, expect, it } from 'vitest';
import { grantAuth } from '../../../core/operations/grant-auth.ts';
import { SECRET, world } from './auth-world.ts';

describe('a message to a task that waits for an authorisation', () => {
  it.each([
    ['text', [{ text: `my token is ${SECRET}` }]],
    ['a pasted credential', [{ data: { access_token: SECRET } }]],
    ['a credential under the id', 'named'],
  ] as const)('is never a grant and is refused without a trace: %s', async (_what, given) => {
    const { deps, waiting, send, get } = world();
    const { id, place } = await waiting();
    const parts = given === 'named' ? [{ data: { authId: place.id, credential: SECRET } }] : given;
    const before = deps.store.peek(id);
    await expect(send('m-2', parts, id)).rejects.toMatchObject({
      reason: 'UNSUPPORTED_OPERATION',
      metadata: { taskId: id, state: 'TASK_STATE_AUTH_REQUIRED', authId: place.id },
    });
    expect(deps.store.peek(id)).toEqual(before);
    expect(deps.store.dump()).not.toContain(SECRET);
    expect((await get(id)).status.state).toBe('TASK_STATE_AUTH_REQUIRED');
  });

  it('declines it, with nothing of the rest recorded', async () => {
    const { deps, waiting, send, deliver, get, uses } = world({ catches: true });
    const { id, place } = await waiting();
    const decline = { authId: place.id, decline: { reason: 'not mine' }, token: SECRET };
    await send('m-2', [{ text: SECRET }, { data: decline }], id);
    await deliver();
    const task = await get(id);
    expect(task.artifacts?.[0]?.parts[0]?.data).toEqual({
      error: 'the authorisation "calendar" was declined: not mine',
      reason: 'not mine',
    });
    expect(task.history?.at(-1)).toMatchObject({
      messageId: 'm-2',
      parts: [{ data: { authId: place.id, decline: { reason: 'not mine' } } }],
    });
    expect(deps.store.dump()).not.toContain(SECRET);
    expect(uses).toEqual([]);
    expect(await grantAuth(deps, place, 'x')).toBe('gone');
    // The same decline again is a repeat.
    expect((await send('m-2', [{ text: SECRET }, { data: decline }], id)).id).toBe(id);
  });

  it('an uncaught decline rejects the task, and nothing is done with what comes later (R06)', async () => {
    const { deps, waiting, send, deliver, get, uses } = world();
    const { id, place } = await waiting();
    await send('m-2', [{ data: { authId: place.id, decline: {} } }], id);
    await deliver();
    expect((await get(id)).status).toMatchObject({
      state: 'TASK_STATE_REJECTED',
      message: { parts: [{ text: 'the authorisation "calendar" was declined' }] },
    });
    expect(await grantAuth(deps, place, SECRET)).toBe('gone');
    await deliver();
    expect(uses).toEqual([]);
  });

  it('that names another authorisation is refused, and names the open one (invariant 6)', async () => {
    const { waiting, send } = world();
    const { id, place } = await waiting();
    const stale = `a-${id.slice(0, 16)}-7`;
    await expect(send('m-2', [{ data: { authId: stale, decline: {} } }], id)).rejects.toMatchObject({
      reason: 'INVALID_PARAMS',
      metadata: { authId: stale, openAuthId: place.id },
    });
  });

  it('is kept for the inbox where the agent takes messages, and is no grant', async () => {
    const { deps, waiting, send, deliver, get } = world({ onMessage: 'queue' });
    const { id, place } = await waiting();
    expect((await send('m-2', [{ text: 'How long will it take?' }], id)).status.state).toBe('TASK_STATE_AUTH_REQUIRED');
    const named = [{ data: { authId: place.id, credential: SECRET } }];
    await expect(send('m-3', named, id)).rejects.toMatchObject({ reason: 'UNSUPPORTED_OPERATION' });
    await grantAuth(deps, place, 'x');
    await deliver();
    expect((await get(id)).artifacts?.map(({ parts }) => parts[0]?.data)).toEqual([{ event: `${id}-1` }, 'm-2']);
  });
});
