/**
 * An authorisation that a sub-agent needs, with a crash at each single step after it was relayed (design 12): the
 * credential reaches the sub-agent and is taken there once, both tasks come to the same end, and it stands nowhere here.
 */
import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent/define-agent.ts';
import { SubAgentError } from '../../agent/sub-agent.ts';
import type { Json } from '../../core/json.ts';
import { FakeSubAgent } from '../agent/fake-sub-agent.ts';
import { FIRST, request } from './callers.ts';
import { heal, workOff } from './heal.ts';
import { type Crash, type Ran, runWithCrash } from './one-crash.ts';
import { view } from './story.ts';
import { checkTrace } from './trace-properties.ts';
import { type Outside, World } from './world.ts';

const SECRET = 'tok-4711';
const THEIRS = 'https://bank.example/callbacks/auth/t/a-1/code';

/** A sub-agent that wants a credential, takes one, and has then done its work. */
class Bank extends FakeSubAgent {
  readonly got: Json[] = [];
  override onTask = (id: string): void => {
    const data = { authId: 'a-1', callbackUrl: THEIRS };
    const parts = [{ text: 'A token, please' }, { data, mediaType: 'application/json' }];
    this.set(id, 'TASK_STATE_AUTH_REQUIRED', { messageId: 'a-1', role: 'ROLE_AGENT', parts });
  };

  override async authorize(_url: string, credential: Json): Promise<void> {
    if (this.got.length > 0) throw new SubAgentError('the agent answered with status 410', { retryable: false });
    this.got.push(credential);
    this.completes({ lines: 3 });
  }
}

function maker(bank: Bank) {
  return (outside: Outside) =>
    defineAgent({
      card: {
        name: 'orchestrator',
        description: 'Under test.',
        version: '1',
        skills: [{ id: 's', name: 'S', description: 'S.', tags: [] }],
      },
      agents: {
        bank: {
          send: (message, options) => outside.call('bank.send', () => bank.send(message, options)),
          get: (taskId) => outside.call('bank.get', () => bank.get(taskId)),
          cancel: (taskId) => outside.call('bank.cancel', () => bank.cancel(taskId)),
          authorize: (url, credential) => outside.call('bank.authorize', () => bank.authorize(url, credential)),
        },
      },
      async run(turn) {
        const read = await turn.delegate('reading', {
          agent: 'bank',
          message: 'Read it',
          restateAuth: () => ({ text: 'Please sign in.' }),
        });
        await turn.artifact({ name: 'read', data: read.artifacts[0]?.parts[0]?.data ?? null });
      },
    });
}

async function required(): Promise<{ readonly world: World; readonly bank: Bank; readonly authId: string }> {
  const bank = new Bank();
  const world = new World(maker(bank));
  await world.send(request(FIRST));
  await workOff(world);
  const authId = world.head?.auth?.authId;
  if (authId === undefined) throw new Error('no authorisation is required');
  return { world, bank, authId };
}

/** What is granted, with a crash at one gate (0: none); tells how many gates there are. */
async function play(at: number, how: Crash): Promise<Ran> {
  const { world, bank, authId } = await required();
  await world.grant({ token: SECRET }, authId);
  const { gates, where } = await runWithCrash(world, at, how);
  await heal(world);
  // Whose post died does not know: it posts again.
  if (world.head?.auth) {
    await world.grant({ token: SECRET }, authId);
    await heal(world);
  }
  for (const actor of world.scheduler.actors) if (actor.status === 'frozen') actor.status = 'live';
  await heal(world);
  expect(world.head?.status.state, where).toBe('TASK_STATE_COMPLETED');
  expect(
    (await view(world)).artifacts?.map(({ parts }) => parts[0]?.data),
    where,
  ).toEqual([{ lines: 3 }]);
  expect(bank.got, where).toEqual([{ token: SECRET }]);
  expect(bank.tasks.size, where).toBe(1);
  expect(bank.tasks.get(bank.id)?.status.state, where).toBe('TASK_STATE_COMPLETED');
  expect(world.head?.delegates, where).toBeUndefined();
  checkTrace(world.commits);
  for (const { head } of world.commits) expect(JSON.stringify(head), where).not.toContain(SECRET);
  expect(world.store.dump(), where).not.toContain(SECRET);
  return { gates, where };
}

describe('a relayed authorisation', () => {
  it.each(['dies', 'freezes', 'fails'] as const)(
    'reaches the sub-agent once, whoever is at it %s, wherever that is (invariant 3)',
    { timeout: 120_000 },
    async (how) => {
      const { gates } = await play(0, how);
      expect(gates).toBeGreaterThan(12);
      for (let at = 1; at <= gates; at++) await play(at, how);
    },
  );

  it('that is canceled meanwhile ends both, and neither has the credential', async () => {
    const { world, bank, authId } = await required();
    await world.cancel(world.taskId as string);
    await world.scheduler.drain();
    await world.grant({ token: SECRET }, authId);
    await heal(world);
    expect(world.head?.status.state).toBe('TASK_STATE_CANCELED');
    expect(bank.tasks.get(bank.id)?.status.state).toBe('TASK_STATE_CANCELED');
    expect(bank.got).toEqual([]);
    expect(world.store.dump()).not.toContain(SECRET);
  });

  it('that expires above ends both', async () => {
    const { world, bank } = await required();
    world.scheduler.nowMs = world.head?.auth?.expiresAtMs ?? 0;
    await world.get(world.taskId as string);
    await heal(world);
    expect(world.head?.status.state).toBe('TASK_STATE_FAILED');
    expect(bank.tasks.get(bank.id)?.status.state).toBe('TASK_STATE_CANCELED');
  });
});
