/**
 * An authorisation under races and crashes (design section 12): a credential is taken once, used until its use is
 * recorded, and deleted; whatever else happens, the task comes to one end.
 */
import { describe, expect, it } from 'vitest';
import { FIRST, request } from './callers.ts';
import { maker, question } from './agents.ts';
import { heal, workOff } from './heal.ts';
import { mingle } from './mingle.ts';
import type { Actor } from './scheduler.ts';
import { type Crash, type Ran, runWithCrash } from './one-crash.ts';
import { says, told, view } from './story.ts';
import { checkTrace } from './trace-properties.ts';
import { World } from './world.ts';

/** Uses a credential outside, then asks, and says what came of both. */
const travel = maker('travel', async (turn, outside) => {
  const event = await turn.requireAuth('calendar', {
    text: 'Sign in.',
    expiresIn: { hours: 24 },
    use: (credential, { idempotencyKey }) => outside.file(idempotencyKey, { with: credential }),
  });
  const { choice } = await turn.ask('which', { ...question, expiresIn: { hours: 24 } });
  await turn.artifact({ name: 'event', data: { event, choice } });
});

const AUTH = 'a-';

async function required(): Promise<{ world: World; authId: string }> {
  const world = new World(travel);
  await world.send(request(FIRST));
  await workOff(world);
  const authId = world.head?.auth?.authId ?? 'none';
  expect(authId.startsWith(AUTH)).toBe(true);
  return { world, authId };
}

function secrets(world: World): readonly string[] {
  return world.store.childKeys(world.taskId as string).filter((key) => key.startsWith('SECRET'));
}

/** Two minutes after its end the sweeper deletes what a lost race or a crash has left of an ended task's secrets. */
async function longAfter(world: World): Promise<void> {
  world.scheduler.nowMs += 120_000;
  await world.sweep();
  await workOff(world);
}

function granted({ outcome }: Actor): unknown {
  return outcome && 'value' in outcome ? outcome.value : outcome;
}

/** How the authorisation was closed, by the record of the write that closed it; and when that was decided. */
function closing(world: World): { readonly how: string | undefined; readonly decidedAtMs: number } {
  const first = world.commits.find(({ head }, at) => world.commits[at - 1]?.head.auth && !head.auth);
  const record = first?.head.calls.find(({ kind }) => kind === 'auth');
  const how = record && 'outcome' in record ? record.outcome : first?.head.status.state;
  return { how, decidedAtMs: first?.decidedAtMs ?? 0 };
}

describe('two grants at the same instant', () => {
  it('are one: one credential is used once, in each of 60 rounds, and nothing of the other is left', async () => {
    const winners = new Set<unknown>();
    for (let round = 1; round <= 60; round++) {
      const { world, authId } = await required();
      const [one, two] = [await world.grant('one', authId), await world.grant('two', authId)];
      await mingle(world, round);
      await workOff(world);
      expect([granted(one), granted(two)].sort()).toEqual(['done', 'gone']);
      const won = granted(one) === 'done' ? 'one' : 'two';
      winners.add(won);
      expect([...world.ledger.values()]).toEqual([{ with: won }]);
      expect(world.filings).toHaveLength(1);
      expect(secrets(world)).toEqual([]);
      expect(world.head?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
      // Long after, and from wherever a copy of the address is.
      const late = await world.grant('late', authId);
      await workOff(world);
      expect(granted(late)).toBe('gone');
      checkTrace(world.commits);
    }
    expect([...winners].sort()).toEqual(['one', 'two']);
  });
});

describe('grant, decline, expiry and cancel in the same millisecond', () => {
  it('have one winner in each of 200 rounds, and the credential is used only if it was the grant', async () => {
    const winners = new Set<string>();
    for (let round = 1; round <= 200; round++) {
      const { world, authId } = await required();
      const taskId = world.taskId as string;
      const expiresAtMs = world.head?.auth?.expiresAtMs as number;
      world.scheduler.nowMs = expiresAtMs - 1;
      const grant = await world.grant('token', authId);
      const message = {
        messageId: 'm-no',
        taskId,
        role: 'ROLE_USER',
        parts: [{ data: { authId, decline: {} } }],
      } as const;
      const decline = round % 2 === 0 ? await world.send(request(message)) : undefined;
      const cancel = round % 3 === 0 ? undefined : await world.cancel(taskId);
      await world.fire(taskId);
      await mingle(world, round, () => {
        world.scheduler.nowMs = expiresAtMs;
      });
      await workOff(world);

      const { how = 'open', decidedAtMs } = closing(world);
      winners.add(how);
      if (how === 'granted' || how === 'declined') expect(decidedAtMs, `round ${round}`).toBeLessThan(expiresAtMs);
      expect(granted(grant), `round ${round}: ${how}`).toBe(how === 'granted' ? 'done' : 'gone');
      if (how !== 'granted') expect(world.filings).toEqual([]);
      else expect(world.filings.length).toBeLessThanOrEqual(1);
      if (cancel) expect(['CANCELED', 'TASK_NOT_CANCELABLE'], `round ${round}`).toContain(told(cancel));
      if (decline && how !== 'declined') expect(['INVALID_PARAMS', 'UNSUPPORTED_OPERATION']).toContain(told(decline));
      checkTrace(world.commits);
      await longAfter(world);
      expect(secrets(world), `round ${round}`).toEqual([]);
    }
    expect([...winners].sort()).toEqual(['TASK_STATE_CANCELED', 'TASK_STATE_FAILED', 'declined', 'granted']);
  });
});

/** The whole story, with a crash at one gate after the task has begun to wait (0: none); tells how many there are. */
async function play(at: number, how: Crash): Promise<Ran> {
  const { world, authId } = await required();
  await world.grant('token', authId);
  const { gates, where } = await runWithCrash(world, at, how);
  await heal(world);
  // Whose call died does not know: it calls again, and is told that it had come through, or comes through now.
  if (world.head?.auth) {
    await world.grant('token', authId);
    await heal(world);
  }
  expect(world.head?.status.state, where).toBe('TASK_STATE_INPUT_REQUIRED');
  const record = world.head?.calls.find(({ kind }) => kind === 'auth');
  expect(record, where).toMatchObject({ outcome: 'granted', result: { ok: { value: { with: 'token' } } } });
  const named = world.commits.flatMap(({ head }) =>
    head.calls.flatMap((call) => ('secret' in call ? [call.secret] : [])),
  );
  // The one that was used is gone while the task goes on; one whose call died before its write goes with the task.
  expect(
    secrets(world).filter((key) => named.includes(key.slice('SECRET '.length))),
    where,
  ).toEqual([]);
  for (const actor of world.scheduler.actors) if (actor.status === 'frozen') actor.status = 'live';
  await heal(world);
  await says(world, 'CC-4410', 'm-choice');
  await heal(world);
  expect(
    (await view(world)).artifacts?.map(({ parts }) => parts[0]?.data),
    where,
  ).toEqual([{ event: { with: 'token' }, choice: 'CC-4410' }]);
  expect([...world.ledger.values()], where).toEqual([{ with: 'token' }]);
  checkTrace(world.commits);
  await longAfter(world);
  expect(secrets(world), where).toEqual([]);
  return { gates, where };
}

describe('one crash at any point (invariant 3)', () => {
  it.each(['dies', 'freezes', 'fails'] as const)(
    'the credential is used and then deleted: who is there %s',
    async (how) => {
      const { gates } = await play(0, how);
      expect(gates).toBeGreaterThan(12);
      for (let at = 1; at <= gates; at++) await play(at, how);
    },
  );
});
