/**
 * Invariant 3 for what the model's agents do not do: a secret answer, an author's check, an inbox. One store call after
 * the other fails, before it is made and after; callers send again what failed; the end is the same.
 */
import { describe, expect, it } from 'vitest';
import type { Turn } from '../../agent/turn.ts';
import { sweep } from '../../core/operations/sweep.ts';
import { AMPLE, answered, attacked, first, said } from './world.ts';

const schema = {
  type: 'object',
  properties: { user: { type: 'string' }, password: { type: 'string', writeOnly: true } },
  required: ['user', 'password'],
} as const;

async function run(turn: Turn): Promise<void> {
  const { user, password } = await turn.ask('login', { text: 'Log in.', schema });
  const seat = await turn.ask('seat', { text: 'Which seat?', check: (given) => (given === 'no' ? 'not that' : '') });
  const news: string[] = [];
  for (let more = await turn.inbox(); more.length > 0; more = await turn.inbox()) {
    news.push(...more.map(({ messageId }) => messageId));
  }
  await turn.artifact({ name: 'all', data: { user, length: password.length, seat, news } });
}

async function play(crashAt: number, when: 'before' | 'after') {
  const world = attacked(run, { onMessage: 'queue' });
  const { deps, send, get } = world;
  let calls = 0;
  deps.store[when] = (op) => {
    if (op === 'load' && when === 'after') return;
    calls += 1;
    if (calls === crashAt) throw new Error('killed');
  };
  const patiently = async <T>(call: () => Promise<T>): Promise<T> => call().catch(() => call());
  const work = async () => {
    for (let round = 0; round < 8; round++) {
      await world.deliver().catch(() => undefined);
      await deps.clock.advance(120_000);
      await sweep(deps, AMPLE).catch(() => undefined);
      const [head] = deps.store.heads();
      if (head?.turn.phase === 'idle' && (head.ask || !head.secrets)) return;
    }
    await world.deliver().catch(() => undefined);
  };
  const { id } = await patiently(() => send(first));
  await work();
  const asked = await patiently(() => get(id));
  await patiently(() => send(answered(asked, 'm-2', { user: 'ann', password: 'hunter2' })));
  await patiently(() => send(said(asked, 'm-3', 'news')));
  await work();
  const refused = await patiently(() => get(id));
  await patiently(() => send(answered(refused, 'm-4', { text: 'no' })));
  await work();
  const again = await patiently(() => get(id));
  await patiently(() => send(answered(again, 'm-5', { text: '14C' })));
  await work();
  const task = await patiently(() => get(id));
  return { task, calls, deps, id };
}

describe('a crash at any store call (invariant 3)', () => {
  it.each(['before', 'after'] as const)('%s it is made leaves the same end', { timeout: 120_000 }, async (when) => {
    const { calls } = await play(0, when);
    expect(calls).toBeGreaterThan(40);
    for (let crashAt = 1; crashAt <= calls; crashAt++) {
      const { task, deps, id } = await play(crashAt, when);
      const at = `call ${crashAt}`;
      expect([at, task.status.state]).toEqual([at, 'TASK_STATE_COMPLETED']);
      const made = { user: 'ann', length: 7, seat: '14C', news: ['m-3'] };
      expect([at, task.artifacts?.map(({ parts }) => parts[0]?.data)]).toEqual([at, [made]]);
      const users = (task.history ?? []).filter(({ role }) => role === 'ROLE_USER').map(({ messageId }) => messageId);
      expect([at, users]).toEqual([at, ['m-1', 'm-2', 'm-3', 'm-4', 'm-5']]);
      expect([at, deps.store.childKeys(id).filter((key) => key.startsWith('SECRET'))]).toEqual([at, []]);
      expect([at, deps.store.dump().includes('hunter2')]).toEqual([at, false]);
    }
  });
});
