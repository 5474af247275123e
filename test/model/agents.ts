/**
 * The agents under test. Every ask has the same schema and options, so that one set of answers fits all; each agent
 * states what its task must come to for the answers that won.
 */
import { defineAgent } from '../../agent/define-agent.ts';
import type { Json } from '../../core/json.ts';
import type { AgentMaker, Outside } from './world.ts';
import type { Turn } from '../../agent/turn.ts';

export type Choice = 'CC-4410' | 'CC-4420';

/** What became of the asks that were closed, by name, in the order of closing: a choice, or why there is none. */
export type Closed = Readonly<Record<string, Choice | 'declined' | 'expired' | 'defaulted'>>;

export interface AgentUnderTest {
  readonly title: string;
  readonly make: AgentMaker;
  /**
   * What a task comes to that ended as the agent's code meant it to: state, the data of its artifacts in order, and the
   * ledger. `unasked`: ids of the messages that the task took while it was not asking.
   */
  expected(closed: Closed, unasked: readonly string[]): End;
}

export interface End {
  readonly state: string;
  readonly artifacts: readonly Json[];
  readonly ledger: readonly Json[];
}

const schema = {
  type: 'object',
  properties: { choice: { type: 'string', pattern: '^CC-[0-9]{4}$' } },
  required: ['choice'],
} as const;
const options = ['CC-4410', 'CC-4420'] as const;
export const question = { text: 'Which one?', schema, options } as const;

/** An agent of the given code. */
export function maker(
  name: string,
  run: (turn: Turn, outside: Outside) => Promise<void>,
  onMessage: 'reject' | 'queue' = 'reject',
): AgentMaker {
  const skill = { id: 's', name: 'Skill', description: 'Does it.', tags: [] };
  return (outside) =>
    defineAgent({
      card: { name, description: 'Under test.', version: '1', skills: [skill] },
      onMessage,
      run: (turn) => run(turn, outside),
    });
}

/** The worked example in small: step, ask, step with an effect outside, artifact, complete. */
export const expense: AgentUnderTest = {
  title: 'the expense agent',
  make: maker('expense', async (turn, outside) => {
    const { amount } = await turn.step('read', () => ({ amount: 42, reading: outside.nonce() }));
    const { choice } = await turn.ask('cost-centre', { ...question, expiresIn: { hours: 24 } });
    await turn.step('file', ({ idempotencyKey }) => outside.file(idempotencyKey, { amount, choice }));
    await turn.artifact({ name: 'expense', data: { amount, choice } });
  }),
  expected: ({ 'cost-centre': choice }) =>
    choice === 'declined'
      ? { state: 'TASK_STATE_REJECTED', artifacts: [], ledger: [] }
      : {
          state: 'TASK_STATE_COMPLETED',
          artifacts: [{ amount: 42, choice: choice as Choice }],
          ledger: [{ amount: 42, choice: choice as Choice }],
        },
};

/** Two asks in a row with an artifact and progress in between; the author's own check refuses one second choice. */
export const twoAsks: AgentUnderTest = {
  title: 'an agent with two asks',
  make: maker('two-asks', async (turn) => {
    const first = await turn.ask('first', { ...question, expiresIn: { hours: 2 }, remind: [{ before: { hours: 1 } }] });
    turn.progress('half way');
    await turn.artifact({ name: 'a', data: { first: first.choice } });
    const second = await turn.ask('second', {
      ...question,
      expiresIn: { hours: 1 },
      check: (answer) => (answer.choice === first.choice ? 'not the same again' : undefined),
    });
    await turn.artifact({ name: 'b', data: { second: second.choice } });
  }),
  expected: ({ first, second }) => {
    if (first === 'declined') return { state: 'TASK_STATE_REJECTED', artifacts: [], ledger: [] };
    const a = { first: first as Choice };
    if (second === 'declined') return { state: 'TASK_STATE_REJECTED', artifacts: [a], ledger: [] };
    return { state: 'TASK_STATE_COMPLETED', artifacts: [a, { second: second as Choice }], ledger: [] };
  },
};

/** One ask for each meaning of expiry: the code is told, a default is taken, the task is canceled. */
export const expiring: AgentUnderTest = {
  title: 'an agent whose questions expire',
  make: maker('expiring', async (turn) => {
    const told = await turn.tryAsk('told', { ...question, expiresIn: { hours: 1 }, onExpire: 'resume' });
    const chosen = await turn.tryAsk('chosen', {
      ...question,
      expiresIn: { hours: 1 },
      onExpire: { default: { choice: 'CC-4410' } },
    });
    const last = await turn.tryAsk('last', { ...question, expiresIn: { hours: 1 }, onExpire: 'cancel' });
    const data = [told, chosen, last].map((result) =>
      result.outcome === 'answered' ? result.value.choice : result.outcome,
    );
    await turn.artifact({ name: 'outcomes', data });
  }),
  expected: ({ told, chosen, last }) => ({
    state: 'TASK_STATE_COMPLETED',
    artifacts: [[told as string, chosen as string, last as string]],
    ledger: [],
  }),
};

/** Takes messages while it works, and answers each with an artifact before it ends. */
export const inbox: AgentUnderTest = {
  title: 'an agent with an inbox',
  make: maker(
    'inbox',
    async (turn, outside) => {
      await turn.step('before', ({ idempotencyKey }) => outside.file(idempotencyKey, 'before'));
      const asked = await turn.tryAsk('which', { ...question, expiresIn: { hours: 1 }, onExpire: 'resume' });
      await turn.step('after', ({ idempotencyKey }) => outside.file(idempotencyKey, 'after'));
      await turn.artifact({ name: 'outcome', data: { outcome: asked.outcome } });
      for (let read = await turn.inbox(); read.length > 0; read = await turn.inbox()) {
        for (const { messageId } of read) await turn.artifact({ name: messageId, data: { read: messageId } });
      }
    },
    'queue',
  ),
  expected: ({ which }, unasked) => {
    const outcome = which === 'CC-4410' || which === 'CC-4420' ? 'answered' : (which as string);
    return {
      state: 'TASK_STATE_COMPLETED',
      artifacts: [{ outcome }, ...unasked.map((read) => ({ read }))],
      ledger: ['before', 'after'],
    };
  },
};

/** Records nothing but what it reads, first of all before its question. */
export const listening: AgentUnderTest = {
  title: 'an agent that only listens',
  make: maker(
    'listening',
    async (turn) => {
      const tell = async (): Promise<boolean> => {
        const read = await turn.inbox();
        for (const { messageId } of read) await turn.artifact({ name: messageId, data: { read: messageId } });
        return read.length > 0;
      };
      await tell();
      await turn.tryAsk('which', { ...question, expiresIn: { hours: 1 }, onExpire: 'resume' });
      while (await tell());
    },
    'queue',
  ),
  expected: (_closed, unasked) => ({
    state: 'TASK_STATE_COMPLETED',
    artifacts: unasked.map((read) => ({ read })),
    ledger: [],
  }),
};

/** Its steps run beside its questions, the first one with nothing recorded before. */
export const beside: AgentUnderTest = {
  title: 'an agent that works beside its questions',
  make: maker('beside', async (turn, outside) => {
    const during = (ask: string, work: string) =>
      Promise.all([
        turn.tryAsk(ask, { ...question, expiresIn: { hours: 1 }, onExpire: 'resume' }),
        turn.step(work, ({ idempotencyKey }) => outside.file(idempotencyKey, work)),
      ]);
    const [early] = await during('early', 'one');
    const [late] = await during('late', 'two');
    await turn.artifact({ name: 'outcomes', data: [early.outcome, late.outcome] });
  }),
  expected: ({ early, late }) => ({
    state: 'TASK_STATE_COMPLETED',
    artifacts: [[early, late].map((outcome) => (outcome?.startsWith('CC-') ? 'answered' : (outcome as string)))],
    ledger: ['one', 'two'],
  }),
};

/** A side effect behind a question: nothing may happen unless the answer says so (R06). */
export const guarded: AgentUnderTest = {
  title: 'an agent that guards a side effect',
  make: maker('guarded', async (turn, outside) => {
    const approval = await turn.tryAsk('approve', { ...question, expiresIn: { hours: 1 }, maxAttempts: 2 });
    if (approval.outcome !== 'answered' || approval.value.choice !== 'CC-4410') {
      return void (await turn.reject('not approved'));
    }
    await turn.step('pay', ({ idempotencyKey }) => outside.file(idempotencyKey, 'paid'));
    await turn.artifact({ name: 'paid', data: { paid: true } });
  }),
  expected: ({ approve }) =>
    approve === 'CC-4410'
      ? { state: 'TASK_STATE_COMPLETED', artifacts: [{ paid: true }], ledger: ['paid'] }
      : { state: 'TASK_STATE_REJECTED', artifacts: [], ledger: [] },
};

/** So much that its log and its records leave the head for items of their own. */
export const long: AgentUnderTest = {
  title: 'an agent with much to remember',
  make: maker('long', async (turn) => {
    for (let round = 1; round <= 4; round++) {
      const { outcome } = await turn.tryAsk(`round-${round}`, { ...question, maxAttempts: 9, onExpire: 'resume' });
      turn.progress(`round ${round} is over`);
      await turn.artifact({ name: `after-${round}`, data: { round, outcome } });
    }
  }),
  expected: (closed) => ({
    state: 'TASK_STATE_COMPLETED',
    artifacts: [1, 2, 3, 4].map((round) => {
      const outcome = closed[`round-${round}`];
      return { round, outcome: outcome?.startsWith('CC-') ? 'answered' : (outcome as string) };
    }),
    ledger: [],
  }),
};

/** More in one write than the head keeps. */
export const burst: AgentUnderTest = {
  title: 'an agent with much to tell at once',
  make: maker('burst', async (turn, outside) => {
    for (let part = 1; part <= 7; part++) await turn.artifact({ name: `part-${part}`, data: { part } });
    await turn.step('file', ({ idempotencyKey }) => outside.file(idempotencyKey, 'filed'));
    await turn.tryAsk('more', { ...question, onExpire: 'resume' });
    for (let part = 8; part <= 14; part++) await turn.artifact({ name: `part-${part}`, data: { part } });
  }),
  expected: () => ({
    state: 'TASK_STATE_COMPLETED',
    artifacts: Array.from({ length: 14 }, (_, index) => ({ part: index + 1 })),
    ledger: ['filed'],
  }),
};

export const AGENTS = [expense, twoAsks, expiring, inbox, listening, beside, guarded, long, burst] as const;
