/**
 * Performs effects after their head was saved. A failure is logged and counted, never thrown: the intent is in the
 * head, and its `due` brings the sweeper to what was lost.
 */
import type { Effect } from '../effects.ts';
import type { Deps } from '../ports.ts';
import { unreachable } from '../unreachable.ts';

export async function perform(deps: Deps, effects: readonly Effect[]): Promise<void> {
  const underWay: Promise<void>[] = [];
  for (const effect of effects) {
    try {
      const begun = begin(deps, effect);
      if (begun !== undefined) underWay.push(begun.catch((error: unknown) => lost(deps, effect, error)));
    } catch (error) {
      lost(deps, effect, error);
    }
  }
  if (underWay.length > 0) await Promise.all(underWay);
}

/** Undefined: it is done already. */
function begin(deps: Deps, effect: Effect): Promise<void> | undefined {
  switch (effect.kind) {
    case 'dispatch':
      return deps.queue.send({ taskId: effect.taskId, turn: effect.turn }, effect.delayMs);
    case 'set-timer': {
      const { taskId, ask, timer, atMs } = effect;
      return deps.deadlines.set({ taskId, ask, timer, atMs });
    }
    case 'delete-timer': {
      const { taskId, ask, timer } = effect;
      return deps.deadlines.delete({ taskId, ask, timer });
    }
    case 'poke-push':
      return deps.push?.queue.send(effect.configIds.map((configId) => ({ taskId: effect.taskId, configId })));
    case 'undo': {
      const { taskId, of, n, delayMs } = effect;
      return deps.queue.send({ taskId, undo: { of, n } }, delayMs);
    }
    case 'drop-secrets':
      return deps.store.dropSecrets(effect.taskId);
    case 'drop-secret':
      return deps.store.dropSecret(effect.taskId, effect.id);
    case 'count':
      deps.log.count(effect.metric);
      return undefined;
    case 'measure':
      deps.log.measure(effect.metric, effect.ms);
      return undefined;
    default:
      return unreachable('effect', effect);
  }
}

function lost(deps: Deps, effect: Effect, error: unknown): void {
  deps.log.warn('an effect was lost; the sweeper covers it', { effect, error });
  if (effect.kind === 'dispatch' || effect.kind === 'undo') deps.log.count('DispatchesLost');
  if (effect.kind === 'poke-push') deps.log.count('PokesLost');
  if (effect.kind === 'set-timer' || effect.kind === 'delete-timer') deps.log.count('TimersLost');
}
