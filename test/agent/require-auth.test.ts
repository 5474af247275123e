/** `turn.requireAuth` over a hand-made host: what is recorded, what is replayed, what the author is told (section 12). */
import { describe, expect, it } from 'vitest';
import { DeclinedError, ExpiredError, type Json, StepError } from '../../agent/index.ts';
import type { Turn } from '../../agent/turn.ts';
import { FakeTask } from './fake-host.ts';

function code(use: (credential: Json, attempt: number) => unknown, seen: unknown[] = []) {
  return async (turn: Turn): Promise<void> => {
    try {
      const got = await turn.requireAuth('calendar', {
        text: 'Sign in.',
        request: { scopes: ['write'] },
        expiresIn: { hours: 2 },
        onExpire: 'resume',
        use: (credential, { attempt }) => use(credential, attempt),
      });
      seen.push(got);
    } catch (error) {
      seen.push(error);
    }
    await turn.step('after', () => 'done');
  };
}

describe('requireAuth', () => {
  it('ends the turn with what is needed; nothing of the author runs after it', async () => {
    const task = new FakeTask();
    const seen: unknown[] = [];
    expect(await task.turn(code(() => 'used', seen))).toEqual({
      left: 'required',
      call: 1,
      spec: {
        name: 'calendar',
        text: 'Sign in.',
        request: { scopes: ['write'] },
        expiresInMs: 7_200_000,
        onExpire: 'resume',
      },
    });
    expect(seen).toEqual([]);
    expect(task.recorded).toEqual([]);
  });

  it('hands the credential over once and replays what was made of it', async () => {
    const task = new FakeTask();
    const uses: Json[] = [];
    const agent = (seen: unknown[]) =>
      code((credential) => {
        uses.push(credential);
        return { event: 'E-1' };
      }, seen);
    await task.turn(agent([]));
    task.grant({ token: 't' });
    const first: unknown[] = [];
    expect((await task.turn(agent(first))).left).toBe('returned');
    const again: unknown[] = [];
    expect((await task.turn(agent(again))).left).toBe('returned');
    expect([first, again]).toEqual([[{ event: 'E-1' }], [{ event: 'E-1' }]]);
    expect(uses).toEqual([{ token: 't' }]);
    expect(task.recorded).toEqual(['auth 1 calendar', 'step 2 after']);
  });

  it('uses it again when the worker dies before the use was recorded', async () => {
    const task = new FakeTask();
    let uses = 0;
    const agent = code(() => ++uses);
    await task.turn(agent);
    task.grant('t');
    expect(await task.turn(agent, { write: 1, reached: false })).toEqual({ left: 'crashed' });
    await task.turn(agent);
    await task.turn(agent);
    expect(uses).toBe(2);
  });

  it('tries three times, then throws a StepError, the same on every replay', async () => {
    const task = new FakeTask();
    const attempts: number[] = [];
    const agent = (seen: unknown[]) =>
      code((_credential, attempt) => {
        attempts.push(attempt);
        throw new RangeError('closed');
      }, seen);
    await task.turn(agent([]));
    task.grant('t');
    const seen: unknown[] = [];
    await task.turn(agent(seen));
    await task.turn(agent(seen));
    expect(attempts).toEqual([1, 2, 3]);
    expect(seen).toEqual([expect.any(StepError), expect.any(StepError)]);
    expect(seen[1]).toMatchObject({ step: 'calendar', errorName: 'RangeError', message: 'closed' });
  });

  it.each<[string, Json, unknown, string, string]>([
    [
      'an error that quotes it',
      { access_token: 'tok-4711', expires_in: 3_600 },
      new TypeError('"Bearer tok-4711\n" is no header value (tok-4711, 3600)'),
      'TypeError',
      '"Bearer [credential]\n" is no header value ([credential], [credential])',
    ],
    ['a text that is thrown', ['tok-4711-long', 'tok-4711'], 'no: tok-4711-long', 'Error', 'no: [credential]'],
    ['an error that does not', 'tok-4711', new RangeError('too much'), 'RangeError', 'too much'],
    ['words that are no secret', { kind: 'a' }, new Error('a bad day'), 'Error', 'a bad day'],
  ])('keeps the credential out of what is recorded of %s', async (_what, credential, thrown, errorName, message) => {
    const task = new FakeTask();
    const seen: unknown[] = [];
    const agent = code(() => {
      throw thrown;
    }, seen);
    await task.turn(agent);
    task.grant(credential);
    expect(await task.turn(agent)).toEqual({ left: 'returned' });
    expect(seen[0]).toMatchObject({ name: 'StepError', errorName, message });
    expect(JSON.stringify([...task.records])).not.toContain('tok-4711');
  });

  it('tells declined and expired apart (R50)', async () => {
    const declined = new FakeTask();
    const expired = new FakeTask();
    const seen: unknown[] = [];
    const agent = code(() => 'never', seen);
    for (const task of [declined, expired]) await task.turn(agent);
    declined.declineAuth('not mine');
    expired.expireAuth();
    for (const task of [declined, expired]) await task.turn(agent);
    expect(seen).toEqual([expect.any(DeclinedError), expect.any(ExpiredError)]);
    expect(seen).toMatchObject([
      { message: 'the authorisation "calendar" was declined: not mine', reason: 'not mine' },
      { message: 'the authorisation "calendar" expired without a credential' },
    ]);
  });

  it.each<[string, object, string]>([
    ['no use', { text: 'x' }, 'requireAuth "a": use is the function that gets the credential'],
    ['a slip of the pen', { text: 'x', uses: () => 1 }, 'requireAuth "a": "uses" is not an option'],
    [
      'a wrong rule',
      { text: 'x', use: () => 1, onExpire: 'wait' },
      'requireAuth "a": onExpire is "fail", "cancel" or "resume"',
    ],
    [
      'a request that is no JSON',
      { text: 'x', use: () => 1, request: new Date() },
      'not JSON: the request of requireAuth "a": $ is a Date',
    ],
    [
      'a length of time that is none',
      { text: 'x', use: () => 1, expiresIn: { hours: -1 } },
      'requireAuth "a": expiresIn: hours is not',
    ],
  ])('is the author’s fault with %s', async (_what, options, text) => {
    const task = new FakeTask();
    const left = await task.turn(async (turn) => void (await turn.requireAuth('a', options as never)));
    expect(left).toMatchObject({ left: 'threw', error: { message: expect.stringContaining(text) } });
  });

  it('cannot be called inside a step', async () => {
    const task = new FakeTask();
    const left = await task.turn(async (turn) => {
      await turn.step('outer', () => turn.requireAuth('a', { text: 'x', use: () => 1 }));
    });
    expect(left).toMatchObject({ left: 'threw', error: { reason: 'BAD_CALL' } });
  });
});
