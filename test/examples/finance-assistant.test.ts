/** The finance assistant, whatever the other agent asks: its own words, cost centres only, and a clear end otherwise. */
import { describe, expect, it } from 'vitest';
import { createFinanceAssistant } from '../../examples/finance-assistant/agent.ts';
import type { Json } from '../../core/json.ts';
import { type Asks, FakeSubAgent } from '../agent/fake-sub-agent.ts';
import { FakeTask } from '../agent/fake-host.ts';

const START_MS = 1_800_000_000_000;
const one = { type: 'object', properties: { costCentre: { type: 'string' } }, required: ['costCentre'] };

/** What a receipt for a taxi comes to when the other agent asks this at once. */
async function asked(question: Partial<Asks>) {
  const task = new FakeTask();
  task.nowMs = START_MS;
  const sub = new FakeSubAgent();
  sub.onTask = () => sub.asks({ questionId: 'q-1', schema: one, expiresAtMs: START_MS + 3_600_000, ...question });
  const staff = {
    costCentreOf: async () => undefined,
    nameOf: (code: string) => (code === 'CC-4410' ? 'Engineering' : undefined),
  };
  const agent = createFinanceAssistant({ expenses: sub, staff });
  return { left: await task.turn(agent), task, sub, agent };
}

describe('the finance assistant, asked for a cost centre', () => {
  it.each<[string, Partial<Asks>, Json | undefined]>([
    [
      'from a list',
      { options: ['CC-4410', 'CC-4420'] },
      [
        { value: 'CC-4410', label: 'Engineering (CC-4410)' },
        { value: 'CC-4420', label: 'CC-4420' },
      ],
    ],
    [
      'from a list with labels of the other agent',
      { options: [{ value: 'CC-4410', label: 'INTERNAL' }] },
      [{ value: 'CC-4410', label: 'Engineering (CC-4410)' }],
    ],
    [
      'from a list by property',
      { options: { costCentre: ['CC-4410'] } },
      [{ value: 'CC-4410', label: 'Engineering (CC-4410)' }],
    ],
    [
      'from a list with doubles and with what is none',
      { options: ['CC-4410', 'CC-4410', 'drop table', 7, null] },
      [{ value: 'CC-4410', label: 'Engineering (CC-4410)' }],
    ],
    ['from no list', {}, undefined],
    ['from an empty list that need not be kept to', { options: [], allowOther: true }, undefined],
  ])('%s asks the employee in its own words', async (_how, question, options) => {
    const { left } = await asked(question);
    expect(left).toMatchObject({
      left: 'asked',
      spec: { text: 'Which cost centre should finance charge the expense to?' },
    });
    expect((left as { readonly spec: { readonly options?: Json } }).spec.options).toEqual(options);
  });

  it.each<[string, Partial<Asks>]>([
    ['with nothing to choose from', { options: [] }],
    ['with nothing to choose from that is one', { options: ['everything'] }],
    [
      'and for more than that',
      {
        schema: {
          type: 'object',
          properties: { costCentre: { type: 'string' }, pin: { type: 'string' } },
          required: ['costCentre', 'pin'],
        },
      },
    ],
    [
      'under a name that every object has',
      { schema: { type: 'object', properties: { toString: { type: 'string' } }, required: ['toString'] } },
    ],
    ['without a schema', { schema: undefined as never }],
  ])('%s asks nobody, and ends with a clear word', async (_how, question) => {
    const { left, task } = await asked(question);
    expect(left).toEqual({
      left: 'ended',
      state: 'TASK_STATE_FAILED',
      reason: 'the sub-task "filing" was given up',
    });
    expect(task.closed).toEqual(['cancel 1']);
  });

  it('sends the answer down under the other agent’s own name', async () => {
    const { task, sub, agent } = await asked({ options: ['CC-4410'] });
    task.answer({ chargeTo: 'CC-4410' });
    sub.onAnswer = () => sub.completes({ expenseId: 'EXP-1' });
    expect(await task.turn(agent)).toEqual({ left: 'returned' });
    expect(sub.taken[1]?.parts).toEqual([
      { data: { costCentre: 'CC-4410', questionId: 'q-1' }, mediaType: 'application/json' },
    ]);
    expect(task.chunks.map(({ artifact }) => artifact.parts[0]?.data)).toEqual([{ expenseId: 'EXP-1' }]);
  });
});
