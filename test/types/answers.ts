/**
 * What the answer's type is inferred from (design 7). Nothing here runs: `npm run types` compiles it, and an assertion
 * that does not hold, or an `@ts-expect-error` line that compiles, fails it.
 */
import { z } from 'zod';
import { type AskResult, defineAgent, type Json, type JsonSchema, RefuseAnswer, type Turn } from '../../agent/index.ts';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles only when both types are the same, `any` included. */
function same<A, B>(..._proof: Equal<A, B> extends true ? [] : ['these types differ', A, B]): void {}

const costCentre = {
  type: 'object',
  properties: { costCentre: { type: 'string', pattern: '^CC-[0-9]{4}$' } },
  required: ['costCentre'],
} as const;

export async function literals(turn: Turn): Promise<void> {
  const inline = await turn.ask('q', {
    text: 'Q?',
    schema: {
      type: 'object',
      properties: { size: { enum: ['s', 'm'] }, count: { type: 'integer' }, note: { type: 'string' } },
      required: ['size', 'count'],
      additionalProperties: false,
    },
  });
  same<typeof inline, { note?: string; size: 's' | 'm'; count: number }>();

  const named = await turn.ask('q', { text: 'Q?', schema: costCentre, options: ['CC-4410', 'CC-4420'] });
  same<typeof named.costCentre, string>();

  const scalar = await turn.ask('q', { text: 'Q?', schema: { type: 'boolean' } });
  same<typeof scalar, boolean>();

  const list = await turn.ask('q', { text: 'Q?', schema: { type: 'array', items: { type: 'number' } } });
  same<typeof list, number[]>();

  const nullable = await turn.ask('q', { text: 'Q?', schema: { type: ['string', 'null'] } });
  same<typeof nullable, string | null>();

  const text = await turn.ask('q', { text: 'Q?' });
  same<typeof text, string>();

  const dynamic = await turn.ask('q', { text: 'Q?', schema: JSON.parse('{}') as JsonSchema });
  same<typeof dynamic, unknown>();
}

const stay = z.object({ from: z.iso.date(), nights: z.string().transform(Number), note: z.string().optional() });

export async function libraries(turn: Turn): Promise<void> {
  const answer = await turn.ask('q', {
    text: 'Q?',
    schema: stay,
    onExpire: { default: { from: '2026-12-01', nights: '3' } },
    check: ({ nights }) => {
      same<typeof nights, number>();
      return nights > 7 ? 'at most a week' : undefined;
    },
  });
  same<typeof answer.nights, number>();
  same<typeof answer.note, string | undefined>();

  // @ts-expect-error a default is what a caller would send, and a caller sends nights as text
  await turn.ask('q', { text: 'Q?', schema: stay, onExpire: { default: { from: '2026-12-01', nights: 3 } } });
}

export async function outcomes(turn: Turn): Promise<void> {
  const result = await turn.tryAsk('q', { text: 'Q?', schema: costCentre });
  same<typeof result extends AskResult<infer T> ? T : never, { [x: string]: unknown; costCentre: string }>();
  switch (result.outcome) {
    case 'answered':
    case 'defaulted':
      return same<typeof result.value.costCentre, string>();
    case 'declined':
      return same<typeof result.reason, string | undefined>();
    case 'expired':
      // @ts-expect-error nobody gave a value
      return result.value;
  }
}

export async function checks(turn: Turn): Promise<void> {
  await turn.ask('q', {
    text: 'Q?',
    schema: costCentre,
    parseText: (text) => (text === '' ? new RefuseAnswer('say something') : { costCentre: text }),
    check: async (answer) => {
      same<typeof answer.costCentre, string>();
      if (answer.costCentre === 'CC-0000') throw new RefuseAnswer('closed');
    },
  });
  await turn.ask('q', {
    text: 'Q?',
    check: (answer) => {
      if (answer.length > 9) return [{ pointer: '', message: 'too long' }];
      return undefined;
    },
  });
  // @ts-expect-error true or false does not say what is wrong
  await turn.ask('q', { text: 'Q?', check: (answer) => answer.length > 9 });
  // @ts-expect-error parseText makes what the schema describes
  await turn.ask('q', { text: 'Q?', schema: costCentre, parseText: (text) => ({ costCenter: text }) });
  // @ts-expect-error a question has a text
  await turn.ask('q', { schema: costCentre });
}

const receipt = {
  type: 'object',
  properties: { amount: { type: 'number' }, currency: { type: 'string' }, note: { type: 'string' } },
  required: ['amount', 'currency'],
  additionalProperties: false,
} as const;

export async function collecting(turn: Turn): Promise<void> {
  const known: { amount?: number; currency: string | null } = { currency: null };
  const whole = await turn.collect('receipt', receipt, known);
  same<typeof whole, { note?: string; amount: number; currency: string }>();

  const dated = await turn.collect('stay', stay, { from: '2026-12-01' });
  same<typeof dated.nights, number>();

  // @ts-expect-error what is known has the types of the schema
  await turn.collect('receipt', receipt, { amount: '42' });
}

export async function steps(turn: Turn): Promise<void> {
  const both = await Promise.all([
    turn.step('one', () => ({ id: 1 })),
    turn.step('two', async ({ idempotencyKey, attempt }) => `${idempotencyKey} ${attempt}`),
  ]);
  same<typeof both, [{ id: number }, string]>();
  // Rows of an interface are options as they are.
  interface Centre {
    readonly value: string;
    readonly label: string;
  }
  const centres = await turn.step('centres', (): Centre[] => []);
  await turn.ask('q', { text: 'Q?', schema: costCentre, options: centres });
}

export const agent = defineAgent({
  card: { name: 'A', description: 'A', version: '1', skills: [{ id: 'a', name: 'A', description: 'A', tags: [] }] },
  async run(turn) {
    const answer: Json = await turn.ask('q', { text: 'Q?' });
    await turn.artifact({ name: 'a', data: { answer } });
    // @ts-expect-error an artifact has a content
    await turn.artifact({ name: 'a' });
    // @ts-expect-error bytes have a type
    await turn.artifact({ name: 'a', raw: new Uint8Array() });
  },
});

export async function relayed(turn: Turn): Promise<void> {
  await turn.delegate('filing', {
    agent: 'expenses',
    message: 'File it',
    restate: (question) => ({ text: question.text, schema: costCentre }),
    translate: (answer) => {
      same<typeof answer, { [x: string]: unknown; costCentre: string }>();
      return answer;
    },
  });
  await turn.delegate('text', {
    agent: 'expenses',
    message: 'File it',
    restate: () => ({ text: 'Which one?' }),
    translate: (answer) => {
      same<typeof answer, string>();
      return { note: answer };
    },
  });
}
