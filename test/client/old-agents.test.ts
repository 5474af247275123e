/** Agents of A2A 0.3 (R90): the loop runs on them as on others; what speaks neither version is refused by name. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, FilePendingStore, fromContext, resumeTask, runTask } from '../../client/index.ts';
import { REQUEST } from '../e2e/support/expense.ts';
import { isLocal, openTarget, type Target } from '../e2e/support/target.ts';
import { hastyClock } from './support/agents.ts';
import { faultyFetch } from './support/faulty-fetch.ts';
import { colourAndSize, type SdkAgent, startSdkAgent } from './support/sdk-agent.ts';
import { startStubAgent } from './support/stub-agent.ts';

const inWords = ({ text }: { text: string }) => ({ text: text.includes('colour') ? 'red' : 'small' });

describe.each([true, false])('an agent of the official SDK that speaks 0.3 only (streaming: %s)', (streaming) => {
  let agent: SdkAgent;
  beforeEach(async () => {
    agent = await startSdkAgent(colourAndSize, { streaming, version: '0.3' });
  });
  afterEach(() => agent.stop());

  test('is asked, answered in words, and completes', async () => {
    const outcome = await runTask(await connect(agent.url), 'Paint it', { clock: hastyClock, resolvers: [inWords] });
    expect(outcome).toMatchObject({ kind: 'completed', artifacts: [{ name: 'result' }] });
    expect(agent.heard).toEqual(['Paint it', 'red', 'small']);
  });

  test('is left, and taken up again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'askback-old-'));
    const pending = new FilePendingStore(folder);
    const left = await runTask(await connect(agent.url), 'Paint it', { pending });
    if (left.kind !== 'needs-input') throw new Error(left.kind);
    const client = await connect(agent.url);
    expect((await resumeTask(client, pending, left.taskId, [inWords], { clock: hastyClock })).kind).toBe('completed');
    await rm(folder, { recursive: true });
  });

  test('is told of a refusal by a cancel', async () => {
    const run = runTask(await connect(agent.url), 'Paint it', { resolvers: [() => ({ decline: {} })] });
    expect(await run).toMatchObject({ kind: 'declined', task: { status: { state: 'TASK_STATE_CANCELED' } } });
  });
});

describe.runIf(isLocal)('an agent with the question extension, over 0.3', () => {
  let target: Target;
  beforeEach(async () => {
    target = await openTarget();
  });
  afterEach(() => target.stop());

  /** Its card as a caller of 0.3 sees it. */
  const old = (): { readonly fetch: typeof fetch; readonly net: ReturnType<typeof faultyFetch> } => {
    const net = faultyFetch();
    return {
      net,
      async fetch(input, init) {
        const response = await net.fetch(input, init);
        if (!String(input).endsWith('agent-card.json')) return response;
        const { supportedInterfaces: _new, ...card } = (await response.json()) as Record<string, unknown>;
        return Response.json({ ...card, protocolVersion: '0.3.0', url: target.url, preferredTransport: 'JSONRPC' });
      },
    };
  };

  test('questions are data, and an answer whose response is lost is the same message again', async () => {
    const { fetch, net } = old();
    net.lose('"costCentre"');
    const outcome = await runTask(await connect(target.url, { fetch }), REQUEST, {
      clock: hastyClock,
      resolvers: [fromContext({ costCentre: 'CC-4410' })],
    });
    expect(outcome).toMatchObject({ kind: 'completed', artifacts: [{ parts: [{ data: { costCentre: 'CC-4410' } }] }] });
    expect(net.sent.some(({ body }) => body.includes('"message/stream"'))).toBe(true);
    expect(net.sent.filter(({ body }) => body.includes('"costCentre"'))).toHaveLength(2);
    expect(await target.local.ledger()).toHaveLength(1);
  });
});

test.each([
  ['gRPC only', [{ url: 'http://localhost:1', protocolBinding: 'GRPC', protocolVersion: '1.0' }]],
  ['a version to come', [{ url: 'http://localhost:1', protocolBinding: 'JSONRPC', protocolVersion: '9.0' }]],
  ['a version of long ago', [{ url: 'http://localhost:1', protocolBinding: 'JSONRPC', protocolVersion: '0.2.5' }]],
  ['an address that is none', [{ url: 'nowhere', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }]],
  [
    'an address that is no web address',
    [{ url: 'file:///etc/passwd', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  ],
  ['nothing', []],
])('an agent that offers %s is refused as such before anything is sent', async (_what, supportedInterfaces) => {
  const agent = await startStubAgent(() => ({ result: null }), { card: { supportedInterfaces } });
  const refused = connect(agent.url);
  await expect(refused).rejects.toMatchObject({ name: 'AgentUnsupportedError' });
  await expect(refused).rejects.toThrow(/A2A 1\.0 or 0\.3/);
  expect(agent.requests).toEqual([]);
  await agent.stop();
});

test.each([null, [], 7, 'hello', {}, { supportedInterfaces: 'x' }, { supportedInterfaces: [null, 7] }])(
  'what is no agent card is refused as such: %j',
  async (card) => {
    const fetch = async () => Response.json(card);
    await expect(connect('http://localhost:3000', { fetch })).rejects.toMatchObject({ name: 'AgentUnsupportedError' });
  },
);

test('of several interfaces those are taken that are spoken here', async () => {
  const agent = await startStubAgent(() => ({ result: null }));
  const ours = { url: agent.url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' };
  const fetch = async () =>
    Response.json({ supportedInterfaces: [{ ...ours, protocolVersion: '9.0', url: 'http://x' }, ours] });
  const client = await connect(agent.url, { fetch });
  expect(client.protocolVersion).toBe('1.0');
  await agent.stop();
});
