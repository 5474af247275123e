import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Runtime, startRuntime } from '../../../local/runtime.ts';
import { type Block, blocks } from '../../repo/markdown.ts';
import { fill } from '../../repo/shown.ts';
import { isLocal, openTarget, type Target } from '../../e2e/support/target.ts';
import { QuietLog } from '../../fakes/quiet-log.ts';
import { askingAgent } from './asking-agent.ts';
import { Terminal, terminalMaker } from './terminal.ts';

const PROGRAM = fileURLToPath(new URL('../../../client/askback.ts', import.meta.url));
const maker = terminalMaker();
if (!maker) console.warn('skipped: the program in a terminal (neither python3 nor script of util-linux is here)');

let folder: string;
let opened: Terminal[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'askback-terminal-'));
  opened = [];
});
afterEach(async () => {
  for (const terminal of opened) terminal.kill();
  await rm(folder, { recursive: true, force: true });
});

function askback(...args: string[]): Terminal {
  if (!maker) throw new Error('no terminal');
  const node = [process.execPath, '--conditions=askback-source', '--import', 'tsx', PROGRAM, ...args];
  const terminal = new Terminal(maker, node, { ASKBACK_STATE_DIR: join(folder, 'state'), NO_COLOR: '1' });
  opened.push(terminal);
  return terminal;
}

/** Ids, addresses and times differ from run to run. */
function steady(screen: string): string[] {
  return screen
    .replaceAll(/[a-z2-7]{26}/g, '<task>')
    .replaceAll(/http:\/\/localhost:\d+/g, '<url>')
    .replaceAll(/\d+ h \d+ min left \(until [^)]*\)/g, '<left>')
    .split('\n');
}

describe.runIf(maker && isLocal)('the worked example in a terminal', () => {
  let target: Target;
  beforeEach(async () => {
    target = await openTarget();
  });
  afterEach(() => target.stop());

  it('a wrong answer is told beside its field before it is sent, and a number chooses', async () => {
    const terminal = askback('send', target.url, 'File my taxi receipt from Tuesday, 42 euros');
    await terminal.until(/\? costCentre \(1 to 2\):/);
    terminal.type('engineering\r');
    await terminal.until(/costCentre \(1 to 2\): engineering\n✗ expected one of 1 \(CC-4410\), 2 \(CC-4420\)/);
    // Ctrl-U empties the line, which keeps what was typed for editing.
    terminal.type('\u0015');
    await terminal.until(/costCentre \(1 to 2\):$/);
    terminal.type('1\r');
    expect(await terminal.end()).toBe(0);
    expect(steady(terminal.screen)).toEqual([
      'Task <task> at Expense agent (<url>)',
      '… submitted',
      '… working',
      '… input-required',
      'Expense agent (<url>) asks:',
      '  Which cost centre should this expense be charged to?',
      '  <left>',
      '  1) CC-4410',
      '  2) CC-4420',
      '✓ costCentre (1 to 2): CC-4410',
      '… working',
      '… artifact expense',
      '… completed',
      '✓ completed (task <task>)',
      'expense',
      '  {',
      '    "expenseId": "EXP-000001",',
      '    "amount": 42,',
      '    "currency": "EUR",',
      expect.stringMatching(/^ {4}"date": "\d{4}-\d{2}-\d{2}",$/),
      '    "vendor": "taxi",',
      '    "costCentre": "CC-4410"',
      '  }',
    ]);
    expect(await target.local.ledger()).toHaveLength(1);
  });

  it('looks as the README shows it, but for what was typed over', async () => {
    const shown = blocks('README.md').find(({ content }) => content.startsWith('Task …')) as Block;
    const terminal = askback('send', target.url, 'File my taxi receipt from Tuesday, 42 euros');
    await terminal.until(/\? costCentre \(1 to 2\):/);
    terminal.type('1\r');
    expect(await terminal.end()).toBe(0);
    const kept = shown.content.split('\n').filter((line) => !/engineering|^✗/.test(line));
    const real = terminal.screen
      .replaceAll(target.url, 'http://localhost:3000')
      .replace('EXP-000001', 'EXP-…')
      .split('\n');
    expect(real).toEqual(fill(kept, real));
  });

  it('Ctrl-C at the question ends with 130 and leaves it open; answer takes it up', async () => {
    const left = askback('send', target.url, 'File my taxi receipt from Tuesday, 42 euros');
    await left.until(/\? costCentre/);
    left.type('\u0003');
    await left.until(/To answer: askback answer \w{26}/);
    expect(await left.end()).toBe(130);
    const [, id = ''] = /askback answer (\w{26})/.exec(left.screen) ?? [];
    const taken = askback('answer', id);
    await taken.until(/\? costCentre/);
    taken.type('cc-4420\r');
    expect(await taken.end()).toBe(0);
    expect(taken.screen).toContain('"costCentre": "CC-4420"');
  });
});

describe.runIf(maker)('other questions in a terminal', () => {
  let runtime: Runtime;
  beforeEach(async () => {
    runtime = await startRuntime({ port: 0, data: join(folder, 'data'), agent: askingAgent, log: new QuietLog() });
  });
  afterEach(() => runtime.stop());

  it('what the agent refuses is asked again with its error beside the field, and the rest stands there already', async () => {
    const terminal = askback('send', runtime.url, 'form');
    await terminal.until(/\? City \(1 to 2\):/);
    terminal.type('Porto\r');
    await terminal.until(/\? nights \(a whole number\):/);
    terminal.type('9\r');
    await terminal.until(/\? flight \(Do you need a flight\?; yes or no\):/);
    terminal.type('no\r');
    await terminal.until(/\? notes \(optional\):/);
    terminal.type('\r');
    await terminal.until(/attempt 2 of 3[\s\S]*\? City \(1 to 2\): OPO$/);
    terminal.type('\r');
    await terminal.until(/\? nights \(a whole number\) ✗ at most 7 nights are paid for:/);
    terminal.type('3\r');
    await terminal.until(/\? flight \(.*\): no$/);
    terminal.type('\r');
    await terminal.until(/attempt 2 of 3[\s\S]*\? notes \(optional\):/);
    terminal.type('\r');
    expect(await terminal.end()).toBe(0);
    expect(terminal.screen).toMatch(/"city": "OPO",\s+"nights": 3,\s+"flight": false\s+}/);
  });

  it('a secret is never on the screen, nor in what is kept', async () => {
    const terminal = askback('send', runtime.url, 'secret');
    await terminal.until(/\? pin:/);
    terminal.type('12x4\r');
    await terminal.until(/✗ /);
    terminal.type('\u00154821\r');
    expect(await terminal.end()).toBe(0);
    expect(terminal.screen).toContain('"count": 4');
    expect(terminal.output).not.toContain('4821');
    expect(terminal.output).not.toContain('12x4');
  });
});
