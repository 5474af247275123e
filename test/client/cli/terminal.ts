/**
 * A pseudo-terminal with a program in it, for tests that type. No package is needed: Python's `pty` module or `script`
 * of util-linux makes the terminal, whichever is there. Waits for output, never for time.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { screenOf } from './screen.ts';

const PYTHON = `
import os, pty, sys
status = pty.spawn(sys.argv[1:])
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
`;

export type Maker = 'python3' | 'script';

/** What makes terminals here; undefined: nothing does. */
export function terminalMaker(): Maker | undefined {
  if (process.platform === 'win32') return undefined;
  const probe = (command: string, ...args: string[]) => {
    const { status, stdout } = spawnSync(command, args, { encoding: 'utf8', input: '', timeout: 20_000 });
    return status === 3 && stdout.includes('a terminal');
  };
  const check = 'test -t 0 && echo a terminal; exit 3';
  if (probe('python3', '-c', PYTHON, 'sh', '-c', check)) return 'python3';
  return probe('script', '-qefc', check, '/dev/null') ? 'script' : undefined;
}

export class Terminal {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #output = '';
  #changed: () => void = () => {};

  constructor(maker: Maker, command: readonly string[], env: Readonly<Record<string, string | undefined>>) {
    const [program, args] =
      maker === 'python3'
        ? ['python3', ['-c', PYTHON, ...command]]
        : ['script', ['-qefc', command.map(quoted).join(' '), '/dev/null']];
    this.#child = spawn(program, args, {
      env: { ...process.env, TERM: 'xterm', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
        this.#changed();
      });
    }
    this.#ended = once(this.#child, 'close');
  }

  /** As a person sees it. */
  get screen(): string {
    return screenOf(this.#output);
  }

  /** Everything that was ever written to the terminal. */
  get output(): string {
    return this.#output;
  }

  /** Resolves when the screen matches; throws with the screen when it does not within 30 seconds, or the program ends. */
  async until(pattern: RegExp): Promise<void> {
    const endsAt = Date.now() + 30_000;
    while (!pattern.test(this.screen)) {
      const left = endsAt - Date.now();
      if (left <= 0) throw new Error(`waited for ${pattern}, and the screen is:\n${this.screen}`);
      const changed = new Promise<'changed'>((resolve) => {
        this.#changed = () => resolve('changed');
      });
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<'late'>((resolve) => {
        timer = setTimeout(() => resolve('late'), left);
      });
      const what = await Promise.race([changed, late, this.#ended.then(() => 'ended' as const)]);
      clearTimeout(timer);
      if (what === 'ended' && !pattern.test(this.screen)) {
        throw new Error(`the program ended before ${pattern}; the screen is:\n${this.screen}`);
      }
    }
  }

  /** `\r` is the Enter key, `\u0003` Ctrl-C. */
  type(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  /** @returns the exit code */
  async end(): Promise<number | null> {
    await this.#ended;
    return this.#child.exitCode;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
