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
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'defineAgent: the argument is an object with card and run'],
    ['no card and no code', {}, 'defineAgent: card is an object; run is a function'],
    [
      'an empty card',
      { card: {}, run },
      'defineAgent: card.name is a text; card.description is a text; card.version is a text; ' +
        'card.skills is a list of at least one skill',
    ],
    [
      'bad skills',
      { card: { ...card, skills: [card.skills[0], { ...card.skills[0], tags: 'x', name: '' }, 3] }, run },
      'defineAgent: card.skills[1].name is a text; card.skills[1].tags is a list of strings; ' +
        'card.skills[1].id is used twice; card.skills[2] is an object',
    ],
    [
      'a slip of the pen',
      { card, run, onMesage: 'queue' },
      'defineAgent: "onMesage" is not a setting (card, run, reply, onMessage, idempotency are)',
    ],
    [
      'wrong settings',
      { card, run, onMessage: 'drop', idempotency: true, reply: 'hi' },
      "defineAgent: reply is a function; onMessage is 'reject', 'queue' or a function; idempotency is 'on' or 'off'",
    ],
  ])('%s is one clear error', (_what, spec, text) => {
    expect(() => defineAgent(spec as AgentSpec)).toThrow(new TypeError(text));
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
