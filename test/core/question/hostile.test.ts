import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../core/json.ts';
import type { Message, Part } from '../../../core/message.ts';
import { interpretAnswer } from '../../../core/question/interpret-answer.ts';
import { OutOfTime, withinTime } from '../../../core/question/time-limit.ts';
import type { OpenedQuestion } from '../../../core/question/types.ts';
import { validateValue } from '../../../core/question/validate.ts';
import { answer, asking, costCentre, interpret, message, outcomeOf, QUESTION_ID } from './asking.ts';

/** Processor time: what other processes do meanwhile is not counted. */
function timed<T>(run: () => T): { readonly result: T; readonly ms: number } {
  const started = process.cpuUsage();
  const result = run();
  const { user, system } = process.cpuUsage(started);
  return { result, ms: (user + system) / 1_000 };
}

/** Interrupted at 250 ms; the rest is for what surrounds the check, and for the collector's threads. */
const INTERRUPTED_MS = 600;

describe('whatever the schema, a check ends in time (R73)', () => {
  const outOfTime = [{ pointer: '', message: 'could not be checked in time; expected something simpler' }];

  it('a pattern that blows up', () => {
    const { result, ms } = timed(() => validateValue({ pattern: '^(a+)+$' }, `${'a'.repeat(32)}!`));
    expect(result).toEqual(outOfTime);
    expect(ms).toBeLessThan(INTERRUPTED_MS);
  });

  it('20,000 objects to be told apart', () => {
    const items = Array.from({ length: 20_000 }, (_, n) => ({ n }));
    const { result, ms } = timed(() => validateValue({ uniqueItems: true }, items));
    expect(result).toEqual(outOfTime);
    expect(ms).toBeLessThan(INTERRUPTED_MS);
  });

  it('alternatives within alternatives, as large as the limits allow', () => {
    let schema: JsonObject = { pattern: '^a*a*a*a*a*a*b$' };
    for (let n = 0; n < 7; n++) schema = { anyOf: [schema, schema] };
    const { ms } = timed(() => validateValue(schema, 'a'.repeat(200)));
    expect(ms).toBeLessThan(INTERRUPTED_MS);
  });

  it('a pattern in polynomial time that is accepted at ask time and takes too long for one answer', () => {
    const spec = { schema: { type: 'string', pattern: '^.*a.*b.*c.*d$' } };
    const { result, ms } = timed(() => interpret(spec, answer({ value: 'abc'.repeat(20_000) })));
    expect(outcomeOf(result)).toEqual({ invalid: outOfTime });
    expect(result).not.toHaveProperty('prefill');
    expect(ms).toBeLessThan(INTERRUPTED_MS);
    expect(outcomeOf(interpret(spec, answer({ value: 'a b c d' })))).toBe('a b c d');
  });

  it('leaves the validator as it was', () => {
    const schema = { pattern: '^(a+)+$' };
    expect(validateValue(schema, `${'a'.repeat(40)}!`)).toEqual(outOfTime);
    expect(validateValue(schema, 'aaa')).toEqual([]);
  });
});

describe('withinTime', () => {
  it('hands on what the function returns or throws', () => {
    expect(withinTime(() => 5)).toBe(5);
    expect(withinTime(() => undefined)).toBeUndefined();
    expect(() =>
      withinTime(() => {
        throw new RangeError('mine');
      }),
    ).toThrow(new RangeError('mine'));
  });

  it('interrupts what does not end', () => {
    let runs = 0;
    const endless = (): never => {
      runs++;
      for (;;);
    };
    const { ms } = timed(() => expect(() => withinTime(endless, 50)).toThrow(OutOfTime));
    expect(ms).toBeLessThan(200);
    expect(runs).toBeGreaterThan(0);
  });

  it('does not count the time in which the process waits: a stalled machine is no hostile answer', () => {
    const lock = new Int32Array(new SharedArrayBuffer(4));
    let runs = 0;
    const stalledTwice = (): string => {
      runs++;
      if (runs <= 2) Atomics.wait(lock, 0, 0, 120);
      return 'done';
    };
    expect(withinTime(stalledTwice, 50)).toBe('done');
    // On a busy machine a run that does not wait may be interrupted as well.
    expect(runs).toBeGreaterThanOrEqual(3);
  });
});

describe('hostile answers', () => {
  it('5,000 levels deep, as data and as text (R73)', () => {
    const json = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
    const schema: JsonObject = { type: 'object' };
    const deep = [{ pointer: `${'/a'.repeat(16)}`, message: 'expected at most 16 levels of lists and objects' }];
    for (const part of [{ data: JSON.parse(json) as Json }, { text: json }]) {
      const { result, ms } = timed(() => interpret({ schema }, part));
      expect(outcomeOf(result)).toEqual({ invalid: deep });
      expect(ms).toBeLessThan(INTERRUPTED_MS);
    }
  });

  it('5 MB', () => {
    const data = { a: Array.from({ length: 1_000 }, () => 'x'.repeat(5_000)) };
    const { result, ms } = timed(() => interpret({ schema: { type: 'object' } }, { data }));
    expect(outcomeOf(result)).toEqual({ invalid: [{ pointer: '', message: 'expected at most 65536 bytes of JSON' }] });
    expect(ms).toBeLessThan(INTERRUPTED_MS);
  });

  it('1,000 items that are each wrong in several ways', () => {
    const branch: JsonObject = { anyOf: [{ type: 'object', required: ['a', 'b'] }, { minLength: 3 }, { const: 1 }] };
    const { result, ms } = timed(() =>
      interpret(
        { schema: { type: 'array', items: branch } },
        answer({ value: Array.from({ length: 1_000 }, () => 'x') }),
      ),
    );
    expect(result).toMatchObject({ kind: 'invalid' });
    expect((result as { errors?: unknown }).errors).toHaveLength(20);
    expect(ms).toBeLessThan(INTERRUPTED_MS);
  });

  const questions: readonly OpenedQuestion[] = [
    asking(costCentre),
    asking({}),
    asking({ schema: { type: 'array', items: { type: 'object', additionalProperties: { type: 'integer' } } } }),
    asking({ schema: { type: ['string', 'null', 'boolean'] }, options: [true, null, 'x'] }),
    asking({ schema: { type: 'object', properties: { constructor: { type: 'number' }, pin: { writeOnly: true } } } }),
    asking({ ...costCentre, parsesText: true }),
  ];
  const names = fc.oneof(
    fc.constantFrom('questionId', 'decline', 'reason', 'value', 'costCentre', '__proto__', 'constructor', 'pin', ''),
    fc.string({ unit: 'binary' }),
  );
  const json = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<Json>(QUESTION_ID, 'CC-4410', '\ud800', null, false, 0, -0, '', 1e308),
      fc.string({ unit: 'binary' }),
      fc.double(),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.array(fc.tuple(names, tie('value')), { maxLength: 4 }).map((entries): Json => Object.fromEntries(entries)),
    ),
  })).value;
  const part = fc.oneof(
    json.map((data): Part => ({ data })),
    json.map((value): Part => ({ text: JSON.stringify(value) })),
    fc.string({ unit: 'binary' }).map((text): Part => ({ text })),
    json.map((value) => value as unknown as Part),
  );

  it('any JSON is interpreted, within 500 ms and without a throw', () => {
    fc.assert(
      fc.property(fc.constantFrom(...questions), fc.array(part, { maxLength: 4 }), (asked, parts) => {
        const sent: Message = message(...parts);
        const before = JSON.stringify(sent);
        const { result, ms } = timed(() => interpretAnswer(asked.ask, asked.message, sent));
        expect(['answer', 'text', 'decline', 'invalid', 'other-question']).toContain(result.kind);
        expect(ms).toBeLessThan(500);
        expect(JSON.stringify(sent)).toBe(before);
      }),
      { numRuns: 500 },
    );
  });

  it('a value is never changed on its way: what is accepted is what was sent', () => {
    fc.assert(
      fc.property(json, (value) => {
        const meaning = interpret({ schema: {} }, { data: { questionId: QUESTION_ID, value } });
        if (meaning.kind === 'answer') expect(meaning.value).toBe(value);
      }),
      { numRuns: 300 },
    );
  });

  const TYPES = { string: 'string', boolean: 'boolean', number: 'number' } as const;
  it.each(Object.entries(TYPES))('nothing is coerced to %s', (type, javascriptType) => {
    fc.assert(
      fc.property(json, (value) => {
        const accepted =
          interpret({ schema: { type } }, { data: { questionId: QUESTION_ID, value } }).kind === 'answer';
        if (accepted) expect(typeof value).toBe(javascriptType);
      }),
      { numRuns: 300 },
    );
  });

  it('a prefill holds only properties that are right in themselves', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: {
        a: { type: 'string' },
        b: { type: 'integer' },
        c: { type: 'boolean', writeOnly: true },
        d: { enum: [1, 2] },
      },
      required: ['a', 'b', 'c', 'd', 'missing'],
    };
    const asked = asking({ schema, options: { d: [1] } });
    const value = fc.constantFrom<Json>('x', 1, 2, true, null, 1.5, []);
    fc.assert(
      fc.property(fc.record({ a: value, b: value, c: value, d: value, e: value }, { requiredKeys: [] }), (given) => {
        const meaning = interpretAnswer(asked.ask, asked.message, message(answer(given as JsonObject)));
        const prefill = (meaning.kind === 'invalid' && meaning.prefill) || {};
        const right = {
          ...(given.a === 'x' ? { a: 'x' } : {}),
          ...(given.b === 1 || given.b === 2 ? { b: given.b } : {}),
          ...(given.d === 1 ? { d: 1 } : {}),
        };
        expect(prefill).toEqual(right);
      }),
    );
  });
});
