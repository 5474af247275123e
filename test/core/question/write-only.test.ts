import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../core/json.ts';
import type { Message, Part } from '../../../core/message.ts';
import { interpretAnswer } from '../../../core/question/interpret-answer.ts';
import type { Redacted } from '../../../core/question/types.ts';
import { answer, asking, interpret, message } from './asking.ts';

const login: JsonObject = {
  type: 'object',
  properties: {
    user: { type: 'string', minLength: 2 },
    password: { type: 'string', minLength: 8, writeOnly: true },
    keys: { type: 'object', writeOnly: true, additionalProperties: { type: 'string' } },
  },
  required: ['user', 'password'],
  additionalProperties: false,
};
const ONLY_ID: Json = { questionId: 'q-abcdefghijklmnop-1' };

function kept(meaning: { readonly redacted: Redacted }): readonly Part[] {
  return meaning.redacted.message.parts;
}

describe('writeOnly properties reach the agent and nothing else (section 6)', () => {
  it('are taken out of an accepted answer and handed over apart', () => {
    const meaning = interpret({ schema: login }, answer({ user: 'ana', password: 'hunter2-hunter2' }));
    expect(meaning).toEqual({
      kind: 'answer',
      value: { user: 'ana', password: 'hunter2-hunter2' },
      redacted: {
        message: message({
          data: { questionId: 'q-abcdefghijklmnop-1', user: 'ana' },
          mediaType: 'application/json',
        }),
        secret: { password: 'hunter2-hunter2' },
        hidden: ['password', 'keys'],
      },
    });
  });

  it('are not in errors, prefill or the recorded message of a refused answer', () => {
    const sent = answer({ user: 'ana', password: 'SECRET', keys: { SECRET: 1 } });
    const meaning = interpret({ schema: login }, sent);
    expect(meaning).toEqual({
      kind: 'invalid',
      errors: [
        { pointer: '/password', message: 'expected at least 8 characters' },
        { pointer: '/keys', message: 'expected a string' },
      ],
      prefill: { user: 'ana' },
      redacted: {
        message: message({ data: { questionId: 'q-abcdefghijklmnop-1', user: 'ana' }, mediaType: 'application/json' }),
        hidden: ['password', 'keys'],
      },
    });
  });

  it('nor under a wrong name, in a text, in a file or in metadata', () => {
    const opened = asking({ schema: login });
    const sent: Message = {
      ...message({ text: 'it is SECRET' }, answer({ user: 'ana', pasword: 'SECRET', SECRET: 1 }), { raw: 'SECRET' }),
      metadata: { note: 'SECRET' },
      extensions: ['https://askback.dev/a2a/extensions/question/v1', 'https://example.com/SECRET'],
    };
    const meaning = interpretAnswer(opened.ask, opened.message, sent);
    expect(JSON.stringify(meaning)).not.toContain('SECRET');
    expect(meaning).toMatchObject({
      kind: 'invalid',
      errors: [
        { pointer: '/password', message: 'required' },
        { pointer: '', message: 'a property that is not in the schema: unknown property' },
      ],
      redacted: { message: { extensions: ['https://askback.dev/a2a/extensions/question/v1'] } },
    });
  });

  it('a text that cannot be read leaves only the question id', () => {
    const meaning = interpret({ schema: login }, { text: 'SECRET' });
    expect(meaning).toMatchObject({ kind: 'invalid' });
    expect(kept(meaning as { redacted: Redacted })).toEqual([{ data: ONLY_ID, mediaType: 'application/json' }]);
  });

  it('a text may be the secret itself', () => {
    const meaning = interpret({ schema: { type: 'string', writeOnly: true } }, { text: 'SECRET' });
    expect(meaning).toMatchObject({ kind: 'answer', value: 'SECRET' });
    expect((meaning as { redacted: Redacted }).redacted).toEqual({
      message: message({ data: ONLY_ID, mediaType: 'application/json' }),
      secret: { value: 'SECRET' },
      hidden: ['value'],
    });
  });

  it('an answer beyond the limits leaves only the question id', () => {
    const meaning = interpret({ schema: login }, answer({ user: 'u'.repeat(70_000), password: 'SECRET' }));
    expect(kept(meaning as { redacted: Redacted })).toEqual([{ data: ONLY_ID, mediaType: 'application/json' }]);
  });

  it('a decline keeps its reason and nothing else', () => {
    const meaning = interpret({ schema: login }, answer({ decline: { reason: 'never by chat', more: 'SECRET' } }), {
      text: 'SECRET',
    });
    expect(meaning).toEqual({
      kind: 'decline',
      reason: 'never by chat',
      redacted: {
        message: message({
          data: { questionId: 'q-abcdefghijklmnop-1', decline: { reason: 'never by chat' } },
          mediaType: 'application/json',
        }),
        hidden: ['password', 'keys'],
      },
    });
  });

  it('an optional secret that was not given is not handed over', () => {
    const schema: JsonObject = { type: 'object', properties: { pin: { type: 'string', writeOnly: true } } };
    const meaning = interpret({ schema }, answer({}));
    expect(meaning).toMatchObject({ kind: 'answer', value: {}, redacted: { hidden: ['pin'] } });
    expect((meaning as { redacted: Redacted }).redacted).not.toHaveProperty('secret');
  });

  it('a question without secrets records the message itself', () => {
    const sent = message({ text: 'x' }, { raw: 'AAAA' });
    const opened = asking({});
    expect((interpretAnswer(opened.ask, opened.message, sent) as { redacted: Redacted }).redacted).toEqual({
      message: sent,
    });
  });

  it('holds for any answer', () => {
    const marker = 'S3CR3T-V4LUE';
    const secretJson = fc.oneof(
      fc.constant<Json>(marker),
      fc.constant<Json>([marker]),
      fc.constant<Json>({ [marker]: marker }),
      fc.constant<Json>({ a: { b: [marker] } }),
    );
    const part = fc.oneof(
      fc
        .record({ user: fc.jsonValue(), password: secretJson, keys: secretJson }, { requiredKeys: [] })
        .map((data) => answer(data as JsonObject)),
      secretJson.map((value): Part => ({ text: JSON.stringify({ password: value }) })),
      secretJson.map((value): Part => ({ data: { other: value, user: 'ana' } })),
    );
    const opened = asking({ schema: login });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), (parts) => {
        const meaning = interpretAnswer(opened.ask, opened.message, message(...parts));
        if (meaning.kind === 'other-question' || meaning.kind === 'text') return;
        const { secret: _secret, ...shown } = meaning.redacted;
        expect(JSON.stringify({ ...meaning, value: null, redacted: shown })).not.toContain(marker);
      }),
    );
  });
});
