/** The rest of what a turn offers: progress, inbox, now and random, the ends of a task (design 7). */
import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent/define-agent.ts';
import type { Turn } from '../../agent/turn.ts';
import type { Message } from '../../core/message.ts';
import { PLAIN_CARD } from '../support/plain-card.ts';
import { FakeTask, settled } from './fake-host.ts';

const said = (messageId: string): Message => ({ messageId, role: 'ROLE_USER', parts: [{ text: messageId }] });

describe('what the turn is about', () => {
  it('is at hand, the text of the request in one piece', async () => {
    const task = new FakeTask();
    task.request = {
      messageId: 'm-1',
      role: 'ROLE_USER',
      parts: [{ text: 'File this' }, { raw: 'aGk=' }, { text: 'please' }],
    };
    let seen: unknown;
    await task.turn(async ({ taskId, contextId, owner, text, request, signal }) => {
      seen = { taskId, contextId, owner, text, same: request === task.request, aborted: signal.aborted };
    });
    expect(seen).toEqual({
      taskId: 'task-1',
      contextId: 'ctx-1',
      owner: { tenant: 't', principal: 'p' },
      text: 'File this\nplease',
      same: true,
      aborted: false,
    });
  });

  it('works when taken apart', async () => {
    const left = await new FakeTask().turn(async ({ ask, step }) => {
      await step('s', () => 1);
      await ask('q', { text: 'Q?' });
    });
    expect(left).toMatchObject({ left: 'asked', call: 2 });
  });

  it.each<[string, (turn: Turn) => Turn]>([
    ['a copy', (turn) => ({ ...turn })],
    ['a proxy', (turn) => new Proxy(turn, {})],
    ['an object that inherits from it', (turn) => Object.create(turn) as Turn],
  ])('works when wrapped in %s: methods, fields and signal', async (_what, wrapped) => {
    const seen: unknown[] = [];
    const left = await new FakeTask().turn(async (turn) => {
      const { step, taskId, signal, ask } = wrapped(turn);
      seen.push(taskId, signal === turn.signal, await step('s', () => 1));
      await ask('q', { text: 'Q?' });
    });
    expect(left).toMatchObject({ left: 'asked', call: 2 });
    expect(seen).toEqual(['task-1', true, 1]);
  });
});

describe('now and random', () => {
  it('are recorded: the same in every turn', async () => {
    const task = new FakeTask();
    const seen: unknown[] = [];
    const code = async (turn: Turn) => {
      seen.push([await turn.now(), await turn.random()]);
      await turn.ask('q', { text: 'Q?' });
      seen.push([await turn.now()]);
    };
    await task.turn(code);
    task.nowMs = 5_000;
    task.random = 0.75;
    task.answer({ text: 'x' });
    await task.turn(code);
    expect(seen).toEqual([[1_000, 0.25], [1_000, 0.25], [5_000]]);
    expect(task.recorded).toEqual(['now 1 now', 'random 2 random', 'now 4 now']);
  });
});

describe('progress', () => {
  it('is silent on replay, heard where the turn goes on, and no call', async () => {
    const task = new FakeTask();
    const code = (chatty: boolean) => async (turn: Turn) => {
      turn.progress('begin');
      await turn.step('s', () => turn.progress('working'));
      if (chatty) turn.progress('a new line changes no number');
      await turn.ask('q', { text: 'Q?' });
      turn.progress('end');
    };
    await task.turn(code(false));
    expect(task.progress).toEqual(['begin', 'working']);
    task.answer({ text: 'x' });
    expect(await task.turn(code(true))).toEqual({ left: 'returned' });
    expect(task.progress).toEqual(['begin', 'working', 'end']);
  });

  it('of a step that runs after all is heard, although a later call is recorded', async () => {
    const task = new FakeTask();
    task.records.set(2, { kind: 'step', name: 'b', result: { ok: 1 } });
    await task.turn(async (turn) => {
      await Promise.all([turn.step('a', () => turn.progress('a runs')), turn.step('b', () => turn.progress('no'))]);
    });
    expect(task.progress).toEqual(['a runs']);
  });
});

describe('inbox', () => {
  it('gives each message once, the same on replay', async () => {
    const task = new FakeTask();
    const seen: string[][] = [];
    const code = async (turn: Turn) => {
      seen.push((await turn.inbox()).map(({ messageId }) => messageId));
      await turn.ask('q', { text: 'Q?' });
      seen.push((await turn.inbox()).map(({ messageId }) => messageId));
    };
    task.unread = [said('a'), said('b')];
    await task.turn(code);
    task.answer({ text: 'x' });
    task.unread.push(said('c'));
    await task.turn(code);
    expect(seen).toEqual([['a', 'b'], ['a', 'b'], ['c']]);
    expect(task.recorded).toEqual(['inbox 1 inbox', 'inbox 3 inbox']);
  });

  it('a message that comes after the last empty read is found when the turn is run again', async () => {
    const task = new FakeTask();
    const seen: string[][] = [];
    const code = async (turn: Turn) => {
      await turn.step('work', () => 1);
      seen.push((await turn.inbox()).map(({ messageId }) => messageId));
    };
    expect(await task.turn(code)).toEqual({ left: 'returned' });
    expect(task.recorded).toEqual(['step 1 work']);
    task.unread = [said('late')];
    expect(await task.turn(code)).toEqual({ left: 'returned' });
    expect(seen).toEqual([[], ['late']]);
  });

  it.each<[string, (turn: Turn) => Promise<unknown>, string[]]>([
    ['a step', (turn) => turn.step('then', () => 1), ['inbox 1 inbox', 'step 2 then']],
    ['an artifact', (turn) => turn.artifact({ name: 'a', text: 'x' }), ['inbox 1 inbox', 'artifact 2 a']],
    ['an ask', (turn) => turn.ask('q', { text: 'Q?' }), ['inbox 1 inbox']],
  ])('an empty read is recorded before %s that may rest on it', async (_what, then, recorded) => {
    const task = new FakeTask();
    const seen: number[] = [];
    const code = async (turn: Turn) => {
      seen.push((await turn.inbox()).length);
      await then(turn);
    };
    await task.turn(code);
    expect(task.recorded).toEqual(recorded);
    if (task.open) task.answer({ text: 'x' });
    task.unread = [said('late')];
    await task.turn(code);
    expect(seen).toEqual([0, 0]);
  });

  it.each<[string, (turn: Turn, effect: () => number) => Promise<unknown>]>([
    ['a step', (turn, effect) => turn.step('then', effect)],
    ['a hold', (turn, effect) => turn.hold('seat', { for: { minutes: 5 }, acquire: effect })],
  ])(
    'an empty read is recorded before %s does anything outside: a later run must not do it under another key',
    async (_what, then) => {
      const task = new FakeTask();
      const before: string[][] = [];
      const agent = defineAgent({
        card: PLAIN_CARD,
        holds: { seat: { release: () => undefined } },
        run: async (turn) => {
          await turn.inbox();
          await then(turn, () => before.push([...task.recorded]));
        },
      });
      await task.turn(agent);
      expect(before).toEqual([['inbox 1 inbox']]);
    },
  );

  it('an empty read is recorded before a later read gives messages, which may be calls after it', async () => {
    const task = new FakeTask();
    const code = async (turn: Turn) => {
      await turn.inbox();
      task.unread = [said('late')];
      await turn.inbox();
    };
    await task.turn(code);
    expect(task.recorded).toEqual(['inbox 1 inbox', 'inbox 2 inbox']);
  });

  it('an empty read beside a step that rests on nothing of it is left unrecorded, and finds what comes later', async () => {
    const task = new FakeTask();
    const seen: number[] = [];
    const code = async (turn: Turn) => {
      const read = async () => seen.push((await turn.inbox()).length);
      await Promise.all([read(), turn.step('beside', settled)]);
    };
    expect(await task.turn(code)).toEqual({ left: 'returned' });
    expect(task.recorded).toEqual(['step 2 beside']);
    task.unread = [said('late')];
    expect(await task.turn(code)).toEqual({ left: 'returned' });
    expect(seen).toEqual([0, 1]);
  });

  it('no record of parallel steps overtakes the empty read before them', async () => {
    const task = new FakeTask();
    const code = async (turn: Turn) => {
      await turn.inbox();
      await Promise.all([turn.step('a', () => 1), turn.step('b', () => 1)]);
    };
    await task.turn(code, { write: 1, reached: false });
    await settled();
    expect(task.recorded).toEqual([]);
    await task.turn(code);
    expect(task.recorded).toEqual(['inbox 1 inbox', 'step 2 a', 'step 3 b']);
  });

  it('an empty read that another worker recorded with messages sends the turn back to the start', async () => {
    const task = new FakeTask();
    const code = async (turn: Turn) => {
      await turn.inbox();
      await turn.step('then', () => 1);
    };
    task.beforeRecord = (call) => {
      if (call === 1) task.records.set(1, { kind: 'inbox', name: 'inbox', result: { ok: [{ messageId: 'x' }] } });
    };
    expect(await task.turn(code)).toMatchObject({
      left: 'threw',
      error: { name: 'RetryableError', reason: 'CONFLICT' },
    });
    expect(task.recorded).toEqual([]);
  });
});

describe('fail and reject', () => {
  it('wait for the steps in flight, but not for the step they are called from', async () => {
    const task = new FakeTask();
    const left = await task.turn(async (turn) => {
      await Promise.all([
        turn.step('slow', () => settled()),
        turn.step('check', async () => {
          await turn.fail('no stock');
        }),
      ]);
    });
    expect(left).toEqual({ left: 'ended', state: 'TASK_STATE_FAILED', reason: 'no stock' });
    expect(task.recorded).toEqual(['step 1 slow']);
  });

  it('end the task although the code goes on without awaiting them', async () => {
    const task = new FakeTask();
    let ran = false;
    const left = await task.turn(async (turn) => {
      void turn.reject('not for you');
      await turn.step('after', () => {
        ran = true;
      });
    });
    expect(left).toEqual({ left: 'ended', state: 'TASK_STATE_REJECTED', reason: 'not for you' });
    expect(ran).toBe(false);
  });
});
