/** The guides to streams, notifications and the agent card, followed as a newcomer does: each command is run, each output compared. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Task } from '../../core/message.ts';
import { type Block, blocks } from './markdown.ts';
import { freePort } from '../support/free-port.ts';
import { NpmStart } from './npm-start.ts';
import { fill } from './shown.ts';
import { root } from './tree.ts';

const tools = ['bash', 'curl'].every((name) => spawnSync(name, ['--version']).status === 0);

const commandsOf = (all: readonly Block[]) => all.filter(({ language }) => language === 'sh');
const outputsOf = (all: readonly Block[]) => all.filter(({ language }) => language === 'text' || language === 'json');
const generationOf = ({ metadata }: Task) => Object.values(metadata ?? {})[0];

/** A folder inside the project, where `askback` is this package, as it is for the newcomer. */
function makeFolder(): string {
  mkdirSync(join(root, '.askback'), { recursive: true });
  return mkdtempSync(join(root, '.askback', 'guide-'));
}

describe.runIf(tools)('docs/streams.md (needs bash and curl)', () => {
  const server = new NpmStart();
  const all = blocks('docs/streams.md');
  const [follow, resume, send, wait] = commandsOf(all) as [Block, Block, Block, Block];

  beforeAll(() => server.start());
  afterAll(() => server.remove());

  it('a task is followed to its question', async () => {
    const [shown] = outputsOf(all) as [Block];
    const printed = await server.run(follow.content);
    expect(printed).toBe(fill(shown.content, printed));
  });

  it('a stream is taken up behind an event', async () => {
    const lines = (await server.run(resume.content)).split('\n').filter((line) => line !== '');
    expect(lines.map((line) => line.slice(0, 22))).toEqual([
      'data: {"task":{"id":"3',
      'id: 3',
      'data: {"statusUpdate":',
    ]);
  });

  it('an answer is sent on top of a known state, and the wait for what comes after it ends at once', async () => {
    const { task } = JSON.parse(await server.run(send.content)) as { task: Task };
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    const started = performance.now();
    const later = JSON.parse(await server.run(wait.content)) as Task;
    expect(generationOf(later)).toEqual({ generation: 6 });
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('and has no other commands', () => {
    expect(commandsOf(all)).toHaveLength(4);
  });
});

describe.runIf(tools)('docs/push-notifications.md (needs bash and curl)', () => {
  const server = new NpmStart();
  const all = blocks('docs/push-notifications.md');
  const [startReceiver, send, answer, list] = commandsOf(all) as [Block, Block, Block, Block];
  const [asked, ended, configs] = outputsOf(all) as [Block, Block, Block];
  let folder: string;
  let receiver: ChildProcess;
  let port: number;
  let received = '';

  beforeAll(async () => {
    port = await freePort();
    folder = makeFolder();
    const { content } = all.find(({ language }) => language === 'ts') as Block;
    const started = `.listen(${port}, () => console.log('listening'));`;
    writeFileSync(join(folder, 'my-receiver.ts'), content.replace('.listen(4000);', started));
    const [program = '', ...args] = startReceiver.content.split(' ');
    receiver = spawn(program, [...args.slice(0, -1), join(folder, args.at(-1) ?? '')], { cwd: root });
    for (const stream of [receiver.stdout, receiver.stderr]) {
      stream?.on('data', (chunk: unknown) => {
        received += String(chunk);
      });
    }
    await Promise.all([server.start(), vi.waitUntil(() => received === 'listening\n', { timeout: 20_000 })]);
    received = '';
  });
  afterAll(async () => {
    receiver.kill();
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = ({ content }: Block) => server.run(content.replaceAll('localhost:4000', `localhost:${port}`));
  const prints = (...shown: readonly Block[]) =>
    vi.waitFor(() => expect(received.trim()).toBe(shown.map(({ content }) => content).join('\n')), 10_000);

  it('the receiver verifies and prints what is shown, up to the question and after the answer', async () => {
    await run(send);
    await prints(asked);
    await run(answer);
    await prints(asked, ended);
  });

  it('the config is shown without its secret', async () => {
    const real: unknown = JSON.parse((await run(list)).replaceAll(`localhost:${port}`, 'localhost:4000'));
    const shown = JSON.parse(configs.content) as { configs: { id: string }[] };
    // The id follows from the address, and the port is another one here.
    shown.configs[0]!.id = '…';
    expect(real).toEqual(fill(shown, real));
  });

  it('refuses what nobody signed', async () => {
    const response = await fetch(`http://localhost:${port}/hook`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(401);
  });

  it('and has no other commands', () => {
    expect(commandsOf(all)).toHaveLength(4);
  });
});

describe.runIf(tools)('docs/agent-card.md (needs bash and curl)', () => {
  const all = blocks('docs/agent-card.md');
  const [agent, verify] = all.filter(({ language }) => language === 'ts') as [Block, Block];
  const [start, etag, check, extended, old] = commandsOf(all) as [Block, Block, Block, Block, Block];
  const [current, genuine, description, oldTask] = outputsOf(all) as [Block, Block, Block, Block];
  let folder: string;
  let server: NpmStart;

  const here = (content: string) => content.replaceAll('.askback', folder);

  beforeAll(async () => {
    folder = makeFolder();
    writeFileSync(join(folder, 'my-agent.ts'), agent.content);
    const [, makeKey = ''] = start.content.split('\n');
    spawnSync('bash', ['-c', here(makeKey)]);
    const ASKBACK_CARD_KEY = readFileSync(join(folder, 'card-key.json'), 'utf8');
    server = new NpmStart(['--agent', join(folder, 'my-agent.ts')], { ASKBACK_CARD_KEY });
    await server.start();
    writeFileSync(join(folder, 'verify.ts'), here(verify.content).replaceAll('localhost:3000', server.host));
  });
  afterAll(async () => {
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it('the card is still the same for who has it', async () => {
    expect(await server.run(etag.content)).toBe(current.content);
  });

  it('its signature is verified, and fits no other key', async () => {
    expect(await server.run(here(check.content))).toBe(genuine.content);
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
    writeFileSync(join(folder, 'card-key.json'), JSON.stringify(other));
    await expect(server.run(here(check.content))).rejects.toThrow();
  });

  it('a caller who is known sees more', async () => {
    expect(await server.run(extended.content)).toBe(description.content);
  });

  it('a caller of 0.3 is understood', async () => {
    const real: unknown = JSON.parse(await server.run(old.content));
    expect(real).toEqual(fill(JSON.parse(oldTask.content), real));
  });

  it('and has no other commands', () => {
    expect(commandsOf(all)).toHaveLength(5);
  });
});
