/**
 * Tells one receiver what it has not been told: the events after its cursor, in order, one POST each, at least once. A
 * sender holds the config's lease while it posts, so that a second poke does not tell an old event after a newer one.
 * Nothing here waits for a receiver longer than one post, and nothing of the task waits for it at all.
 */
import { RetryableError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Deps } from '../ports.ts';
import type { PushPoke, PushPorts, WebhookResult } from '../push/ports.ts';
import {
  claimed,
  delivered,
  failed,
  idleReason,
  type PushConfig,
  type PushSecrets,
  released,
  revived,
  sealContext,
} from '../push/config.ts';
import { isCovered, type Payload, payloadOf } from '../push/payload.ts';
import { notification } from '../push/request.ts';
import type { TaskHead } from '../task.ts';
import { eventsAfter } from '../view/events-after.ts';
import { change } from './change.ts';

/** A worker that has less time left than one post takes leaves the rest to another. */
const RESERVE_MS = limits.pushTimeoutMs + 5_000;

/** @throws RetryableError when the store does not answer: the queue delivers again */
export async function deliverPush(deps: Deps, poke: PushPoke, budget: { remainingMs(): number }): Promise<void> {
  const { push } = deps;
  if (!push) return;
  let again = poke.again === true;
  for (;;) {
    const head = await deps.store.load(poke.taskId);
    if (!head || head.agent !== deps.agent.name || !head.push?.ids.includes(poke.configId)) return;
    const config = await claim(deps, push, head, poke.configId, again);
    if (!config) return;
    if (again) await comesBack(deps, head, poke.configId);
    again = false;
    const outcome = await new Delivery(deps, push, head, config).run(budget);
    if (outcome === 'out-of-time') return push.queue.send([{ taskId: poke.taskId, configId: poke.configId }]);
    if (outcome === 'over') return;
    // An event that came while the lease was held found its poke turned away: look once more without it.
  }
}

/** The config under a lease of ours; undefined: there is nothing to do, or it is somebody else's to do. */
async function claim(
  deps: Deps,
  { store }: PushPorts,
  head: TaskHead,
  configId: string,
  again: boolean,
): Promise<PushConfig | undefined> {
  const standing = await store.get(head, configId);
  if (!standing) return undefined;
  const nowMs = deps.clock.now();
  const config = again ? revived(standing) : standing;
  if (idleReason(config, head.generation, nowMs) !== undefined) return undefined;
  const mine = { ...claimed(config, deps.ids.unique(), nowMs), version: standing.version + 1 };
  return (await store.put(head, standing, mine)) ? mine : undefined;
}

/** The task says no longer that this receiver was given up, and the sweeper looks after it again. */
async function comesBack(deps: Deps, head: TaskHead, configId: string): Promise<void> {
  await change(deps, head, ({ push }) =>
    push?.ids.includes(configId) ? { type: 'add-push', configId, behind: true } : undefined,
  );
}

type Outcome = 'delivered' | 'out-of-time' | 'over';

/** One sender's run over one config, under its lease. */
class Delivery {
  readonly #deps: Deps;
  readonly #push: PushPorts;
  readonly #head: TaskHead;
  #config: PushConfig;

  constructor(deps: Deps, push: PushPorts, head: TaskHead, config: PushConfig) {
    this.#deps = deps;
    this.#push = push;
    this.#head = head;
    this.#config = config;
  }

  async run(budget: { remainingMs(): number }): Promise<Outcome> {
    const secrets = await this.#secrets();
    if (!secrets) return this.#refused({ ok: false, why: 'its secrets cannot be read' });
    for await (const next of this.#payloads()) {
      if (!next) return this.#refused({ ok: false, why: 'its event cannot be read' });
      if (budget.remainingMs() < RESERVE_MS) return this.#leave();
      const { generation, payload } = next;
      const result = await this.#push.webhooks.post(
        notification(this.#config, secrets, payload, this.#deps.clock.now()),
      );
      if (!result.ok) return this.#refused(result);
      this.#deps.log.count('PushesDelivered');
      const last = generation >= this.#head.generation;
      // Not saved: deleted, registered anew, or the lease ran out and is somebody else's. Whoever it is goes on.
      if (!(await this.#save(delivered(this.#config, generation, this.#deps.clock.now(), last)))) return 'over';
    }
    return 'delivered';
  }

  /**
   * What is to be told, in order. Undefined in the place of what cannot be read: no delivery of the queue's brings back
   * what is lost, so its retries must end as those of a receiver that fails.
   */
  async *#payloads(): AsyncGenerator<{ readonly generation: number; readonly payload: Payload } | undefined, void> {
    const { store, log } = this.#deps;
    try {
      for await (const event of eventsAfter(store, this.#head, this.#config.cursor)) {
        const { generation } = event;
        if (isCovered(this.#config, generation, this.#head)) continue;
        yield { generation, payload: await payloadOf(store, this.#head, event, this.#config) };
      }
    } catch (error) {
      if (error instanceof RetryableError) throw error;
      const fields = { taskId: this.#head.taskId, configId: this.#config.id, error };
      log.error('an event cannot be read for a receiver', fields);
      yield undefined;
    }
  }

  async #leave(): Promise<Outcome> {
    return (await this.#save(released(this.#config))) ? 'out-of-time' : 'over';
  }

  async #refused({ why, gone }: Extract<WebhookResult, { ok: false }>): Promise<Outcome> {
    const { log } = this.#deps;
    const { taskId } = this.#head;
    const nowMs = this.#deps.clock.now();
    const next = failed(this.#config, why, nowMs, gone === true);
    if (!(await this.#save(next))) return 'over';
    const { id: configId, failing } = next;
    const fields = { taskId, configId, why, attempts: failing?.attempts };
    if (next.gaveUpAtMs !== undefined) {
      log.error('a receiver of notifications was given up', fields);
      log.count('PushesGivenUp');
      await this.#giveUp(configId);
      return 'over';
    }
    log.warn('a notification was not taken and will be sent again', fields);
    log.count('PushesFailed');
    const delayMs = Math.max(0, (failing?.retryAtMs ?? nowMs) - nowMs);
    await this.#try('a retry was not queued', () => this.#push.queue.send([{ taskId, configId }], delayMs));
    return 'over';
  }

  /** Told where everybody can see it: in the task, and among the dead letters. The config itself says so already. */
  async #giveUp(configId: string): Promise<void> {
    const { taskId } = this.#head;
    await this.#try('a receiver given up is not shown in its task', async () => {
      await change(this.#deps, this.#head, () => ({ type: 'give-up-push', configId }));
    });
    await this.#try('a dead letter was lost', () => this.#push.queue.bury({ taskId, configId, again: true }));
  }

  async #try(failure: string, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.#deps.log.warn(failure, { taskId: this.#head.taskId, error });
    }
  }

  async #save(next: PushConfig): Promise<boolean> {
    const saved = await this.#push.store.put(this.#head, this.#config, next);
    if (saved) this.#config = next;
    return saved;
  }

  /** Undefined when the key they were sealed with is not this deployment's. */
  async #secrets(): Promise<PushSecrets | undefined> {
    const { id, sealed } = this.#config;
    if (sealed === undefined) return {};
    try {
      return JSON.parse(await this.#deps.cipher.open(sealed, sealContext(this.#head.taskId, id))) as PushSecrets;
    } catch (error) {
      // The key could not be had just now, which says nothing about the receiver.
      if (error instanceof RetryableError) throw error;
      this.#deps.log.error('the secrets of a push config cannot be read', { taskId: this.#head.taskId, error });
      return undefined;
    }
  }
}
