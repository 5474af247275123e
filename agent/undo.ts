/** Undoes what a task had begun outside, without a turn: what does it is found by name in the agent module. */
import type { Debt, UndoHost } from '../core/agent.ts';
import { holdKey } from '../core/ids.ts';
import type { Hold } from '../core/hold.ts';
import { unreachable } from '../core/unreachable.ts';
import type { SubAgents } from './delegate.ts';
import { cancelSubTask } from './delegate-cancel.ts';
import type { Holds } from './hold.ts';
import { givenBack } from './step.ts';

/** Rejects with what went wrong; it is tried again. */
export async function undo(names: { holds: Holds; agents: SubAgents }, debt: Debt, host: UndoHost): Promise<void> {
  switch (debt.of) {
    case 'hold':
      return releaseHold(names.holds, debt.entry, host);
    case 'delegate':
      return cancelSubTask(names.agents, debt.entry, host);
    default:
      return unreachable('debt', debt);
  }
}

async function releaseHold(holds: Holds, { name, n, value, undo: owed }: Hold, host: UndoHost): Promise<void> {
  const spec = Object.hasOwn(holds, name) ? holds[name] : undefined;
  if (!spec) throw new Error(`the agent module has no "${name}" in \`holds\` that releases it`);
  await spec.release({
    value: value === undefined ? undefined : givenBack(await host.read(value)),
    idempotencyKey: holdKey(host.taskId, n),
    reason: owed?.why ?? 'end',
    taskId: host.taskId,
    signal: host.signal,
  });
}
