/** An orchestrator and its sub-agent as two runtimes in this process, each with a clock, a log and a folder of its own. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Agent } from '../../../agent/index.ts';
import { type Runtime, startRuntime } from '../../../local/runtime.ts';
import { QuietLog } from '../../fakes/quiet-log.ts';
import { ShiftedClock } from './shifted-clock.ts';

type Make = (place: { readonly dataFolder: string }) => Agent;

export class Player {
  readonly clock = new ShiftedClock();
  readonly log = new QuietLog();
  readonly data: string;
  readonly #make: Make;
  #runtime: Runtime | undefined;
  #port = 0;

  private constructor(data: string, make: Make) {
    this.data = data;
    this.#make = make;
  }

  static async start(make: Make): Promise<Player> {
    const player = new Player(await mkdtemp(join(tmpdir(), 'askback-orchestra-')), make);
    await player.resume();
    return player;
  }

  get url(): string {
    if (!this.#runtime) throw new Error('it does not run');
    return this.#runtime.url;
  }

  /** It stops; what it had in memory is gone. */
  async pause(): Promise<void> {
    await this.#runtime?.stop();
    this.#runtime = undefined;
  }

  /** At the same address, on the same data. */
  async resume(): Promise<void> {
    const { data, clock, log } = this;
    this.#runtime = await startRuntime({ port: this.#port, data, clock, log, agent: this.#make });
    this.#port = Number(new URL(this.#runtime.url).port);
  }

  /** Whether the text stands in any file of the folder, as it is. */
  async keeps(text: string): Promise<boolean> {
    const files = await readdir(this.data, { recursive: true, withFileTypes: true });
    for (const file of files) {
      if (file.isFile() && (await readFile(join(file.parentPath, file.name))).includes(text)) return true;
    }
    return false;
  }

  async stop(): Promise<void> {
    await this.pause();
    await rm(this.data, { recursive: true, force: true });
  }
}
