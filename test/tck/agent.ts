/**
 * The agent that the scenario files of the official compatibility kit describe: what it does follows from how the id of the
 * first message begins. docs/conformance.md says how the kit is run against it.
 *
 * The kit sends one message id for many tasks, so nothing here is a repeat. It speaks 1.0 alone: the kit holds the card
 * against a closed schema, which the fields for readers of 0.3 would not pass. And it takes files of any kind, because the
 * kit sends one of a type of its own and wants it taken.
 */
import { type Agent, type AgentCardSpec, defineAgent, type ProtocolVersion, type Turn } from '../../agent/index.ts';

/** Twice what the kit waits for events. */
const LONG_MS = 4_000;

const card: AgentCardSpec = {
  name: 'Conformance agent',
  description: 'Does what the A2A compatibility kit asks for.',
  version: '1.0.0',
  defaultInputModes: ['text/plain', 'application/json', '*/*'],
  skills: [{ id: 'tck', name: 'Conformance', description: 'Acts by the id of the message.', tags: ['tck'] }],
};

/** A file of three bytes, "tck". */
const file = { raw: 'dGNr', mediaType: 'text/plain', filename: 'output.txt' } as const;

/** What it returns is awaited and does not matter. */
type Behaviour = (turn: Turn) => unknown;

const ended: Behaviour = () => {};
const withText =
  (text: string): Behaviour =>
  (turn) =>
    turn.artifact({ name: 'output', text });
const withFile: Behaviour = (turn) => turn.artifact({ name: 'output', ...file });

/** Longer prefixes first: the first that fits is meant. */
const behaviours: readonly (readonly [prefix: string, behaviour: Behaviour])[] = [
  ['tck-stream-artifact-chunked', inChunks],
  ['test-resubscribe-message-id', slowly],
  ['tck-stream-artifact-text', withText('Streamed text content')],
  ['tck-stream-artifact-file', withFile],
  ['tck-stream-ordering-001', withText('Ordered output')],
  ['tck-artifact-file-url', withUrl],
  ['tck-input-required', asking],
  ['tck-artifact-text', withText('Generated text content')],
  ['tck-artifact-file', withFile],
  ['tck-artifact-data', (turn) => turn.artifact({ name: 'output', data: { key: 'value', count: 42 } })],
  ['tck-complete-task', (turn) => turn.progress('Hello from TCK')],
  ['tck-reject-task', (turn) => turn.reject('rejected')],
  ['tck-stream-001', withText('Stream hello from TCK')],
  ['tck-stream-002', ended],
  ['tck-stream-003', withText('Stream task lifecycle')],
];

function withUrl(turn: Turn) {
  const { mediaType, filename } = file;
  return turn.artifact({ name: 'output', url: 'https://example.com/output.txt', mediaType, filename });
}

async function inChunks(turn: Turn) {
  const output = turn.artifactStream('output');
  await output.write('chunk-1 ');
  await output.end('chunk-2');
}

async function slowly(turn: Turn) {
  await turn.step('wait', () => new Promise<void>((resolve) => setTimeout(resolve, LONG_MS)));
}

/** Asks again where the kit builds up a history, and is done with any other answer. */
async function asking(turn: Turn) {
  for (let n = 1; ; n += 1) {
    const text = await turn.ask(`more-${n}`, { text: 'What more is there to say?' });
    if (!text.startsWith('TCK history message')) return;
  }
}

export interface Differences {
  readonly extensions?: AgentCardSpec['extensions'];
  readonly extendedCard?: boolean;
  readonly idempotency?: 'on' | 'off';
  readonly protocolVersions?: readonly ProtocolVersion[];
  /** What to do with a message whose id begins with nothing that is known; default: nothing, and be done. */
  readonly otherwise?: Behaviour;
}

export function conformanceAgent({
  extensions,
  extendedCard = true,
  idempotency = 'off',
  protocolVersions = ['1.0'],
  otherwise = ended,
}: Differences = {}): Agent {
  return defineAgent({
    card: { ...card, ...(extensions && { extensions }) },
    ...(extendedCard && { extendedCard: { description: 'Does what the kit asks for, and knows its caller.' } }),
    idempotency,
    protocolVersions,
    reply: ({ messageId }) => (messageId.startsWith('tck-message-response') ? 'Direct message response' : undefined),
    async run(turn) {
      const { messageId } = turn.request;
      const [, behaviour = otherwise] = behaviours.find(([prefix]) => messageId.startsWith(prefix)) ?? [];
      await behaviour(turn);
    },
  });
}

export default conformanceAgent();
