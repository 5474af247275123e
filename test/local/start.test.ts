import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Task } from '../../core/message.ts';
import { spawnStart, startServer } from '../../local/server-process.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'askback-start-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('npm start', { timeout: 30_000 }, () => {
  test('prints the card, three commands and one ready line; the commands work as they stand', async () => {
    const child = spawnStart(['--port', '0', '--data', folder]);
    const printed = await output(child, 'Askback is ready on ');
    const url = /^Askback is ready on (http:\/\/localhost:\d+)$/m.exec(printed)?.[1] ?? '';
    expect(printed).toContain(`Agent card: ${url}/.well-known/agent-card.json`);
    const commands = printed.split('\n').filter((line) => line.startsWith('  curl '));
    expect(commands).toHaveLength(3);
    expect(commands.every((command) => command.includes(`-H 'A2A-Version: 1.0'`))).toBe(true);
    const states = [];
    for (const command of commands) {
      const [, address = ''] = /curl -s (\S+)/.exec(command) ?? [];
      const [, body] = /-d '(.*)'$/.exec(command) ?? [];
      const headers = { 'A2A-Version': '1.0', ...(body ? { 'Content-Type': 'application/json' } : {}) };
      const response = await fetch(address, { headers, ...(body ? { method: 'POST', body } : {}) });
      const answer = (await response.json()) as { task?: Task } & Task;
      states.push((answer.task ?? answer).status.state);
    }
    expect(states).toEqual(['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_COMPLETED']);
    expect((await stat(join(folder, 'secret.key'))).mode & 0o777).toBe(0o600);
    const names = (await readdir(folder)).sort();
    expect(names).toEqual(['db', 'ledger', expect.stringMatching(/^not-stopped-/), 'pid', 'secret.key']);
    child.kill('SIGINT');
    await output(child, 'stopping ...');
    await once(child, 'close');
    expect(child.exitCode).toBe(0);
    expect((await readdir(folder)).sort()).toEqual(['db', 'ledger', 'secret.key']);
  });

  test('--example finance runs two agents, the one calling the other, and its commands work as they stand', async () => {
    const child = spawnStart(['--port', '0', '--data', folder, '--example', 'finance']);
    const printed = await output(child, 'Askback is ready on ');
    expect(printed).toMatch(/^Expense agent beside it, on http:\/\/localhost:\d+$/m);
    const bodies = printed.split('\n').flatMap((line) => {
      const [, address, body] = /curl -s (\S+\/message:send) .* -d '(.*)'$/.exec(line) ?? [];
      return address === undefined || body === undefined ? [] : [{ address, body }];
    });
    const states = [];
    for (const { address, body } of bodies) {
      const headers = { 'A2A-Version': '1.0', 'Content-Type': 'application/json' };
      const { task } = (await (await fetch(address, { method: 'POST', headers, body })).json()) as { task: Task };
      states.push(task.status.state);
    }
    expect(states).toEqual(['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_COMPLETED']);
    expect((await readdir(join(folder, 'expense-agent'))).sort()).toContain('ledger');
    child.kill('SIGTERM');
    await once(child, 'close');
    expect(child.exitCode).toBe(0);
  });

  test.each([
    [['--example', 'payroll'], 'There is no example "payroll"; there are expense, booking, finance.'],
    [['--example', 'finance', '--agent', 'a.ts'], 'Either --agent or --example, not both.'],
  ])('%j ends with what is possible instead', async (args, text) => {
    const child = spawnStart(['--data', folder, ...args]);
    let printed = '';
    child.stderr?.on('data', (chunk: Buffer) => (printed += chunk));
    await once(child, 'close');
    expect(printed).toContain(text);
    expect(child.exitCode).toBe(1);
  });

  test('--agent runs another agent, with its own example in the commands', async () => {
    const agent = new URL('./tea-agent.ts', import.meta.url).pathname;
    const child = spawnStart(['--port', '0', '--data', folder, '--agent', agent]);
    const printed = await output(child, 'Askback is ready on ');
    expect(printed).toContain('Tea agent');
    expect(printed).toContain(String.raw`"text":"A cup of tea, and don'\''t spill"`);
    expect(printed).toContain('"text":"<your answer>"');
    expect(printed).toContain('Answer its question (one with several fields wants a data part: "parts":[{"data":');
    child.kill('SIGTERM');
    await once(child, 'close');
    expect(child.exitCode).toBe(0);
  });

  test('ends with npm: whoever ends npm and its shell leaves no server behind', async () => {
    const data = join(folder, 'data');
    const program = new URL('../../local/start.ts', import.meta.url).pathname;
    const command = `node --conditions=askback-source --import tsx ${program} --port 0 --data ${data}; :`;
    const shell = spawn('sh', ['-c', command], { env: { ...process.env, npm_lifecycle_event: 'start' } });
    await output(shell, 'Askback is ready on ');
    shell.kill('SIGTERM');
    // Only once nobody holds its output, the server too.
    await once(shell, 'close');
    expect((await readdir(data)).sort()).toEqual(['db', 'secret.key']);
  });

  test('takes port and folder from the environment', async () => {
    const child = spawnStart([], { PORT: '0', ASKBACK_DATA: join(folder, 'deep', 'er') });
    await output(child, 'Askback is ready on ');
    child.kill('SIGTERM');
    await once(child, 'close');
    expect(await readdir(join(folder, 'deep', 'er'))).toContain('db');
  });

  test('--help tells the options and starts nothing', async () => {
    const { code, stdout } = await run(['--help']);
    expect(code).toBe(0);
    for (const option of ['--port', '--data', '--agent', 'PORT', 'ASKBACK_DATA']) expect(stdout).toContain(option);
  });
});

describe('what the person can mend is one clear line and exit code 1', { timeout: 30_000 }, () => {
  test('a port in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    expect(await run(['--port', String(port), '--data', folder])).toEqual({
      code: 1,
      stdout: '',
      stderr: `Port ${port} is in use. Choose another, beside the options you gave, as in --port ${port + 10}.\n`,
    });
    other.close();
  });

  test('a folder that cannot be written', async () => {
    const file = join(folder, 'a-file');
    await writeFile(file, '');
    const { code, stderr } = await run(['--port', '0', '--data', join(file, 'data')]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The data folder \S+a-file\/data cannot be used: [^\n]+\n$/);
  });

  test('a folder in use by another process', async () => {
    const server = await startServer(folder);
    expect(await run(['--port', '0', '--data', folder])).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^The data folder \S+ is in use by another Askback process \(pid \d+\)\. Stop it, /,
      ),
    });
    await server.kill();
  });

  test.each([
    [['--port', 'http'], '--port must be a number from 0 to 65535, not "http".\n'],
    [['--port', '65536'], '--port must be a number from 0 to 65535, not "65536".\n'],
    [['--data', ''], '--data must not be empty.\n'],
    [['--prot', '1'], "Unknown option '--prot'. Try npm start -- --help\n"],
    [['3000'], "Unexpected argument '3000'. Try npm start -- --help\n"],
  ])('%j', async (args, stderr) => {
    expect(await run(args)).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(stderr.trim()) });
  });

  test('an agent that is missing, or none', async () => {
    const missing = await run(['--port', '0', '--data', folder, '--agent', join(folder, 'none.ts')]);
    expect([missing.code, missing.stderr.split('\n').length]).toEqual([1, 2]);
    expect(missing.stderr).toMatch(/^The agent \S+none\.ts cannot be loaded: /);
    expect(missing.stderr).toContain('there is no such file');
    await writeFile(join(folder, 'other.mjs'), 'export const agent = 1;');
    const other = await run(['--port', '0', '--data', folder, '--agent', join(folder, 'other.mjs')]);
    expect(other.stderr).toMatch(/^The agent \S+other\.mjs must export an agent by default: [^\n]+\n$/);
  });
});

describe('an agent file with a mistake is told with file and line', { timeout: 30_000 }, () => {
  async function printed(source: string): Promise<string> {
    const file = join(folder, 'my-agent.ts');
    await writeFile(file, source);
    const { code, stderr } = await run(['--port', '0', '--data', join(folder, 'data'), '--agent', file]);
    expect(code).toBe(1);
    return stderr.replaceAll(folder, 'FOLDER').replace(/^The agent \S+ cannot be loaded: /, '');
  }

  test('in its syntax', async () => {
    expect(await printed('const a = 1;\nexport default { run( };\n')).toMatch(
      /^Transform failed with 1 error:\nFOLDER\/my-agent\.ts:2:\d+: ERROR: [^\n]+\n$/,
    );
  });

  test('when it throws as it loads', async () => {
    expect(await printed('const settings: any = undefined;\n\nexport default settings.name;\n')).toMatch(
      /^Cannot read properties of undefined \(reading 'name'\)\n {2}at FOLDER\/my-agent\.ts:3:\d+\n$/,
    );
  });

  test('in the function that makes the agent', async () => {
    expect(await printed(`export default () => {\n  throw new Error('no key');\n};\n`)).toMatch(
      /^no key\n {2}at FOLDER\/my-agent\.ts:2:\d+\n$/,
    );
  });

  test('what it imports and is not there is named', async () => {
    expect(await printed(`import { x } from 'no-such-package';\nexport default x;\n`)).toContain(`'no-such-package'`);
  });

  test('outside the Askback folder it does not find askback/agent, and hears where to go', async () => {
    expect(await printed(`import { defineAgent } from 'askback/agent';\nexport default defineAgent;\n`)).toMatch(
      /^only files inside the Askback folder find askback\/agent, [^\n]* Save it in \/[^\n]+\n$/,
    );
  });
});

async function run(args: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawnStart(args);
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => (stdout += chunk));
  child.stderr?.on('data', (chunk) => (stderr += chunk));
  await once(child, 'close');
  return { code: child.exitCode, stdout, stderr };
}

/** What the child prints until `text` has come and its line has ended. */
function output(child: ChildProcess, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    const onChunk = (chunk: Buffer) => {
      printed += chunk;
      if (printed.includes(text) && printed.endsWith('\n')) resolve(printed);
    };
    child.stdout?.on('data', onChunk);
    child.stderr?.on('data', onChunk);
    child.once('close', () => reject(new Error(`ended too soon: ${printed}`)));
  });
}
