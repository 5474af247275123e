/** Steps (design 7): run at least once, recorded once, JSON only, errors the same on every replay. */
import { describe, expect, it } from 'vitest';
import { StepError } from '../../agent/errors.ts';
import type { StepOptions } from '../../agent/step.ts';
import type { Turn } from '../../agent/turn.ts';
import { AgentFault } from '../../core/errors.ts';
import { FakeTask, settled } from './fake-host.ts';

/** Runs the code up to a question, answers it and runs it again: what it saw the first time and on replay. */
async function twice<T>(see: (turn: Turn) => Promise<T>): Promise<{ task: FakeTask; seen: T[] }> {
  const task = new FakeTask();
  const seen: T[] = [];
  const code = async (turn: Turn) => {
    seen.push(await see(turn));
    await turn.ask('go-on', { text: 'Go on?' });
  };
  expect(await task.turn(code)).toMatchObject({ left: 'asked' });
  task.answer({ text: 'yes' });
  expect(await task.turn(code)).toEqual({ left: 'returned' });
  return { task, seen };
}

describe('a step', () => {
  it('is not run again once it is recorded', async () => {
    let runs = 0;
    const { task, seen } = await twice((turn) => turn.step('count', () => ({ runs: ++runs })));
    expect(seen).toEqual([{ runs: 1 }, { runs: 1 }]);
    expect(runs).toBe(1);
    expect(task.recorded).toEqual(['step 1 count']);
  });

  it('gives the parsed copy in the first run too', async () => {
    const original = { list: [1] };
    const { seen } = await twice(async (turn) => {
      const result = await turn.step('copy', () => original);
      return result === original || result.list === original.list;
    });
    expect(seen).toEqual([false, false]);
  });

  it('may give nothing, and nothing is not null', async () => {
    const { seen } = await twice(async (turn) => [
      await turn.step('nothing', () => undefined),
      await turn.step('null', () => null),
    ]);
    expect(seen).toEqual([
      [undefined, null],
      [undefined, null],
    ]);
  });

  it('is told a key that is stable over tries and runs and differs between calls, the signal and the try', async () => {
    const keys: string[] = [];
    const attempts: number[] = [];
    const task = new FakeTask();
    const code = async (turn: Turn) => {
      await turn.step('same', ({ idempotencyKey, attempt, signal }) => {
        expect(signal.aborted).toBe(false);
        keys.push(idempotencyKey);
        attempts.push(attempt);
        if (attempt < 3) throw new Error('not yet');
      });
      await turn.step('same', ({ idempotencyKey }) => void keys.push(idempotencyKey));
    };
    await task.turn(code, { write: 1, reached: false });
    await task.turn(code);
    expect(keys).toEqual(['task-1-1', 'task-1-1', 'task-1-1', 'task-1-1', 'task-1-1', 'task-1-1', 'task-1-2']);
    expect(attempts).toEqual([1, 2, 3, 1, 2, 3]);
  });

  it('takes what another worker recorded first', async () => {
    const task = new FakeTask();
    task.beforeRecord = (call) => {
      task.records.set(call, { kind: 'step', name: 'who', result: { ok: 'the other' } });
    };
    let seen: string | undefined;
    await task.turn(async (turn) => {
      seen = await turn.step('who', () => 'this one');
    });
    expect(seen).toBe('the other');
  });
});

describe('an error of a step', () => {
  it('is tried again in place, 3 times in all, with growing delay', async () => {
    const task = new FakeTask();
    let runs = 0;
    await task.turn(async (turn) => {
      await turn.step('flaky', () => {
        if (++runs < 3) throw new Error('busy');
      });
    });
    expect(runs).toBe(3);
    expect(task.slept).toEqual([200, 400]);
    expect(task.recorded).toEqual(['step 1 flaky']);
  });

  it('is recorded then, and thrown as the same StepError on every replay', async () => {
    let runs = 0;
    const { seen, task } = await twice(async (turn) => {
      try {
        return await turn.step('broken', () => {
          runs++;
          throw new RangeError('out of seats');
        });
      } catch (error) {
        const { name, step, errorName, message, cause } = error as StepError;
        return { isStepError: error instanceof StepError, name, step, errorName, message, cause };
      }
    });
    const expected = {
      isStepError: true,
      name: 'StepError',
      step: 'broken',
      errorName: 'RangeError',
      message: 'out of seats',
      cause: undefined,
    };
    expect(seen).toEqual([expected, expected]);
    expect(runs).toBe(3);
    expect(task.recorded).toEqual(['step 1 broken']);
  });

  it.each([
    ['a text', 'plain', { name: 'Error', message: 'plain' }],
    ['nothing', undefined, { name: 'Error', message: 'undefined' }],
  ])('may be %s', async (_what, thrown, error) => {
    const task = new FakeTask();
    await task.turn(async (turn) => {
      await turn.step('odd', () => Promise.reject(thrown), { tries: 1 });
    });
    expect(task.records.get(1)).toEqual({ kind: 'step', name: 'odd', result: { error } });
  });

  it('that is an AgentFault is neither tried again nor recorded, and cannot be caught', async () => {
    const task = new FakeTask();
    let runs = 0;
    let caught = false;
    const fault = new AgentFault('BAD_CALL', 'never right');
    const left = await task.turn(async (turn) => {
      await turn
        .step('fault', () => {
          runs++;
          throw fault;
        })
        .catch(() => {
          caught = true;
        });
    });
    expect(left).toEqual({ left: 'threw', error: fault });
    expect({ runs, caught, recorded: task.recorded }).toEqual({ runs: 1, caught: false, recorded: [] });
  });

  it('that nobody catches is a fault, because the record would only throw it again', async () => {
    const task = new FakeTask();
    const left = await task.turn(async (turn) => {
      await turn.step('file', () => Promise.reject(new TypeError('no ledger')));
    });
    expect(left).toMatchObject({
      left: 'threw',
      error: { name: 'AgentFault', reason: 'STEP_FAILED', message: 'step "file" failed: TypeError: no ledger' },
    });
  });

  it('is not recorded when the turn was over already: it may have failed because of that', async () => {
    const task = new FakeTask();
    let first = true;
    const code = async (turn: Turn) => {
      await turn.step(
        'call',
        async ({ signal }) => {
          if (!first) return;
          first = false;
          task.abort.abort();
          signal.throwIfAborted();
        },
        { tries: 1 },
      );
    };
    let left: unknown = 'still running';
    void task.turn(code).then((result) => {
      left = result;
    });
    await settled();
    expect(left).toBe('still running');
    expect(task.recorded).toEqual([]);
    expect(await task.turn(code)).toEqual({ left: 'returned' });
  });

  it.each([
    [{ tries: 0 }, 'step "s": tries is an integer from 1 to 10'],
    [{ tries: 2.5 }, 'step "s": tries is an integer from 1 to 10'],
    [{ attempts: 5 }, 'step "s": "attempts" is not an option'],
    [null, 'step "s": its options are an object: { tries, retryDelayMs }'],
    [{ retryDelayMs: Number.NaN }, 'step "s": retryDelayMs is a number of milliseconds'],
  ])('with options %j is refused', async (options, message) => {
    const left = await new FakeTask().turn(async (turn) => {
      await turn.step('s', () => 1, options as StepOptions);
    });
    expect(left).toMatchObject({ left: 'threw', error: { reason: 'BAD_CALL', message } });
  });
});

describe('a result that JSON would change is an error that names the path', () => {
  class Money {
    readonly amount = 1;
  }
  const loop: Record<string, unknown> = {};
  loop.self = { loop };
  let deep: unknown = 1;
  for (let level = 0; level < 101; level++) deep = [deep];
  const cases: [what: string, value: unknown, text: string][] = [
    ['a Date', { items: [{}, {}, { when: new Date(0) }] }, '$.items[2].when is a Date, not a plain object'],
    ['a Map', { byName: new Map() }, '$.byName is a Map, not a plain object'],
    ['a Set', new Set(), '$ is a Set, not a plain object'],
    ['a class', [new Money()], '$[0] is a Money, not a plain object'],
    ['a typed array', { bytes: new Uint8Array(1) }, '$.bytes is a Uint8Array, not a plain object'],
    ['a boxed number', Object(5), '$ is a Number, not a plain object'],
    ['NaN', { n: Number.NaN }, '$.n is NaN'],
    ['Infinity', [[-Infinity]], '$[0][0] is -Infinity'],
    ['undefined inside', { a: { b: undefined } }, '$.a.b is undefined'],
    ['a hole', new Array(2), '$[0] is undefined'],
    ['a bigint', { n: 1n }, '$.n is a bigint'],
    ['a function', { run: () => 1 }, '$.run is a function'],
    ['a symbol', [Symbol('s')], '$[0] is a symbol'],
    ['a symbol key', { [Symbol('s')]: 1 }, '$ is an object with the key Symbol(s)'],
    ['a cycle', loop, '$.self.loop is a reference to what holds it'],
    ['toJSON', { toJSON: () => 1 }, '$ is an object with toJSON'],
    ['properties of an array', 'ab'.match(/a/), '$ is an array with the property index'],
    ['an odd name', { 'a b': Number.NaN }, '$["a b"] is NaN'],
    ['too deep', deep, `$${'[0]'.repeat(100)} is nested deeper than 100 levels`],
    ['the mark for nothing', { $askback: 'undefined' }, 'looks like the mark for no result'],
  ];

  it.each(cases)('%s', async (_what, value, text) => {
    const task = new FakeTask();
    let runs = 0;
    const left = await task.turn(async (turn) => {
      await turn.step('odd', () => {
        runs++;
        return value;
      });
    });
    expect(left).toMatchObject({ left: 'threw', error: { name: 'AgentFault', reason: 'NOT_JSON' } });
    const { message } = (left as { error: Error }).error;
    expect(message.endsWith(text), message).toBe(true);
    expect(message).toContain('the result of step "odd"');
    expect({ runs, recorded: task.recorded }).toEqual({ runs: 1, recorded: [] });
  });

  const twin = { a: 1 };
  it.each([
    ['falsy values', [false, 0, '', null, []], [false, 0, '', null, []]],
    ['negative zero', { n: -0 }, { n: 0 }],
    ['the same object twice', [twin, twin], [{ a: 1 }, { a: 1 }]],
    ['an object without prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ['a property called __proto__', JSON.parse('{"__proto__":{"x":1}}'), JSON.parse('{"__proto__":{"x":1}}')],
  ])('but not %s', async (_what, value, expected) => {
    let seen: unknown;
    const left = await new FakeTask().turn(async (turn) => {
      seen = await turn.step('fine', () => value as unknown);
    });
    expect(left).toEqual({ left: 'returned' });
    expect(seen).toStrictEqual(expected);
  });

  it('and one that is too large is an error that names the sizes', async () => {
    const left = await new FakeTask().turn(async (turn) => {
      await turn.step('large', () => 'x'.repeat(1_024_000));
    });
    expect(left).toMatchObject({
      error: {
        reason: 'LIMIT_EXCEEDED',
        message: 'the result of step "large" has 1024002 bytes, at most 1024000 are allowed',
      },
    });
  });
});
