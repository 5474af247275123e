/** What an author wrote is checked once, with everything that is wrong in one message (design 7). */
import { describe, expect, it } from 'vitest';
import { type AgentSpec, defineAgent } from '../../agent/index.ts';
import type { Message } from '../../core/message.ts';

const card = {
  name: 'Expense agent',
  description: 'Files expenses.',
  version: '1.0.0',
  skills: [{ id: 'file', name: 'File', description: 'Files one.', tags: ['money'] }],
};
const run = async () => undefined;
const owner = { tenant: 't', principal: 'p' };
const message: Message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] };

describe('defineAgent', () => {
  it('takes its name from the card; messages are rejected and de-duplicated unless it says otherwise', () => {
    const agent = defineAgent({ card, run });
    expect(agent).toMatchObject({
      name: 'Expense agent',
      card,
      settings: { idempotency: 'on', onMessage: 'reject' },
    });
    expect([agent.reply, agent.onMessage]).toEqual([undefined, undefined]);
    expect(defineAgent({ card, run, onMessage: 'queue', idempotency: 'off' }).settings).toEqual({
      idempotency: 'off',
      onMessage: 'queue',
    });
    const streams = { inputRequired: 'stay-open', authRequired: 'close' } as const;
    expect(defineAgent({ card, run, streams }).settings).toMatchObject({ streams });
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'defineAgent: the argument must be an object with card and run'],
    ['no card and no code', {}, 'defineAgent: card must be an object; run must be a function'],
    [
      'an empty card',
      { card: {}, run },
      'defineAgent: card.name must be a text; card.description must be a text; card.version must be a text; ' +
        'card.skills must be a list of at least one skill',
    ],
    [
      'bad skills',
      { card: { ...card, skills: [card.skills[0], { ...card.skills[0], tags: 'x', name: '' }, 3] }, run },
      'defineAgent: card.skills[1].name must be a text; card.skills[1].tags must be a list of strings; ' +
        'card.skills[1].id is used twice; card.skills[2] must be an object',
    ],
    [
      'a name that no head can hold',
      { card: { ...card, name: 'x'.repeat(129) }, run },
      'defineAgent: card.name must have at most 128 characters',
    ],
    [
      'a slip of the pen',
      { card, run, onMesage: 'queue' },
      'defineAgent: "onMesage" is not a setting (card, extendedCard, agents, holds, run, reply, onMessage, idempotency, streams, protocolVersions are)',
    ],
    ...[true, { inputRequired: 'open' }, { inputRequired: 'close', completed: 'stay-open' }].map(
      (streams): [string, unknown, string] => [
        `streams: ${JSON.stringify(streams)}`,
        { card, run, streams },
        "defineAgent: streams must be { inputRequired, authRequired }, each 'close' or 'stay-open'",
      ],
    ),
    [
      'a card for known callers that would be none',
      { card, run, extendedCard: { skills: [], version: 2 } },
      'defineAgent: extendedCard.version must be a text; extendedCard.skills must be a list of at least one skill',
    ],
    [
      'an extended card of another kind',
      { card, run, extendedCard: 'x' },
      'defineAgent: extendedCard must be an object',
    ],
    [
      'bad extensions',
      { card: { ...card, extensions: [{ uri: 'x' }, { uri: 'urn:a:b', required: 'yes' }, null] }, run },
      'defineAgent: card.extensions[0].uri must be a URI; card.extensions[1].required must be true or false; ' +
        'card.extensions[2] must be an object',
    ],
    ['extensions in one', { card: { ...card, extensions: {} }, run }, 'defineAgent: card.extensions must be a list'],
    ...[[], ['0.2'], '1.0'].map((protocolVersions): [string, unknown, string] => [
      `protocolVersions: ${JSON.stringify(protocolVersions)}`,
      { card, run, protocolVersions },
      "defineAgent: protocolVersions must be a list of '1.0' and '0.3'",
    ]),
    [
      'wrong settings',
      { card, run, onMessage: 'drop', idempotency: true, reply: 'hi' },
      "defineAgent: reply must be a function; onMessage must be 'reject', 'queue' or a function; idempotency must be 'on' or 'off'",
    ],
  ])('%s is one clear error', (_what, spec, text) => {
    expect(() => defineAgent(spec as AgentSpec)).toThrow(new TypeError(text));
  });

  it('an extended card is the same for everybody, or decided for each caller', async () => {
    const extra = { description: 'More' };
    expect(await defineAgent({ card, run, extendedCard: extra }).extendedCard?.(owner)).toEqual(extra);
    const deciding = defineAgent({
      card,
      run,
      extendedCard: ({ principal }) => (principal === 'p' ? { description: 'For p' } : undefined),
    });
    expect(await deciding.extendedCard?.(owner)).toEqual({ description: 'For p' });
    expect(await deciding.extendedCard?.({ tenant: 't', principal: 'q' })).toBeUndefined();
    expect(defineAgent({ card, run }).extendedCard).toBeUndefined();
  });

  it('what the function of an extended card returns is checked when it is there', async () => {
    const wrong = defineAgent({ card, run, extendedCard: () => ({ version: '' }) });
    await expect(wrong.extendedCard?.(owner)).rejects.toThrow(
      'extendedCard returned a card that is none: extendedCard.version must be a text',
    );
  });

  it('says which versions of A2A are spoken, and nothing when all are', () => {
    expect(defineAgent({ card, run, protocolVersions: ['1.0'] }).settings).toMatchObject({ protocolVersions: ['1.0'] });
    expect(defineAgent({ card, run }).settings).not.toHaveProperty('protocolVersions');
  });

  it.each([
    ['text', 'hello', [{ text: 'hello' }]],
    ['parts', [{ data: 1 }], [{ data: 1 }]],
    ['nothing', undefined, undefined],
  ])('reply may give %s', async (_what, given, expected) => {
    const agent = defineAgent({ card, run, reply: () => given });
    expect(await agent.reply?.(message, owner)).toEqual(expected);
  });

  it('a reply or a policy that is none is an error', async () => {
    const agent = defineAgent({ card, run, reply: () => [], onMessage: () => 'drop' as 'queue' });
    await expect(agent.reply?.(message, owner)).rejects.toThrow('reply returns text, a list of parts, or nothing');
    await expect(agent.onMessage?.(message, owner)).rejects.toThrow("onMessage returns 'reject' or 'queue', not drop");
  });

  it('onMessage may decide for each message', async () => {
    const agent = defineAgent({
      card,
      run,
      onMessage: ({ parts }, { tenant }) => (tenant === 't' && parts[0]?.text === 'hi' ? 'queue' : 'reject'),
    });
    expect(await agent.onMessage?.(message, owner)).toBe('queue');
    expect(await agent.onMessage?.(message, { ...owner, tenant: 'u' })).toBe('reject');
  });
});
