/** The form as a person fills it in, with typed lines instead of a terminal; the agent is the real local runtime. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Runtime, startRuntime } from '../../../local/runtime.ts';
import { QuietLog } from '../../fakes/quiet-log.ts';
import { askingAgent } from './asking-agent.ts';
import { FakeWorld } from './fake-world.ts';

let data: string;
let runtime: Runtime;
let world: FakeWorld;

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'askback-cli-form-'));
  runtime = await startRuntime({ port: 0, data, agent: askingAgent, log: new QuietLog() });
});
afterAll(async () => {
  await runtime.stop();
  await rm(data, { recursive: true, force: true });
});
beforeEach(async () => {
  world = await FakeWorld.open();
});
afterEach(() => world.close());

describe('a form with several fields', () => {
  it('has one prompt for each property, tells what is wrong beside it, and starts filled in on a re-ask', async () => {
    const { code, out, told } = await world.run(['send', runtime.url, 'form'], {
      typed: ['Madrid', '2', '0', '9', 'perhaps', 'y', 'enter', 'enter', '3', 'enter', 'a window, please'],
    });
    expect(told).toEqual([
      'City (1 to 2):',
      '✗ expected one of 1 (Lisbon), 2 (Porto)',
      'nights (a whole number):',
      expect.stringMatching(/^✗ .*1/),
      'flight (Do you need a flight?; yes or no):',
      '✗ expected yes or no',
      'notes (optional):',
      'City (1 to 2): [OPO]',
      'nights (a whole number) ✗ at most 7 nights are paid for:',
      'flight (Do you need a flight?; yes or no): [yes]',
      'notes (optional):',
    ]);
    expect(code).toBe(0);
    expect(out).toBe(
      'trip\n  {\n    "city": "OPO",\n    "nights": 3,\n    "flight": true,\n    "notes": "a window, please"\n  }\n',
    );
  });

  it('is answered by data from the command line, which is checked before it is sent', async () => {
    const asked = await world.run(['send', runtime.url, 'form', '--json']);
    const id = String((asked.objects.at(-1) as { taskId: string }).taskId);
    const wrong = await world.run(['answer', id, '--data', '{"city": "MAD", "nights": 2, "flight": false}']);
    expect(wrong.code).toBe(2);
    expect(wrong.err).toBe(
      'askback: the answer does not fit: city: expected one of LIS, OPO\nNothing was sent; the question is still open.\n',
    );
    const several = await world.run(['answer', id, 'Lisbon']);
    expect(several.code).toBe(2);
    expect(several.err).toContain('this question has several fields: city, nights, flight, notes');
    const right = await world.run(['answer', id, '--data', '-'], {
      input: '{"city": "LIS", "nights": 2, "flight": false}',
    });
    expect(right.code).toBe(0);
    expect(right.out).toContain('"city": "LIS"');
  });
});

describe('a secret', () => {
  it('is hidden while typed, refused as an argument, and redacted in the history', async () => {
    const asked = await world.run(['send', runtime.url, 'secret', '--json']);
    const id = String((asked.objects.at(-1) as { taskId: string }).taskId);
    const argued = await world.run(['answer', id, '4821']);
    expect(argued.code).toBe(2);
    expect(argued.err).toContain("pin is a secret and must not stand in the shell's history");
    const { code, out, err, told } = await world.run(['answer', id], { typed: ['4821'] });
    expect(code).toBe(0);
    expect(told).toEqual(['pin: (hidden)']);
    const history = await world.run(['history', id]);
    expect(history.code).toBe(0);
    expect(`${out}${err}${history.out}`).not.toContain('4821');
    expect(history.out.match(/ UTC {2}you {2}/g)).toHaveLength(2);
  });
});

describe('free text', () => {
  it('is asked for in one line', async () => {
    const { told, code } = await world.run(['send', runtime.url, 'soon'], { typed: ['', 'the red one'] });
    expect(told).toEqual(['text:', '✗ an answer is needed here']);
    expect(code).toBe(0);
  });
});

describe('a policy', () => {
  it('answers what it knows; the rest is asked here', async () => {
    const file = join(world.folder, 'rules.json');
    await writeFile(file, JSON.stringify([{ text: 'trip', answer: { city: 'LIS', nights: 1, flight: true } }]));
    const { code, out, told } = await world.run(['send', runtime.url, 'form', '--policy', file], { typed: [] });
    expect({ code, told }).toEqual({ code: 0, told: [] });
    expect(out).toContain('"city": "LIS"');
  });
});

describe('what an agent writes', () => {
  it('does not reach the terminal as control sequences: name, progress, artifacts', async () => {
    const { out, err } = await world.run(['send', runtime.url, 'echo']);
    expect(out).toBe('echo\n  heard you\n');
    expect(err).toContain('at Asking agent (');
    expect(`${out}${err}`).not.toContain('\u001b');
  });
});
