/** A write costs the same at round 20 as at round 1 (design, sections 5 and 13): whole cycles by their rounds. */
import { counted, type Line, number } from '../line.ts';
import { askingAgent } from '../question.ts';
import { countedWorld } from './world.ts';

const ROUNDS = [1, 5, 10, 20] as const;

export async function roundLines(): Promise<readonly Line[]> {
  const lines: Line[] = [];
  const units = new Map<number, number>();
  for (const rounds of ROUNDS) {
    const cycle = await cycleOf(rounds);
    units.set(rounds, cycle.tableUnits);
    const { calls, readUnits, tableUnits, indexUnits } = cycle;
    const ours = `${calls} calls, ${number(readUnits)} read units, ${tableUnits} write units, ${indexUnits} of indexes`;
    lines.push({ section: 'counted', what: `cycle of ${rounds} rounds`, ours, value: calls });
  }
  const ratio = (units.get(20) ?? Number.NaN) / (units.get(10) ?? Number.NaN);
  return [...lines, counted('write units, 20 rounds over 10', ratio, 'x', 'rounds.units')];
}

async function cycleOf(rounds: number) {
  const { request, answer, work, spent, look, stop } = await countedWorld(askingAgent(rounds));
  try {
    const task = await request();
    await work();
    for (let round = 1; round <= rounds; round++) {
      await answer(task, round);
      await work();
    }
    const cycle = spent();
    const { status } = await look(task);
    if (status.state !== 'TASK_STATE_COMPLETED') throw new Error(`the task is ${status.state}`);
    return cycle;
  } finally {
    await stop();
  }
}
