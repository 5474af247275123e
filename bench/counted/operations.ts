/** What each operation asks of DynamoDB, the queue and the Scheduler (design, section 13): lines of counts. */
import { cancelTask } from '../../core/operations/cancel-task.ts';
import { listTasks } from '../../core/operations/list-tasks.ts';
import { createExpenseAgent } from '../../examples/expense-agent/agent.ts';
import { OWNER } from '../askback.ts';
import { counted, type Line, number } from '../line.ts';
import { askingAgent } from '../question.ts';
import { type CountedWorld, countedWorld, type Spent } from './world.ts';

const DAY_MS = 24 * 3_600_000;
const LISTED = 20;

export async function operationLines(): Promise<readonly Line[]> {
  return [
    ...(await withWorld(askingAgent(), ofOneTask)),
    ...(await withWorld(askingAgent(), ofOthers)),
    ...(await ofExample()),
  ];
}

/** The operations of one task in their order, each for itself, and together the cycle. */
async function ofOneTask(world: CountedWorld): Promise<readonly Line[]> {
  const { request, answer, work, look, spent, stored } = world;
  const task = await request();
  const create = spent();
  await work();
  const asked = spent();
  await look(task);
  const get = spent();
  const paused = await stored(task.id);
  await answer(task);
  const answered = spent();
  await work();
  const ended = spent();
  await answer(task, 1);
  const duplicate = spent();
  const parts = [create, asked, answered, ended];
  return [
    ...operation('create', create, ['writes', 'reads', 'sends']),
    ...operation('first turn, to its question', asked),
    ...operation('get', get, ['reads', 'writes']),
    ...operation('answer', answered, ['reads', 'writes', 'sends']),
    ...operation('second turn, to the end', ended),
    ...operation('duplicate', duplicate, ['reads', 'writes']),
    counted('cycle without steps: calls', sum(parts, 'calls'), '', 'cycle.calls'),
    summary('cycle without steps', parts),
    counted(
      'dearest write of a head of these',
      Math.max(...parts.map(({ headUnits }) => headUnits)),
      'units',
      'head.units',
    ),
    counted('paused task: its head', paused.headBytes, 'bytes', 'head.bytes'),
    counted('paused task: all its items', paused.bytes, 'bytes'),
  ];
}

async function ofOthers(world: CountedWorld): Promise<readonly Line[]> {
  const { request, answer, work, spent, deps, due } = world;
  const paused = async () => {
    const task = await request();
    await work();
    spent();
    return task;
  };
  await answer(await paused(), 1, { costCentre: 'CC-9999' });
  const refused = spent();
  await cancelTask(deps, OWNER, { id: (await paused()).id });
  const canceled = spent();
  const waits = await paused();
  await deps.clock.advance(DAY_MS);
  await due(waits);
  const expired = spent();
  for (let n = 0; n < LISTED; n++) await paused();
  await listTasks(deps, OWNER, { pageSize: LISTED });
  const listed = spent();
  return [
    ...operation('refused', refused, ['writes']),
    ...operation('cancel', canceled),
    ...operation('expiry', expired),
    ...operation(`list, a page of ${LISTED}`, listed),
  ];
}

/** The worked example: one question, and what it records on the way to it. */
async function ofExample(): Promise<readonly Line[]> {
  const agent = createExpenseAgent({
    ledger: { file: async (expense, idempotencyKey) => ({ ...expense, id: 'EXP-000001', idempotencyKey }) },
    directory: { costCentres: async () => ['CC-4410', 'CC-4420'] },
  });
  return withWorld(agent, async ({ request, answer, work, spent, deps }) => {
    const task = await request();
    await work();
    const parts = [spent()];
    await answer(task);
    await work();
    parts.push(spent());
    const head = await deps.store.load(task.id);
    const steps = head ? (await deps.store.steps(head)).length : Number.NaN;
    return [
      counted(`cycle of the worked example: calls less ${steps} steps`, sum(parts, 'calls') - steps, '', 'cycle.calls'),
      summary('cycle of the worked example', parts),
    ];
  });
}

async function withWorld<T>(
  agent: Parameters<typeof countedWorld>[0],
  use: (world: CountedWorld) => Promise<T>,
): Promise<T> {
  const world = await countedWorld(agent);
  try {
    return await use(world);
  } finally {
    await world.stop();
  }
}

type Counts = 'calls' | 'reads' | 'writes' | 'sends';

/** One line for each count that has a budget, and one with all of it. */
function operation(what: string, spent: Spent, budgeted: readonly Counts[] = []): readonly Line[] {
  const lines = budgeted.map((count) => counted(`${what}: ${count}`, spent[count], '', `${what}.${count}`));
  return [...lines, summary(what, [spent])];
}

/** `2 reads (2 units), 6 writes (10 units, 16 of indexes), 2 sent, 1 timers made`. */
function summary(what: string, parts: readonly Spent[]): Line {
  const [reads, writes, sent] = [sum(parts, 'reads'), sum(parts, 'writes'), sum(parts, 'sends')];
  const [made, deleted] = [sum(parts, 'timersMade'), sum(parts, 'timersDeleted')];
  const words = [
    reads > 0 ? `${reads} reads (${number(sum(parts, 'readUnits'))} units)` : [],
    writes > 0 ? `${writes} writes (${sum(parts, 'tableUnits')} units, ${sum(parts, 'indexUnits')} of indexes)` : [],
    sent > 0 ? `${sent} sent` : [],
    made > 0 ? `${made} timers made` : [],
    deleted > 0 ? `${deleted} timers deleted` : [],
  ];
  return { section: 'counted', what: `${what}: all`, ours: words.flat().join(', '), value: sum(parts, 'calls') };
}

function sum(parts: readonly Spent[], count: keyof Spent): number {
  return parts.reduce((total, part) => total + part[count], 0);
}
