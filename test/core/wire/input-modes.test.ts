/** Media types of what a message brings, held against the card (A2A 1.0 section 3.1.1, ContentTypeNotSupportedError). */
import { describe, expect, it } from 'vitest';
import type { AgentCardSpec } from '../../../core/agent.ts';
import { fakeDeps, MESSAGE, rest, rpc, type Wired, wired } from './support.ts';

function taking(card: Partial<AgentCardSpec>, streaming = false): Wired {
  const wire = wired({}, undefined, { streaming });
  const deps = fakeDeps();
  const agent = { ...deps.agent, card: { ...deps.agent.card, ...card } };
  return { ...wire, context: { ...wire.context, deps: { ...deps, agent } } };
}

const skill = { id: 's', name: 'S', description: 'S', tags: [] };
const withFile = (mediaType: string | undefined) => ({
  message: { ...MESSAGE, parts: [{ raw: 'aGVsbG8=', ...(mediaType === undefined ? {} : { mediaType }) }] },
});

describe('files', () => {
  it.each<[string, Partial<AgentCardSpec>, string | undefined, boolean]>([
    ['no modes declared: the default ones', {}, 'application/json', true],
    ['no modes declared: others', {}, 'image/png', false],
    ['a default mode', { defaultInputModes: ['image/png'] }, 'image/png', true],
    ['in other case and with parameters', { defaultInputModes: ['Image/PNG'] }, 'image/png; a=b', true],
    [
      "a skill's mode",
      { defaultInputModes: ['text/plain'], skills: [{ ...skill, inputModes: ['image/png'] }] },
      'image/png',
      true,
    ],
    ['a family', { defaultInputModes: ['image/*'] }, 'image/webp', true],
    ['another family', { defaultInputModes: ['image/*'] }, 'imagery/webp', false],
    ['everything', { defaultInputModes: ['*/*'] }, 'application/x-strange', true],
    ['no media type stated', { defaultInputModes: ['text/plain'] }, undefined, true],
  ])('%s', async (_title, card, mediaType, accepted) => {
    const wire = taking(card);
    const { json } = await rpc(wire, 'SendMessage', withFile(mediaType));
    if (accepted) expect(json).toHaveProperty('result');
    else expect(json).toMatchObject({ error: { code: -32005, data: [{ reason: 'CONTENT_TYPE_NOT_SUPPORTED' }] } });
    expect(wire.calls).toHaveLength(accepted ? 1 : 0);
  });

  it('the refusal says what is taken, on every way in', async () => {
    const card = { defaultInputModes: ['text/plain', 'image/*'] };
    const message = 'Files of the media type "video/mp4" are not supported; the agent takes text/plain, image/*';
    const refused = await rest(taking(card), 'POST', '/message:send', withFile('video/mp4'));
    expect(refused).toMatchObject({ status: 400, json: { error: { status: 'INVALID_ARGUMENT', message } } });
    const streamed = await rest(taking(card, true), 'POST', '/message:stream', withFile('video/mp4'));
    expect(streamed).toMatchObject({ status: 400, json: { error: { message } } });
  });

  it('texts and data are taken whatever they call themselves', async () => {
    const parts = [
      { text: '# x', mediaType: 'text/markdown' },
      { data: 1, mediaType: 'application/vnd.example+json' },
    ];
    expect((await rpc(taking({}), 'SendMessage', { message: { ...MESSAGE, parts } })).json).toHaveProperty('result');
  });
});
