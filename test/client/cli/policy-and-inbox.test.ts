/** What a policy says on the command line, and what the inbox shows, with the expense agent in the local runtime. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isLocal } from '../../e2e/support/target.ts';
import { FakeWorld } from './fake-world.ts';
import { last, onExpenseAgent, RECEIPT } from './on-expense-agent.ts';

const place = onExpenseAgent();

describe.runIf(isLocal)('the inbox', () => {
  it('shows what each task was asked to do: of those left here, of those an agent lists, and after a wrong answer', async () => {
    const send = (text: string) => place.world.run(['send', place.target.url, text, '--detach', '--json']);
    const [taxi, lunch] = [await send(RECEIPT), await send('File my lunch from Monday, 12 euros\nwith guests')];
    const ids = [taxi, lunch].map((ran) => String(last(ran).taskId));
    const shown = async (where: FakeWorld, ...url: string[]) =>
      (last(await where.run(['inbox', ...url, '--json'])).questions as { taskId: string; request?: string }[])
        .map(({ taskId, request }) => [taskId, request])
        .sort();
    const expected = [
      [ids[0], RECEIPT],
      [ids[1], 'File my lunch from Monday, 12 euros'],
    ].sort();
    expect(await shown(place.world)).toEqual(expected);
    await place.world.run(['answer', ids[0] as string, '--text', 'engineering', '--detach']);
    expect(await shown(place.world)).toEqual(expected);
    expect(await shown(place.world, place.target.url)).toEqual(expected);
    const elsewhere = await FakeWorld.open();
    expect(await shown(elsewhere, place.target.url)).toEqual(expected);
    expect((await elsewhere.run(['inbox', place.target.url])).out).toContain(`\n  "${RECEIPT}"\n`);
    await elsewhere.close();
  });
});

describe.runIf(isLocal)('a policy', () => {
  const policy = async (rules: unknown) => {
    const file = join(place.world.folder, 'rules.json');
    await writeFile(file, JSON.stringify(rules));
    return file;
  };

  it('says which rule answered, and with what', async () => {
    const file = await policy([
      { question: 'approve', answer: true },
      { question: 'costCentre', answer: 'CC-4410' },
    ]);
    const sent = await place.world.run(['send', place.target.url, RECEIPT, '--policy', file]);
    expect(sent.code).toBe(0);
    expect(sent.err).toContain('\nanswered by rule 2: CC-4410\n');
    const { objects } = await place.world.run(['send', place.target.url, RECEIPT, '--policy', file, '--json']);
    const taskId = String(objects[0]?.taskId);
    expect(objects.find(({ type }) => type === 'rule')).toEqual({
      type: 'rule',
      taskId,
      questionId: `q-${taskId.slice(0, 16)}-1`,
      rule: 2,
      answer: { costCentre: 'CC-4410' },
    });
  });

  it('says which rule declined', async () => {
    const file = await policy([{ text: 'cost centre', decline: 'people decide that' }]);
    const sent = await place.world.run(['send', place.target.url, RECEIPT, '--policy', file]);
    expect(sent.code).toBe(5);
    expect(sent.err).toContain('\ndeclined by rule 1: people decide that\n');
  });

  it.each([
    [['--policy', 'missing.json'], 'the policy missing.json cannot be read: there is no such file'],
    [['--policy', '.'], 'the policy . cannot be read: it is a folder'],
    [['--data', '@missing.json'], 'missing.json cannot be read: there is no such file'],
    [['--file', 'missing.png'], 'missing.png cannot be read: there is no such file'],
    [['--bearer-file', 'missing'], /\/missing cannot be read: there is no such file/],
  ])('%j: a file that is missing is said in words', async (options, words) => {
    const { code, err } = await place.world.run(['send', place.target.url, RECEIPT, ...options]);
    expect(code).toBe(2);
    expect(err).toMatch(words);
    expect(err).not.toContain('ENOENT');
  });
});
