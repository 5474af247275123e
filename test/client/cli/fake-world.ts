/** The program's world in a test: what it writes is kept, who is asked types what the test says, state is a folder. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LinePrompt } from '../../../client/cli/prompter.ts';
import { PromptClosed } from '../../../client/cli/prompter.ts';
import { runProgram } from '../../../client/cli/program.ts';
import type { AwsFetch, World } from '../../../client/cli/world.ts';
import type { JsonObject } from '../../../core/json.ts';

/** What a prompt showed, and what was wrong with what was typed, in order. */
export type Told = string;

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Standard output as JSON lines. */
  readonly objects: readonly JsonObject[];
  readonly told: readonly Told[];
}

export interface RunSetup {
  /** What the person types, one line for each prompt or wrong answer; `ctrl-c` leaves. Absent: nobody is there. */
  readonly typed?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly now?: () => number;
  readonly signal?: AbortSignal;
  readonly fetch?: typeof fetch;
  readonly awsFetch?: (signed: AwsFetch) => typeof fetch;
  readonly onWrite?: (text: string) => void;
}

export class FakeWorld {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async open(): Promise<FakeWorld> {
    return new FakeWorld(await mkdtemp(join(tmpdir(), 'askback-cli-')));
  }

  async run(args: readonly string[], setup: RunSetup = {}): Promise<Ran> {
    const told: string[] = [];
    let [out, err] = ['', ''];
    const typed = setup.typed === undefined ? undefined : [...setup.typed];
    const screen = (keep: (text: string) => void) => ({
      write(text: string) {
        keep(text);
        setup.onWrite?.(text);
      },
      isTTY: false,
      columns: undefined,
    });
    const world: World = {
      out: screen((text) => {
        out += text;
      }),
      err: screen((text) => {
        err += text;
      }),
      prompter: typed && { line: (prompt) => typeLine(prompt, typed, told) },
      env: { ASKBACK_STATE_DIR: join(this.folder, 'state'), ...setup.env },
      fetch: setup.fetch ?? fetch,
      now: setup.now ?? Date.now,
      sleep: () => new Promise((resolve) => setTimeout(resolve, 5)),
      readInput: async () => setup.input ?? '',
      interrupted: setup.signal ?? new AbortController().signal,
      homeFolder: join(this.folder, 'home'),
      awsFetch: async (signed) => (setup.awsFetch ?? nobodySigns)(signed),
      redrive: async (given) => given.length,
    };
    const code = await runProgram(args, '9.9.9', world);
    const lines = out.split('\n').filter((line) => line.startsWith('{"'));
    return { code, out, err, objects: lines.map((line) => JSON.parse(line) as JsonObject), told };
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

function nobodySigns(): never {
  throw new Error('nothing was to be signed');
}

async function typeLine(prompt: LinePrompt, typed: string[], told: string[]): Promise<string> {
  told.push(
    `${prompt.label}${prompt.initial === undefined ? '' : ` [${prompt.initial}]`}${prompt.hidden ? ' (hidden)' : ''}`,
  );
  for (;;) {
    const text = typed.shift();
    if (text === undefined) throw new Error(`nothing is left to type at "${prompt.label}"`);
    if (text === 'ctrl-c') throw new PromptClosed('left');
    const taken = text === 'enter' ? (prompt.initial ?? '') : text;
    const problem = prompt.check(taken);
    if (problem === undefined) return taken;
    told.push(`✗ ${problem}`);
  }
}
