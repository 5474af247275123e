/**
 * Performs effects after their head was saved. A failure is logged and counted, never thrown: the intent is in the
 * head, and its `due` brings the sweeper to what was lost.
 */
import type { Effect } from '../effects.ts';
import type { Deps } from '../ports.ts';
import { unreachable } from '../unreachable.ts';

export async function perform(deps: Deps, effects: readonly Effect[]): Promise<void> {
  await Promise.all(effects.map((effect) => performOne(deps, effect)));
}

async function performOne(deps: Deps, effect: Effect): Promise<void> {
  try {
    switch (effect.kind) {
      case 'dispatch':
        return await deps.queue.send({ taskId: effect.taskId, turn: effect.turn }, effect.delayMs);
      case 'set-timer': {
        const { taskId, ask, timer, atMs } = effect;
        return await deps.deadlines.set({ taskId, ask, timer, atMs });
      }
      case 'delete-timer': {
        const { taskId, ask, timer } = effect;
        return await deps.deadlines.delete({ taskId, ask, timer });
      }
      case 'poke-push':
        return await deps.push?.queue.send(effect.configIds.map((configId) => ({ taskId: effect.taskId, configId })));
      case 'undo': {
        const { taskId, of, n, delayMs } = effect;
        return await deps.queue.send({ taskId, undo: { of, n } }, delayMs);
      }
      case 'drop-secrets':
        return await deps.store.dropSecrets(effect.taskId);
      case 'drop-secret':
        return await deps.store.dropSecret(effect.taskId, effect.id);
      case 'count':
        return deps.log.count(effect.metric);
      case 'measure':
        return deps.log.measure(effect.metric, effect.ms);
      default:
        return unreachable('effect', effect);
    }
  } catch (error) {
    deps.log.warn('an effect was lost; the sweeper covers it', { effect, error });
    if (effect.kind === 'dispatch' || effect.kind === 'undo') deps.log.count('DispatchesLost');
    if (effect.kind === 'poke-push') deps.log.count('PokesLost');
    if (effect.kind === 'set-timer' || effect.kind === 'delete-timer') deps.log.count('TimersLost');
  }
}
