/**
 * What the types of holds, authorisations and delegates say (design 12): a value is what the author's own code gave. As
 * in answers.ts, nothing here runs.
 */
import {
  type Artifact,
  type DelegateResult,
  defineAgent,
  type HoldHandle,
  type Json,
  type ReleasedHold,
  type Turn,
} from '../../agent/index.ts';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(..._proof: Equal<A, B> extends true ? [] : ['these types differ', A, B]): void {}

interface Seat {
  readonly seat: string;
}
declare const seats: { reserve(key: string): Promise<Seat>; find(): Seat | undefined };
const time = { for: { minutes: 10 } } as const;

export async function holds(turn: Turn): Promise<void> {
  const promised = await turn.hold('seat', { ...time, acquire: ({ idempotencyKey }) => seats.reserve(idempotencyKey) });
  same<typeof promised, HoldHandle<Seat>>();
  same<typeof promised.value, Seat>();

  const perhaps = await turn.hold('seat', { ...time, acquire: () => seats.find() });
  same<typeof perhaps.value, Seat | undefined>();

  const nothing = await turn.hold('seat', { ...time, acquire: () => undefined });
  same<typeof nothing.value, undefined>();

  const named = await turn.hold<Seat>('seat', { ...time, acquire: ({ attempt }) => ({ seat: `${attempt}` }) });
  same<typeof named.value, Seat>();

  const confirmed = await promised.confirm();
  same<typeof confirmed, void>();
  const tried = await promised.tryConfirm();
  same<typeof tried, boolean>();
  const released = await promised.release();
  same<typeof released, void>();

  // @ts-expect-error a hold has a time
  await turn.hold('seat', { acquire: () => seats.find() });
  // @ts-expect-error a hold is acquired
  await turn.hold('seat', time);
  // @ts-expect-error minutes are a number
  await turn.hold('seat', { for: { minutes: '10' }, acquire: () => seats.find() });
  // @ts-expect-error what was reserved is not to be exchanged
  promised.value = { seat: '12A' };
  // @ts-expect-error one property deep as well, where the author says so
  promised.value.seat = '12A';
}

defineAgent({
  card: { name: 'B', description: 'B', version: '1', skills: [] },
  holds: {
    seat: {
      release(held) {
        same<typeof held, ReleasedHold>();
        // A worker may have died before anybody knew what it had reserved.
        same<typeof held.value, Json | undefined>();
        same<typeof held.idempotencyKey, string>();
        same<typeof held.reason, 'time' | 'question' | 'end' | 'failed' | 'late' | 'code'>();
      },
    },
    // @ts-expect-error what releases is a function
    table: { release: 'later' },
  },
  async run() {},
});

export async function authorisations(turn: Turn): Promise<void> {
  const made = await turn.requireAuth('calendar', {
    text: 'Sign in.',
    use: (credential, { signal }) => {
      same<typeof credential, Json>();
      same<typeof signal, AbortSignal>();
      return { event: 'E-1' };
    },
  });
  same<typeof made, { event: string }>();
  // @ts-expect-error a credential is used
  await turn.requireAuth('calendar', { text: 'Sign in.' });
  // @ts-expect-error a default cannot stand in for a credential
  await turn.requireAuth('calendar', { text: 'Sign in.', use: () => 1, onExpire: { default: 'token' } });
}

export async function delegates(turn: Turn): Promise<void> {
  const done = await turn.delegate('filing', {
    agent: 'expenses',
    message: 'File it',
    restate: () => ({
      text: 'Which one?',
      schema: { type: 'object', properties: { chargeTo: { type: 'string' } }, required: ['chargeTo'] },
    }),
    translate: (answer, question) => {
      same<typeof answer.chargeTo, string>();
      same<typeof question.text, string>();
      return { costCentre: answer.chargeTo };
    },
  });
  same<typeof done, DelegateResult>();
  same<typeof done.artifacts, readonly Artifact[]>();
  // @ts-expect-error an agent is named
  await turn.delegate('filing', { message: 'File it' });
}
