/** `writeOnly` answers: nothing that is stored, shown or logged holds them, and none outlives its task (section 6). */
import { describe, expect, it } from 'vitest';
import type { Turn } from '../../agent/turn.ts';
import { cancelTask } from '../../core/operations/cancel-task.ts';
import { sweep } from '../../core/operations/sweep.ts';
import { alice, AMPLE, answered, attacked, first, holding, refusal, said } from './world.ts';

const schema = {
  type: 'object',
  properties: {
    user: { type: 'string', minLength: 2 },
    password: { type: 'string', minLength: 8, writeOnly: true },
  },
  required: ['user', 'password'],
} as const;

const login = async (turn: Turn): Promise<void> => {
  const { password } = await turn.ask('login', { text: 'Log in, please.', schema });
  await turn.step('use', () => password.length);
  await turn.artifact({ name: 'length', data: { length: password.length } });
};

const secretKeys = (world: ReturnType<typeof attacked>, id: string) =>
  world.deps.store.childKeys(id).filter((key) => key.startsWith('SECRET'));

async function asking(run = login, settings = {}) {
  const world = attacked(run, settings);
  const { id } = await world.send(first);
  await world.deliver();
  return { ...world, world, id, task: await world.get(id) };
}

describe('a secret answer', () => {
  it.each([
    ['valid', { user: 'ann', password: 'hunter2hunter2' }],
    ['with an invalid neighbour', { user: 'a', password: 'hunter2hunter2' }],
    ['too short', { user: 'ann', password: 'hunter2' }],
    ['under a wrong name', { user: 'ann', passwrd: 'hunter2hunter2' }],
    ['under a right and a wrong name', { user: 'ann', password: 'long-enough', passwrd: 'hunter2hunter2' }],
    ['as a property name', { user: 'ann', password: 'long-enough', hunter2hunter2: 'x' }],
    ['beside a decline', { decline: 'no', password: 'hunter2hunter2' } as never],
  ])('%s is in no stored item, view or log line', async (_what, values) => {
    const { deps, send, deliver, task, get, id } = await asking();
    await send(answered(task, 'm-2', values));
    await deliver();
    const view = JSON.stringify(await get(id));
    expect(view).not.toContain('hunter2');
    expect(deps.store.dump()).not.toContain('hunter2');
    expect(JSON.stringify(deps.log.lines)).not.toContain('hunter2');
  });

  it.each(['hunter2hunter2', '{"user":"ann","password":"hunter2hunter2"}', '{"password":"hunter2'])(
    'as the text %s is in no stored item',
    async (words) => {
      const { deps, send, deliver, task, id, get } = await asking();
      await send(said(task, 'm-2', words));
      await deliver();
      expect(deps.store.dump() + JSON.stringify(await get(id)) + JSON.stringify(deps.log.lines)).not.toContain(
        'hunter2',
      );
    },
  );

  it('of who lost the race against a decline does not outlive the task', async () => {
    const { world, deps, send, deliver, task, id } = await asking();
    const slow = holding(deps.store, 'save');
    const loser = send(answered(task, 'm-2', { user: 'ann', password: 'hunter2hunter2' }), alice, {
      store: slow.store,
    });
    await slow.held;
    const decline = { questionId: task.status.message?.messageId ?? '', decline: { reason: 'no' } };
    await send({ messageId: 'm-3', taskId: id, parts: [{ data: decline }] });
    slow.go();
    await refusal(loser);
    await deliver();
    expect(deps.store.peek(id)?.status.state).toBe('TASK_STATE_REJECTED');
    await deps.clock.advance(600_000);
    await sweep(deps, AMPLE);
    expect(secretKeys(world, id)).toEqual([]);
    expect(deps.store.peek(id)?.status.state).toBe('TASK_STATE_REJECTED');
  });

  it('that is written after the task was canceled does not outlive it', async () => {
    const { world, deps, send, task, id } = await asking();
    const slow = holding(deps.store, 'save');
    const late = send(answered(task, 'm-2', { user: 'ann', password: 'hunter2hunter2' }), alice, {
      store: slow.store,
    });
    await slow.held;
    await cancelTask(deps, alice, { id });
    slow.go();
    expect(await refusal(late)).toMatchObject({ reason: 'UNSUPPORTED_OPERATION' });
    await deps.clock.advance(600_000);
    await sweep(deps, AMPLE);
    expect(secretKeys(world, id)).toEqual([]);
  });

  it('goes although the process died right after the task had ended (invariant 3)', async () => {
    const { world, deps, send, deliver, task, id } = await asking();
    await send(answered(task, 'm-2', { user: 'ann', password: 'hunter2hunter2' }));
    deps.store.before = (op) => {
      if (op === 'dropSecrets') throw new Error('killed');
    };
    await deliver();
    expect(deps.store.peek(id)?.status.state).toBe('TASK_STATE_COMPLETED');
    expect(secretKeys(world, id)).toHaveLength(1);
    deps.store.before = undefined;
    await deps.clock.advance(600_000);
    await sweep(deps, AMPLE);
    expect(secretKeys(world, id)).toEqual([]);
    expect(await sweep(deps, AMPLE)).toEqual({ found: 0, failed: 0 });
    const head = deps.store.peek(id);
    expect((head?.dueMs ?? 0) - (head?.status.atMs ?? 0)).toBe(30 * 86_400_000);
  });

  it('that comes for a question which closed meanwhile is not taken for a message to the agent', async () => {
    const { deps, send, deliver, task, id } = await asking(
      async (turn) => {
        await turn.tryAsk('login', { text: 'Log in, please.', schema });
        await turn.step('wait', () => 1);
      },
      { onMessage: 'queue' },
    );
    const slow = holding(deps.store, 'save');
    const unnamed = { messageId: 'm-2', taskId: id, parts: [{ data: { user: 'ann', password: 'hunter2hunter2' } }] };
    const loser = send(unnamed, alice, { store: slow.store });
    await slow.held;
    await send(answered(task, 'm-3', { user: 'bob', password: 'other-secret' }));
    slow.go();
    expect(JSON.stringify(await loser)).toContain('"answeredBy":"m-3"');
    await deliver();
    expect(deps.store.dump()).not.toContain('hunter2');
  });

  it('sent again long after is still a repeat, whatever came between (section 4)', async () => {
    const { send, deliver, task, get, id } = await asking(async (turn) => {
      await turn.ask('login', { text: 'Log in, please.', schema });
      for (let n = 0; n < 40; n++) await turn.ask(`more-${n}`, { text: 'More?' });
    }, {});
    const secret = answered(task, 'm-2', { user: 'ann', password: 'hunter2hunter2' });
    await send(secret);
    await deliver();
    for (let n = 0; n < 35; n++) {
      await send(answered(await get(id), `more-${n}`, { text: 'yes' }));
      await deliver();
    }
    const before = await get(id);
    expect(await send(secret)).toEqual(before);
  });
});
