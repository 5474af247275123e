/** A webhook of a sub-agent at its callback address: whoever has the code is told 204, whatever comes of it (design 12). */
import { describe, expect, it } from 'vitest';
import { wireContext } from '../../../core/wire/context.ts';
import { handleHttp } from '../../../core/wire/dispatch.ts';
import { delegateWorld } from '../operations/delegate-world.ts';
import { httpRequest } from './support.ts';

const COMPLETED = JSON.stringify({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } });

async function parked() {
  const world = delegateWorld();
  world.sub.pushing = true;
  await world.send();
  await world.deliver();
  const path = new URL(world.sub.sent[0]?.pushUrl ?? '').pathname.replace('/a2a', '');
  const context = wireContext(world.deps, {} as never);
  const call = async (over: Parameters<typeof httpRequest>[0] = {}) => {
    const request = httpRequest({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/a2a+json' },
      body: COMPLETED,
      owner: undefined,
      ...over,
    });
    const { status, body } = await handleHttp(request, context);
    return { status, body };
  };
  return { world, path, call };
}

describe('POST /callbacks/delegate/{task}/{call}/{code}', () => {
  it('wakes the turn that waits, and says no more than that it was taken', async () => {
    const { world, call } = await parked();
    expect(await call()).toEqual({ status: 204, body: '' });
    expect(world.head.turn.phase).toBe('requested');
    // Again, and late: nothing more happens.
    const { version } = world.head;
    expect(await call()).toEqual({ status: 204, body: '' });
    expect(world.head.version).toBe(version);
  });

  it.each([
    ['a body that is too large', { body: 'x'.repeat(70_000) }],
    ['a body that is no JSON', { body: '{' }],
    ['no body', { body: undefined }],
    ['a body of another type', { headers: { 'content-type': 'text/html' }, body: '<p>' }],
  ])('takes %s for a hint as well: it is not believed anyway', async (_what, over) => {
    const { world, call } = await parked();
    expect((await call(over)).status).toBe(204);
    expect(world.head.turn.phase).toBe('requested');
  });

  it('with another code, task or call is nowhere; with GET nothing happens', async () => {
    const { world, path, call } = await parked();
    const { version } = world.head;
    for (const wrong of [`${path}x`, path.replace('/1/', '/2/'), path.replace(world.head.taskId, 'a'.repeat(26))]) {
      expect((await call({ path: wrong })).status).toBe(404);
    }
    expect((await call({ method: 'GET' })).status).toBe(405);
    expect(world.head.version).toBe(version);
  });

  it('is given out only where there is a key to sign it with', async () => {
    const world = delegateWorld();
    world.sub.pushing = true;
    Object.assign(world.deps, { baseUrl: undefined });
    await world.send();
    await world.deliver();
    expect(world.sub.sent.map(({ pushUrl }) => pushUrl)).toEqual([undefined]);
    expect(world.entry).not.toHaveProperty('pushes');
  });
});
