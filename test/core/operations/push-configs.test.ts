/** The four operations on push notification configs, and who may use them (A2A 3.1.7 to 3.1.10). */
import { describe, expect, it } from 'vitest';
import { deletePushConfig } from '../../../core/operations/delete-push-config.ts';
import { getPushConfig } from '../../../core/operations/get-push-config.ts';
import { listPushConfigs } from '../../../core/operations/list-push-configs.ts';
import { HOOK, pushWorld } from './push-world.ts';
import { alice, request, text } from './world.ts';

const DERIVED = /^w-[A-Za-z0-9_-]{16}$/;
const bob = { tenant: 'local', principal: 'bob' };
const SECRETS = { token: 'tok-4711', authentication: { scheme: 'Bearer', credentials: 'cred-0815' } };

describe('registration', () => {
  it('gives an id, which is the same for the same address, and shows no secret (R45)', async () => {
    const { send, register, deps } = pushWorld();
    const { id: taskId } = await send(request);
    const config = await register(taskId, SECRETS);
    expect(config).toEqual({
      id: expect.stringMatching(DERIVED),
      taskId,
      url: HOOK,
      authentication: { scheme: 'Bearer' },
    });
    expect(await register(taskId)).toEqual({ id: config.id, taskId, url: HOOK });
    expect(await register(taskId, { id: 'mine', url: `${HOOK}/2` })).toEqual({ id: 'mine', taskId, url: `${HOOK}/2` });
    expect((await listPushConfigs(deps, alice, { taskId })).configs.map(({ id }) => id)).toEqual(['mine', config.id]);
    expect(await getPushConfig(deps, alice, { taskId, id: 'mine' })).toEqual({ id: 'mine', taskId, url: `${HOOK}/2` });
  });

  it('of more than 10 is refused, and of one that stands is not', async () => {
    const { send, register } = pushWorld();
    const { id } = await send(request);
    for (let n = 0; n < 10; n += 1) await register(id, { id: `w-${n}` });
    await expect(register(id, { id: 'one-too-many' })).rejects.toMatchObject({ reason: 'UNSUPPORTED_OPERATION' });
    await register(id, { id: 'w-3' });
  });

  it('R38: of an address that nothing is posted to is refused in both ways, and the task is as it was', async () => {
    const { send, register, deps, push } = pushWorld();
    push.webhooks.problem = (url) => (url.includes('inner') ? 'must name a public address' : undefined);
    const { id } = await send(request);
    const before = deps.store.peek(id);
    await expect(register(id, { url: 'https://inner.example/' })).rejects.toMatchObject({
      reason: 'INVALID_PARAMS',
      violations: [{ field: 'url', description: 'must name a public address' }],
    });
    const inline = { url: 'https://inner.example/' };
    const violation = {
      field: 'configuration.taskPushNotificationConfig.url',
      description: 'must name a public address',
    };
    for (const message of [
      { ...request, messageId: 'm-new' },
      { messageId: 'm-2', taskId: id, parts: [text('x')] },
    ]) {
      await expect(send(message, inline)).rejects.toMatchObject({ reason: 'INVALID_PARAMS', violations: [violation] });
    }
    expect(deps.store.heads()).toEqual([before]);
    expect(push.store.dump()).toBe('');
  });

  it('R43: is nothing to another owner: the same not-found as for a random id', async () => {
    const { send, register, deps, config } = pushWorld();
    const { id: taskId } = await send(request);
    const { id } = await register(taskId);
    for (const unknown of [taskId, 'abcdefghijklmnopqrstuvwxyz']) {
      const notFound = { reason: 'TASK_NOT_FOUND', message: `Task not found: ${unknown}` };
      await expect(register(unknown, {}, bob)).rejects.toMatchObject(notFound);
      await expect(getPushConfig(deps, bob, { taskId: unknown, id })).rejects.toMatchObject(notFound);
      await expect(listPushConfigs(deps, bob, { taskId: unknown })).rejects.toMatchObject(notFound);
      await expect(deletePushConfig(deps, bob, { taskId: unknown, id })).rejects.toMatchObject(notFound);
    }
    expect(config(id)?.url).toBe(HOOK);
  });

  it('is refused by an agent without push notifications, whatever is asked', async () => {
    const { deps, send, register } = pushWorld();
    const { id: taskId } = await send(request);
    const { push: _none, ...without } = deps;
    const refused = { reason: 'PUSH_NOTIFICATION_NOT_SUPPORTED' };
    await expect(getPushConfig(without, alice, { taskId, id: 'w' })).rejects.toMatchObject(refused);
    await expect(listPushConfigs(without, alice, { taskId: 'nothing' })).rejects.toMatchObject(refused);
    await expect(deletePushConfig(without, alice, { taskId, id: 'w' })).rejects.toMatchObject(refused);
    await expect(register(taskId)).resolves.toBeDefined();
  });

  it('a config that is not there is not found; deleting it has no effect', async () => {
    const { deps, send } = pushWorld();
    const { id: taskId } = await send(request);
    const name = { taskId, id: 'nothing' };
    await expect(getPushConfig(deps, alice, name)).rejects.toMatchObject({ reason: 'TASK_NOT_FOUND' });
    await deletePushConfig(deps, alice, name);
    expect(await listPushConfigs(deps, alice, { taskId })).toEqual({ configs: [], nextPageToken: '' });
  });

  it('is listed in pages when that is asked for', async () => {
    const { deps, send, register } = pushWorld();
    const { id: taskId } = await send(request);
    for (const id of ['c', 'a', 'b']) await register(taskId, { id });
    const page = async (pageSize: number, pageToken?: string) => {
      const listed = await listPushConfigs(deps, alice, { taskId, pageSize, ...(pageToken ? { pageToken } : {}) });
      return [listed.configs.map(({ id }) => id).join(''), listed.nextPageToken];
    };
    expect(await page(2)).toEqual(['ab', 'b']);
    expect(await page(2, 'b')).toEqual(['c', '']);
    expect(await page(0)).toEqual(['abc', '']);
    expect(await page(3)).toEqual(['abc', '']);
  });
});
