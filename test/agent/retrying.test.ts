/** Trying again in place: how often, after how long, and when no more (design, sections 7 and 12). */
import { describe, expect, it } from 'vitest';
import { Replay } from '../../agent/replay.ts';
import { type Retries, retrying } from '../../agent/retrying.ts';
import type { TurnHost } from '../../core/turn-host.ts';

interface Played {
  readonly came: unknown;
  readonly attempts: readonly number[];
  readonly slept: readonly number[];
}

/** Fails with each error in turn, then gives `done`. `during` happens in a try or a sleep, by their common order from 1. */
async function play(
  errors: readonly Error[],
  retries: Partial<Retries> = {},
  during: (place: string, host: { over: boolean }, replay: Replay) => void = () => undefined,
): Promise<Played> {
  const attempts: number[] = [];
  const slept: number[] = [];
  const host = {
    over: false,
    sleep: async (ms: number) => {
      slept.push(ms);
      during(`sleep ${slept.length}`, host, replay);
    },
  };
  const replay = new Replay(host as unknown as TurnHost, () => undefined);
  const came = await retrying(
    replay,
    (attempt) => {
      attempts.push(attempt);
      during(`try ${attempt}`, host, replay);
      const error = errors[attempt - 1];
      if (error) throw error;
      return 'done';
    },
    { isFinal: () => false, ...retries },
  );
  return { came, attempts, slept };
}

const error = new Error('no');
const last = new RangeError('never');

describe('what fails', () => {
  it('is tried three times by default, after 200 ms and 400 ms', async () => {
    expect(await play([error, error, last])).toEqual({
      came: { error: last, isFinal: false },
      attempts: [1, 2, 3],
      slept: [200, 400],
    });
  });

  it('is tried as often and after as long as is said', async () => {
    expect(await play([error, error, error, error, error], { tries: 4, delayMs: 10 })).toEqual({
      came: { error, isFinal: false },
      attempts: [1, 2, 3, 4],
      slept: [10, 20, 40],
    });
  });

  it('gives its value as soon as it succeeds', async () => {
    expect(await play([error])).toEqual({ came: { value: 'done' }, attempts: [1, 2], slept: [200] });
  });

  it('is not tried again where that would change nothing, and that is told', async () => {
    const isFinal = (one: unknown) => one instanceof RangeError;
    expect(await play([error, last], { isFinal })).toEqual({
      came: { error: last, isFinal: true },
      attempts: [1, 2],
      slept: [200],
    });
  });
});

/** The turn is over from there on. */
function overAt(end: string) {
  return (place: string, host: { over: boolean }) => {
    if (place === end) host.over = true;
  };
}

describe('a turn that is over', () => {
  it('makes nothing of an error, final or last as it may be: it may have failed because of that', async () => {
    for (const retries of [{}, { tries: 1 }, { isFinal: () => true }]) {
      expect(await play([error], retries, overAt('try 1'))).toEqual({ came: 'gone', attempts: [1], slept: [] });
    }
  });

  it('is found out after the sleep, also where the code has ended the turn itself', async () => {
    const leaves = (place: string, _host: unknown, replay: Replay) => {
      if (place === 'sleep 1') void replay.leave(error);
    };
    for (const during of [overAt('sleep 1'), leaves]) {
      expect(await play([error], {}, during)).toEqual({ came: 'gone', attempts: [1], slept: [200] });
    }
  });

  it('keeps a value that came all the same', async () => {
    expect(await play([], {}, overAt('try 1'))).toMatchObject({ came: { value: 'done' } });
  });
});
