/** An agent that goes on when the scenario says so: one progress text or artifact at a time, and its question. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent } from '../../../agent/index.ts';
import { type Runtime, startRuntime } from '../../../local/runtime.ts';
import { QuietLog } from '../../fakes/quiet-log.ts';
import { ShiftedClock } from './shifted-clock.ts';

export interface GatedTarget {
  readonly url: string;
  readonly clock: ShiftedClock;
  /** Lets the agent take its next step. */
  step(): void;
  stop(): Promise<void>;
}

/** Six steps: progress 1 to 3, an artifact, a question, and after the answer the end. */
export async function openGated(): Promise<GatedTarget> {
  let steps = 0;
  let waiting: (() => void) | undefined;
  const gate = async () => {
    if (steps === 0) await new Promise<void>((resolve) => (waiting = resolve));
    waiting = undefined;
    steps -= 1;
  };
  const agent = defineAgent({
    card: {
      name: 'Gated agent',
      description: 'Goes on when it is told to.',
      version: '1.0.0',
      skills: [{ id: 'go', name: 'Go', description: 'Goes on.', tags: ['test'] }],
    },
    async run(turn) {
      for (const n of [1, 2, 3]) {
        await turn.step(`wait-${n}`, gate);
        turn.progress(`step ${n}`);
      }
      await turn.step('wait-artifact', gate);
      await turn.artifact({ name: 'notes', text: 'as far as this' });
      await turn.step('wait-question', gate);
      await turn.ask('go-on', { text: 'Shall I go on?', schema: { type: 'boolean' } });
    },
  });
  const data = await mkdtemp(join(tmpdir(), 'askback-e2e-'));
  const clock = new ShiftedClock();
  const runtime: Runtime = await startRuntime({ port: 0, data, agent, clock, log: new QuietLog() });
  return {
    url: runtime.url,
    clock,
    step() {
      steps += 1;
      waiting?.();
    },
    async stop() {
      steps = Number.POSITIVE_INFINITY;
      waiting?.();
      await runtime.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}
