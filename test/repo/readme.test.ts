/** What the README shows is what a newcomer sees: its commands are run, its outputs compared, its agent is tried. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Task } from '../../core/message.ts';
import { type Block, blocks } from './markdown.ts';
import { NpmStart } from './npm-start.ts';
import { fill, type Shown, shownIn } from './shown.ts';
import { root } from './tree.ts';

const tools = ['bash', 'curl'].every((name) => spawnSync(name, ['--version']).status === 0);

async function runIn(server: NpmStart, { content }: Block): Promise<unknown> {
  const printed = await server.run(content);
  return printed.startsWith('{') ? JSON.parse(printed) : printed;
}

describe.runIf(tools)('the transcript of the README (needs bash and curl)', () => {
  const server = new NpmStart();
  const transcript = shownIn('README.md', '## The worked example, by curl') as [Shown, Shown, Shown, Shown, Shown];

  beforeAll(() => server.start());
  afterAll(() => server.remove());

  const run = (block: Block) => runIn(server, block);

  it('goes from the request to the refusal after the end', () => {
    expect(transcript.map(({ output }) => output.language)).toEqual(['json', 'json', 'json', 'text', 'json']);
  });

  it('prints what is shown, also when the server is killed between question and answer', async () => {
    for (const [index, { command, output }] of transcript.entries()) {
      if (index === 2) {
        await server.stop('SIGKILL');
        await server.start();
      }
      const real = await run(command);
      const shown: unknown = output.language === 'json' ? JSON.parse(output.content) : output.content;
      expect(real, `README.md:${output.line}`).toEqual(fill(shown, real));
    }
  });

  it('and each message sent again finds the task as it is (S13)', async () => {
    const [first, second, third, history] = transcript;
    const before = await run(history.command);
    const ended = await run(third.command);
    expect(await run(first.command)).toEqual(ended);
    expect(await run(second.command)).toEqual(ended);
    expect(await run(history.command)).toEqual(before);
  });

  it('meets a newcomer with a ready line and without warnings', () => {
    expect(server.printed).toContain(`ready on http://${server.host}`);
    expect(server.printed).not.toMatch(/warning/i);
  });
});

describe.runIf(tools)('the agent of the README (needs bash and curl)', () => {
  const all = blocks('README.md');
  const agent = all.find(({ language }) => language === 'ts') as Block;
  const commands = all.filter(({ line, content }) => line > agent.line && content.startsWith('curl '));
  let folder: string;
  let server: NpmStart;

  beforeAll(async () => {
    // Inside the project, where `askback/agent` is this package.
    mkdirSync(join(root, '.askback'), { recursive: true });
    folder = mkdtempSync(join(root, '.askback', 'readme-'));
    writeFileSync(join(folder, 'my-agent.ts'), agent.content);
    server = new NpmStart(['--agent', join(folder, 'my-agent.ts')]);
    await server.start();
  });
  afterAll(async () => {
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it('asks for room and people at once, and books what is answered', async () => {
    const [request, answer] = commands as [Block, Block];
    const { task: asked } = (await runIn(server, request)) as { task: Task };
    expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(asked.status.message?.parts[0]?.text).toBe(
      'Which room, and for how many people? Free today: Lisbon, Porto.',
    );
    expect(asked.status.message?.parts[1]?.data).toMatchObject({ options: { room: ['Lisbon', 'Porto'] } });
    expect(await runIn(server, answer)).toMatchObject({
      task: {
        id: asked.id,
        status: { state: 'TASK_STATE_COMPLETED' },
        artifacts: [{ name: 'booking', parts: [{ data: { room: 'Porto', people: 3 } }] }],
      },
    });
  });
});

describe('the comparison of outputs', () => {
  it.each([
    [{ a: 'x…' }, { a: 'xyz' }, true],
    [{ a: 'x…z' }, { a: 'x-y-z' }, true],
    [{ a: '…' }, { a: { b: 1 } }, true],
    [{ a: 'x…' }, { a: 'yz' }, false],
    [{ a: ['…', 1] }, { a: ['b', 2] }, false],
    [{ a: '…' }, { a: 'b', c: 1 }, false],
    [{ a: '…', c: 1 }, { a: 'b' }, false],
    [{ a: '…' }, {}, false],
  ])('of %j with %j: %j', (shown, real, same) => {
    if (same) expect(real).toEqual(fill(shown, real));
    else expect(real).not.toEqual(fill(shown, real));
  });
});
