/** After a kill the pokes of the process before are gone: a start sends them again, to those that may have missed something. */
import { expect, it } from 'vitest';
import { recoverTurns } from '../../local/recover-turns.ts';
import { pushWorld } from '../core/operations/push-world.ts';
import { request } from '../core/operations/world.ts';

it('pokes the receivers of tasks whose events nobody has checked, and no others', async () => {
  const { deps, push, send, settle, sweep, told } = pushWorld();
  await send(request, { id: 'w', url: 'http://localhost:4000/hook' });
  push.queue.lose();
  await recoverTurns(deps);
  await settle();
  expect(told()).toEqual(['1 SUBMITTED', '2 WORKING', '3 INPUT_REQUIRED']);
  await deps.clock.advance(120_000);
  await sweep();
  push.queue.sent.length = 0;
  await recoverTurns(deps);
  expect(push.queue.sent).toEqual([]);
});
