/**
 * The secret key cannot be read for a while (decision 0020): what needs it is tried again, and nothing fails or is lost
 * for it (invariant 3).
 */
import { describe, expect, it } from 'vitest';
import { RetryableError } from '../../../core/errors.ts';
import { grantAuth } from '../../../core/operations/grant-auth.ts';
import { sweep } from '../../../core/operations/sweep.ts';
import { wakeDelegate } from '../../../core/operations/wake-delegate.ts';
import { world } from './auth-world.ts';
import { AMPLE } from './world.ts';

const away = () => Promise.reject(new RetryableError('STORE_UNAVAILABLE', 'the secret key cannot be read'));
/** The lease, the retry delay after it, and a sweep. */
const RECOVERY_MS = 120_000;

async function recovered({ deps, deliver }: ReturnType<typeof world>): Promise<void> {
  for (let round = 0; round < 2; round++) {
    await deps.clock.advance(RECOVERY_MS);
    await sweep(deps, AMPLE);
    await deliver();
  }
}

describe('while the secret key cannot be read', () => {
  it('a turn that hands out an address is left to the sweeper, and asks for the authorisation later', async () => {
    // The author's own catch is not for what is no fault of the agent's.
    const all = world({ catches: true });
    const { deps, send, deliver, get } = all;
    const { sign } = deps.signer;
    deps.signer.sign = away;
    const { id } = await send('m-1', [{ text: 'Plan my trip' }]);
    await deliver();
    expect((await get(id)).status.state).toBe('TASK_STATE_WORKING');
    deps.signer.sign = sign;
    await recovered(all);
    expect((await get(id)).status.state).toBe('TASK_STATE_AUTH_REQUIRED');
  });

  it('a turn that needs a credential is left to the sweeper, and uses it once', async () => {
    const all = world();
    const { deps, waiting, deliver, get, uses } = all;
    const { id, place } = await waiting();
    await grantAuth(deps, place, 'credential');
    const { open } = deps.cipher;
    deps.cipher.open = away;
    await deliver();
    expect([(await get(id)).status.state, uses]).toEqual(['TASK_STATE_WORKING', []]);
    deps.cipher.open = open;
    await recovered(all);
    expect([(await get(id)).status.state, uses]).toEqual(['TASK_STATE_COMPLETED', ['credential']]);
  });

  it.each(['sign', 'seal'] as const)(
    'a credential is not taken (%s), and the same address takes it later',
    async (at) => {
      const { deps, waiting, get } = world();
      const { id, place } = await waiting();
      const { sign } = deps.signer;
      const { seal } = deps.cipher;
      if (at === 'sign') deps.signer.sign = away;
      else deps.cipher.seal = away;
      await expect(grantAuth(deps, place, 'credential')).rejects.toThrow(RetryableError);
      expect((await get(id)).status.state).toBe('TASK_STATE_AUTH_REQUIRED');
      Object.assign(deps.signer, { sign });
      Object.assign(deps.cipher, { seal });
      expect(await grantAuth(deps, place, 'credential')).toBe('done');
    },
  );

  it('another agent that calls back is told to come again, whatever its code is', async () => {
    const { deps, waiting } = world();
    const { id: taskId } = await waiting();
    deps.signer.sign = away;
    const hint = { taskId, id: '1', token: 'x', body: () => ({}) };
    await expect(wakeDelegate(deps, hint)).rejects.toThrow(RetryableError);
  });
});
