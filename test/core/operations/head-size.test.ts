/**
 * The head budget under the worst that callers and authors may do (design, section 4; invariant 9): no sequence of calls
 * makes a head pass `headBytes`. Values are as long as each limit lets them be, or as long as stays in the head.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AgentFault, ProtocolError } from '../../../core/errors.ts';
import { jsonBytes, type Json } from '../../../core/json.ts';
import { limits } from '../../../core/limits.ts';
import type { Message } from '../../../core/message.ts';
import { cancelTask } from '../../../core/operations/cancel-task.ts';
import { doDue } from '../../../core/operations/do-due.ts';
import { runTurn } from '../../../core/operations/run-turn.ts';
import { sendMessage } from '../../../core/operations/send-message.ts';
import type { Agent } from '../../../core/agent.ts';
import type { TurnHost } from '../../../core/turn-host.ts';
import type { AskSpec } from '../../../core/question/types.ts';
import { fakeDeps } from '../../fakes/deps.ts';
import { AMPLE } from './world.ts';

const HEAD_BYTES = 24_576;
/** Three bytes in UTF-8; six in JSON. */
const WIDE = '界';
const CONTROL = '\u0001';
const owner = { tenant: WIDE.repeat(100), principal: WIDE.repeat(200) };
const longId = (n: number) => `${WIDE.repeat(limits.idLength - 8)}${String(n).padStart(8, '0')}`;
/** A text whose message just stays in the head. */
const inline = 'x'.repeat(380);

/** What a turn does: it takes the next of these until one ends it. */
type Act = 'ask' | 'ask-small' | 'artifact' | 'artifacts' | 'progress' | 'inbox' | 'step' | 'fail' | 'end';

/** Names that come to just under 1,024 bytes in the head. */
const SECRETS = Object.fromEntries(
  ['p', 'q', 'r'].map((letter) => [letter.repeat(330), { type: 'string', writeOnly: true }]),
);

/** Ten receivers, all given up. */
const CONFIG_IDS = Array.from({ length: 10 }, (_, n) => `${'c'.repeat(62)}${10 + n}`);

const worstAsk = (call: number): AskSpec => ({
  name: `${CONTROL.repeat(limits.idLength - 6)}${String(call).padStart(6, '0')}`,
  text: 'x'.repeat(limits.questionTextBytes),
  schema: {
    type: 'object',
    required: ['a'],
    properties: { a: { type: 'string' }, s: { type: 'string', writeOnly: true }, ...SECRETS },
  },
  options: { a: Array.from({ length: 100 }, (_, n) => `option ${n} ${'x'.repeat(100)}`) },
  allowOther: true,
  maxAttempts: 10,
  onExpire: { then: 'default', value: { a: 'd'.repeat(2_000) } },
  remindBeforeMs: [1_000, 2_000, 3_000, 4_000, 5_000],
});

const smallAsk: AskSpec = {
  name: WIDE.repeat(limits.idLength),
  text: 'Which?',
  schema: { type: 'object', required: ['a'], properties: { a: { type: 'string', maxLength: 500 } } },
  maxAttempts: 10,
  onExpire: { then: 'default', value: { a: 'd'.repeat(500) } },
};

function scripted(acts: readonly Act[]): { agent: Agent; left: () => number } {
  const queue = [...acts];
  const agent: Agent = {
    name: 'A'.repeat(100),
    card: { name: 'A', description: 'd', version: '1', skills: [] },
    settings: { idempotency: 'on', onMessage: 'queue' },
    async run(host) {
      for (let call = host.lastRecorded + 1; ; call++) {
        const act = queue.shift();
        if (act === undefined || act === 'end') return;
        await perform(host, call, act);
      }
    },
  };
  return { agent, left: () => queue.length };
}

async function perform(host: TurnHost, call: number, act: Act): Promise<void> {
  const name = WIDE.repeat(limits.idLength);
  const artifact = { artifactId: longId(call), name: inline, parts: [{ text: 'y' }] };
  switch (act) {
    case 'ask':
      return host.ask(call, worstAsk(call));
    case 'ask-small':
      return host.ask(call, smallAsk);
    case 'artifact':
      return host.artifact(call, name, { artifact, append: false, lastChunk: true });
    case 'artifacts':
      // Chunks that become one event: each keeps its record.
      for (let n = 0; n < 12; n++) {
        await host.artifact(call, name, {
          artifact: { ...artifact, artifactId: 'one' },
          append: n > 0,
          lastChunk: false,
        });
      }
      return;
    case 'progress':
      return host.progress(inline + inline);
    case 'inbox':
      await host.inbox(call);
      return;
    case 'fail':
      return host.end('TASK_STATE_FAILED', inline + inline);
    default:
      await host.record(call, 'step', name, { ok: 'z'.repeat(5_000) });
  }
}

type Call = 'message' | 'bad' | 'good' | 'long-good' | 'decline' | 'expire' | 'cancel' | 'turn';

function messageOf(call: Call, n: number, questionId: string | undefined, taskId: string): Message {
  const at = { messageId: longId(n), taskId, role: 'ROLE_USER' } as const;
  const named = questionId === undefined ? {} : { questionId };
  switch (call) {
    case 'good':
      return { ...at, parts: [{ data: { ...named, a: 'v'.repeat(450) } }] };
    case 'long-good':
      return { ...at, parts: [{ data: { ...named, a: 'v'.repeat(460), s: 'secret' } }] };
    case 'decline':
      return { ...at, parts: [{ data: { ...named, decline: { reason: CONTROL.repeat(1_024) } } }] };
    default:
      return { ...at, parts: [{ data: { ...named, b: inline } as Json }] };
  }
}

/** The largest head that any write of this life tried to make. */
async function largest(acts: readonly Act[], calls: readonly Call[]): Promise<number> {
  const { agent } = scripted(acts);
  const deps = fakeDeps({ agent });
  let most = 0;
  const { store } = deps;
  const save = store.save.bind(store);
  store.save = (previous, next, children) => {
    most = Math.max(most, jsonBytes(next));
    return save(previous, next, children);
  };
  const turns = async () => {
    for (let next = deps.queue.take(); next; next = deps.queue.take()) {
      const turn = runTurn(deps, next, AMPLE);
      await deps.clock.advance(300);
      await turn;
    }
  };
  const first: Message = { messageId: longId(0), contextId: longId(0), role: 'ROLE_USER', parts: [{ text: inline }] };
  const configuration = { returnImmediately: true };
  const sent = await sendMessage(deps, owner, { message: first, configuration });
  if (!('task' in sent)) throw new Error('no task');
  const taskId = sent.task.id;
  const created = store.peek(taskId);
  if (!created) throw new Error('no head');
  const push = { ids: CONFIG_IDS, gaveUp: CONFIG_IDS, check: { atMs: deps.clock.now() + 1, intervalMs: 120_000 } };
  await store.save(created, { ...created, version: created.version + 1, push });
  for (const [n, call] of calls.entries()) {
    const head = store.peek(taskId);
    if (!head) break;
    try {
      if (call === 'turn') await turns();
      else if (call === 'cancel') await cancelTask(deps, owner, { id: taskId });
      else if (call === 'expire') {
        await deps.clock.advance(86_400_000);
        await doDue(deps, taskId);
      } else {
        await sendMessage(deps, owner, {
          message: messageOf(call, n + 1, head.ask?.questionId, taskId),
          configuration,
        });
      }
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
    }
  }
  await turns();
  expect(deps.log.lines.filter(({ fields }) => isHeadFull(fields.error))).toEqual([]);
  return most;
}

function isHeadFull(error: unknown): boolean {
  return error instanceof AgentFault && error.reason === 'HEAD_FULL';
}

const ACTS: readonly Act[] = ['ask', 'ask-small', 'artifact', 'artifacts', 'progress', 'inbox', 'step', 'fail', 'end'];
const CALLS: readonly Call[] = ['message', 'bad', 'good', 'long-good', 'decline', 'expire', 'cancel', 'turn'];

describe('the head budget (invariant 9)', () => {
  const lives: [string, readonly Act[], readonly Call[]][] = [
    ['20 unread messages', ['step'], ['turn', ...Array.from({ length: 22 }, () => 'message' as const)]],
    ['unread messages before the first turn', [], Array.from({ length: 22 }, () => 'message' as const)],
    ['nine refused answers in a row', ['ask-small'], ['turn', ...Array.from({ length: 10 }, () => 'bad' as const)]],
    ['nine refused answers to a long question', ['ask'], ['turn', ...Array.from({ length: 10 }, () => 'bad' as const)]],
    [
      'twelve rounds of long questions and answers',
      Array.from({ length: 12 }, () => 'ask' as const),
      Array.from({ length: 12 }, () => ['turn', 'bad', 'long-good'] as const).flat(),
    ],
    [
      'twelve declines with a reason that JSON makes long',
      Array.from({ length: 12 }, () => 'ask' as const),
      Array.from({ length: 12 }, () => ['turn', 'decline'] as const).flat(),
    ],
    [
      'twelve questions that end by their default',
      Array.from({ length: 12 }, () => 'ask' as const),
      Array.from({ length: 12 }, () => ['turn', 'expire'] as const).flat(),
    ],
    [
      'refused answers, a good one, and 20 unread messages before the next turn',
      ['ask-small'],
      [
        'turn',
        ...Array.from({ length: 8 }, () => 'bad' as const),
        'good',
        ...Array.from({ length: 22 }, () => 'message' as const),
      ],
    ],
    ['many artifacts at once', Array.from({ length: 60 }, () => 'artifact' as const), ['turn']],
    ['chunks that were joined, and a question behind them', ['artifacts', 'artifacts', 'artifacts', 'ask'], []],
    ['many chunks at once', Array.from({ length: 9 }, () => 'artifacts' as const), ['turn']],
    [
      'a failure over everything at once',
      ['ask', 'artifacts', 'artifact', 'progress', 'fail'],
      ['turn', 'bad', 'bad', 'long-good', 'message', 'turn'],
    ],
  ];
  it.each(lives)('holds for %s', async (_what, acts, calls) => {
    expect(await largest(acts, calls)).toBeLessThanOrEqual(HEAD_BYTES);
  });

  it('holds for any life', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...ACTS), { maxLength: 20 }),
        fc.array(fc.constantFrom(...CALLS), { maxLength: 40 }),
        async (acts, calls) => {
          expect(await largest(acts, calls)).toBeLessThanOrEqual(HEAD_BYTES);
        },
      ),
      { numRuns: 80 },
    );
  });
});
