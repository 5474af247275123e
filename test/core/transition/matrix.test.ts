/**
 * Every command in every place a task can stand: what happens, or why not. Literal, so that a new move shows here. Heads
 * and commands are frozen: a move that changes one throws.
 */
import { describe, expect, it } from 'vitest';
import type { Command } from '../../../core/transition/command.ts';
import { MOVES, transition } from '../../../core/transition/transition.ts';
import { deepFrozen } from '../../support/deep-frozen.ts';
import { COMMANDS, type CommandName, LATE_MS, PLACES, type Place, request, START_MS, TOKEN } from './fixtures.ts';

type Cell = string;

/** What only the holder of the lease may do. */
const WITHOUT_LEASE = {
  renew: 'lease-lost',
  emit: 'lease-lost',
  ask: 'lease-lost',
  'require-auth': 'lease-lost',
  delegate: 'lease-lost',
  'close-delegate': 'lease-lost',
  reserve: 'lease-lost',
  acquired: 'lease-lost',
  confirm: 'lease-lost',
  release: 'lease-lost',
  'read-inbox': 'lease-lost',
  end: 'lease-lost',
  yield: 'lease-lost',
  'fail-attempt': 'lease-lost',
} as const;

/** The task waits for no authorisation. */
const WITHOUT_AUTH = { grant: 'auth-closed', 'decline-auth': 'auth-closed' } as const;

/** `ok: <state> <phase>` or the rejection. */
const MATRIX: Record<Place, Record<CommandName, Cell>> = {
  submitted: {
    answer: 'not-asking',
    decline: 'not-asking',
    'refuse-answer': 'not-asking',
    ...WITHOUT_AUTH,
    receive: 'ok: SUBMITTED requested',
    cancel: 'ok: CANCELED idle',
    claim: 'ok: WORKING running',
    ...WITHOUT_LEASE,
    wake: 'unchanged',
    'do-due': 'not-due',
    ...registering('SUBMITTED requested'),
  },
  'working, running': {
    answer: 'not-asking',
    decline: 'not-asking',
    'refuse-answer': 'not-asking',
    ...WITHOUT_AUTH,
    receive: 'ok: WORKING running',
    cancel: 'ok: CANCELED idle',
    claim: 'not-claimable',
    renew: 'ok: WORKING running',
    emit: 'ok: WORKING running',
    ask: 'ok: INPUT_REQUIRED idle',
    'require-auth': 'ok: AUTH_REQUIRED idle',
    delegate: 'ok: WORKING running',
    'close-delegate': 'ok: WORKING running',
    'read-inbox': 'ok: WORKING running',
    end: 'ok: COMPLETED idle',
    yield: 'ok: WORKING requested',
    'fail-attempt': 'ok: WORKING parked',
    reserve: 'ok: WORKING running',
    acquired: 'ok: WORKING running',
    confirm: 'ok: WORKING running',
    release: 'ok: WORKING running',
    wake: 'unchanged',
    'do-due': 'not-due',
    ...registering('WORKING running'),
  },
  'working, requested': {
    answer: 'not-asking',
    decline: 'not-asking',
    'refuse-answer': 'not-asking',
    ...WITHOUT_AUTH,
    receive: 'ok: WORKING requested',
    cancel: 'ok: CANCELED idle',
    claim: 'not-claimable',
    ...WITHOUT_LEASE,
    wake: 'unchanged',
    'do-due': 'not-due',
    ...registering('WORKING requested'),
  },
  'working, parked': {
    answer: 'not-asking',
    decline: 'not-asking',
    'refuse-answer': 'not-asking',
    ...WITHOUT_AUTH,
    receive: 'ok: WORKING parked',
    cancel: 'ok: CANCELED idle',
    claim: 'not-claimable',
    ...WITHOUT_LEASE,
    wake: 'unchanged',
    'do-due': 'not-due',
    ...registering('WORKING parked'),
  },
  'input-required': {
    answer: 'ok: WORKING requested',
    decline: 'ok: WORKING requested',
    'refuse-answer': 'ok: INPUT_REQUIRED idle',
    ...WITHOUT_AUTH,
    receive: 'asking',
    cancel: 'ok: CANCELED idle',
    claim: 'not-claimable',
    ...WITHOUT_LEASE,
    wake: 'unchanged',
    'do-due': 'not-due',
    ...registering('INPUT_REQUIRED idle'),
  },
  'auth-required': {
    answer: 'not-asking',
    decline: 'not-asking',
    'refuse-answer': 'not-asking',
    grant: 'ok: WORKING requested',
    'decline-auth': 'ok: WORKING requested',
    receive: 'ok: AUTH_REQUIRED idle',
    cancel: 'ok: CANCELED idle',
    claim: 'not-claimable',
    ...WITHOUT_LEASE,
    wake: 'unchanged',
    'do-due': 'not-due',
    ...registering('AUTH_REQUIRED idle'),
  },
  completed: ended('COMPLETED'),
  failed: ended('FAILED'),
  rejected: ended('REJECTED'),
  canceled: ended('CANCELED'),
};

/** Who is told of a task may change at any time, and that changes nothing else. */
function registering(place: string) {
  return {
    'add-push': `ok: ${place}`,
    'remove-push': 'unchanged',
    'give-up-push': 'unchanged',
    'check-push': 'not-due',
    'late-hold': `ok: ${place}`,
    undone: 'unchanged',
    'undo-failed': 'unchanged',
    'secrets-dropped': 'unchanged',
  };
}

function ended(state: string): Record<CommandName, Cell> {
  return {
    answer: 'ended',
    decline: 'ended',
    'refuse-answer': 'ended',
    grant: 'auth-closed',
    'decline-auth': 'ended',
    receive: 'ended',
    cancel: 'ended',
    claim: 'not-claimable',
    ...WITHOUT_LEASE,
    wake: 'unchanged',
    'do-due': 'not-due',
    ...registering(`${state} idle`),
  };
}

const cells = Object.entries(MATRIX).flatMap(([place, row]) =>
  Object.entries(row).map(([command, expected]) => ({
    place: place as Place,
    command: command as CommandName,
    expected,
  })),
);

describe('state x command (design, sections 4 and 5)', () => {
  it.each(cells)('$place + $command: $expected', ({ place, command, expected }) => {
    const head = deepFrozen(PLACES[place]);
    const result = transition(head, deepFrozen(COMMANDS[command]), START_MS + 3_000);
    const cell = result.ok
      ? `ok: ${result.head.status.state.replace('TASK_STATE_', '')} ${result.head.turn.phase}`
      : result.rejection;
    expect(cell).toBe(expected);
    if (result.ok) expect(result.head.version).toBe(head.version + 1);
  });

  // What these make of an answered ask, a granted authorisation or a sub-task: answers.test.ts, auth.test.ts and
  // test/core/operations/delegates.test.ts.
  const JUDGING = {
    reask: {
      type: 'reask',
      token: TOKEN,
      call: 1,
      question: { ...request, role: 'ROLE_AGENT' },
      errors: [],
      events: [],
    },
    'pass-answer': { type: 'pass-answer', token: TOKEN, call: 1, value: null },
    'use-auth': { type: 'use-auth', token: TOKEN, call: 1, result: { ok: null } },
    park: { type: 'park', token: TOKEN, call: 2, look: { delegate: 1, pushes: false, silent: false }, events: [] },
  } as const satisfies Record<string, Command>;

  it.each(Object.values(JUDGING))('$type needs the lease in every place, and what it judges', (command) => {
    for (const [place, head] of Object.entries(PLACES)) {
      const decide = () => transition(head, command, START_MS + 3_000);
      if (place === 'working, running')
        expect(decide).toThrow(/call 1 is (not an (answered ask|authorisation that was granted)|no sub-task)/);
      else expect(decide()).toEqual({ ok: false, rejection: 'lease-lost' });
    }
  });

  it('knows every command that the table of moves knows', () => {
    expect([...Object.keys(COMMANDS), ...Object.keys(JUDGING)].sort()).toEqual(Object.keys(MOVES).sort());
  });

  it.each([
    ['submitted', 'ok: SUBMITTED requested'],
    ['working, running', 'ok: WORKING parked'],
    ['working, requested', 'ok: WORKING requested'],
    ['working, parked', 'ok: WORKING requested'],
    ['input-required', 'ok: FAILED idle'],
    ['auth-required', 'ok: FAILED idle'],
    ['completed', 'not-due'],
    ['canceled', 'not-due'],
  ] as const)('two days later, what is due to a task that is %s: %s', (place, expected) => {
    const result = transition(PLACES[place], { type: 'do-due' }, LATE_MS);
    const cell = result.ok
      ? `ok: ${result.head.status.state.replace('TASK_STATE_', '')} ${result.head.turn.phase}`
      : result.rejection;
    expect(cell).toBe(expected);
  });
});
