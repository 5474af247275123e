/** One task in each place it can stand, reached by the moves themselves; and one command of each type that fits it. */
import type { Message } from '../../../core/message.ts';
import type { TaskHead } from '../../../core/task.ts';
import type { Command, Transition } from '../../../core/transition/command.ts';
import { createTask } from '../../../core/transition/create.ts';
import { transition } from '../../../core/transition/transition.ts';

export const TASK_ID = 'abcdefghijklmnopqrstuvwxyz';
export const START_MS = Date.UTC(2026, 10, 30, 12, 0, 0);
export const TOKEN = 'token-1';
const DAY_MS = 86_400_000;

export function userMessage(messageId: string, data: Message['parts'][number]): Message {
  return { messageId, role: 'ROLE_USER', parts: [data] };
}

export const request = userMessage('m-1', { text: 'File my taxi receipt from Tuesday, 42 euros' });

export const spec = {
  name: 'cost-centre',
  text: 'Which cost centre should this expense be charged to?',
  schema: {
    type: 'object',
    required: ['costCentre'],
    properties: { costCentre: { type: 'string', pattern: '^CC-[0-9]{4}$' } },
  },
  options: ['CC-4410', 'CC-4420'],
} as const;

export function must(result: Transition): Extract<Transition, { ok: true }> {
  if (!result.ok) throw new Error(`refused: ${result.rejection}`);
  return result;
}

export function moved(head: TaskHead, command: Command, nowMs = START_MS + 1_000): TaskHead {
  return must(transition(head, command, nowMs)).head;
}

export const submitted = createTask({
  taskId: TASK_ID,
  contextId: 'ctx-1',
  agent: 'Expense agent',
  owner: '5:local:alice',
  message: request,
  mark: { id: 'mark-1', digest: 'digest-1' },
  nowMs: START_MS,
}).head;

export const claimOf = (turn: number): Command => ({
  type: 'claim',
  turn,
  token: TOKEN,
  untilMs: START_MS + 61_000,
});
export const working = moved(submitted, claimOf(1));
export const asking = moved(working, { type: 'ask', token: TOKEN, call: 1, spec, events: [] });
export const openId = 'q-abcdefghijklmnop-1';

export const answer: Command = {
  type: 'answer',
  questionId: openId,
  message: userMessage('m-2', { data: { questionId: openId, costCentre: 'CC-4410' } }),
  mark: { id: 'mark-2', digest: 'digest-2' },
  accepted: { value: { costCentre: 'CC-4410' } },
};
export const authId = 'a-abcdefghijklmnop-1';
export const requireAuth: Command & { type: 'require-auth' } = {
  type: 'require-auth',
  token: TOKEN,
  call: 1,
  spec: {
    name: 'calendar',
    text: 'Sign in, so that the trip can be put into your calendar.',
    request: { scope: 'write' },
  },
  authId,
  callbackUrl: 'https://agent.example.com/callbacks/auth/abcdefghijklmnopqrstuvwxyz/a-abcdefghijklmnop-1/token',
  events: [],
};
export const authRequired = moved(working, requireAuth);
export const answered = moved(asking, answer, START_MS + 2_000);
export const parked = moved(working, { type: 'fail-attempt', token: TOKEN, fatal: false, correlationId: 'c-1' });

const end = (state: 'TASK_STATE_COMPLETED' | 'TASK_STATE_FAILED' | 'TASK_STATE_REJECTED'): TaskHead =>
  moved(working, { type: 'end', token: TOKEN, state, events: [] });

/** Long after everything that could be due in a live task. */
export const LATE_MS = START_MS + 2 * DAY_MS;

export const PLACES = {
  submitted,
  'working, running': working,
  'working, requested': answered,
  'working, parked': parked,
  'input-required': asking,
  'auth-required': authRequired,
  completed: end('TASK_STATE_COMPLETED'),
  failed: end('TASK_STATE_FAILED'),
  rejected: end('TASK_STATE_REJECTED'),
  canceled: moved(asking, { type: 'cancel' }),
} as const satisfies Record<string, TaskHead>;
export type Place = keyof typeof PLACES;

const question: Message = { messageId: openId, role: 'ROLE_AGENT', parts: [] };

export const COMMANDS = {
  answer,
  decline: {
    type: 'decline',
    questionId: openId,
    message: userMessage('m-3', { data: { questionId: openId, decline: {} } }),
    mark: { id: 'mark-3', digest: 'digest-3' },
  },
  'refuse-answer': {
    type: 'refuse-answer',
    questionId: openId,
    question: statusOf(asking),
    message: userMessage('m-4', { text: 'engineering' }),
    mark: { id: 'mark-4', digest: 'digest-4' },
    errors: [{ pointer: '/costCentre', message: 'expected one of CC-4410, CC-4420' }],
  },
  receive: {
    type: 'receive',
    message: userMessage('m-5', { text: 'and hurry' }),
    mark: { id: 'mark-5', digest: 'digest-5' },
  },
  grant: { type: 'grant', authId, secret: { id: 'secret-1', sealed: 'sealed' } },
  'decline-auth': {
    type: 'decline-auth',
    authId,
    message: userMessage('m-6', { data: { authId, decline: {} } }),
    mark: { id: 'mark-6', digest: 'digest-6', hidden: true },
  },
  cancel: { type: 'cancel' },
  claim: claimOf(1),
  renew: { type: 'renew', token: TOKEN, untilMs: START_MS + 90_000 },
  emit: { type: 'emit', token: TOKEN, events: [{ kind: 'progress', text: 'reading' }] },
  ask: { type: 'ask', token: TOKEN, call: 2, spec, events: [] },
  'require-auth': requireAuth,
  'read-inbox': { type: 'read-inbox', token: TOKEN, seqs: [] },
  end: { type: 'end', token: TOKEN, state: 'TASK_STATE_COMPLETED', events: [] },
  yield: { type: 'yield', token: TOKEN, progressed: true, events: [] },
  'fail-attempt': { type: 'fail-attempt', token: TOKEN, fatal: false, correlationId: 'c-2' },
  delegate: { type: 'delegate', token: TOKEN, call: 2, name: 'filing', agent: 'expenses', message: request },
  'close-delegate': { type: 'close-delegate', token: TOKEN, call: 2, how: 'ended' },
  reserve: { type: 'reserve', token: TOKEN, call: 2, name: 'seat', forMs: 600_000 },
  acquired: { type: 'acquired', token: TOKEN, call: 2, name: 'seat', n: 1, result: { ok: '12A' } },
  confirm: { type: 'confirm', token: TOKEN, call: 3, name: 'seat', n: 1 },
  release: { type: 'release', token: TOKEN, call: 3, name: 'seat', n: 1 },
  'late-hold': { type: 'late-hold', call: 2, name: 'seat', n: 1, result: { ok: '12A' } },
  undone: { type: 'undone', of: 'hold', n: 1, round: 1 },
  'undo-failed': { type: 'undo-failed', of: 'hold', n: 1, round: 1, attempts: 0 },
  wake: { type: 'wake', call: 2 },
  'do-due': { type: 'do-due' },
  'add-push': { type: 'add-push', configId: 'w-1', behind: false },
  'remove-push': { type: 'remove-push', configId: 'w-1' },
  'give-up-push': { type: 'give-up-push', configId: 'w-1' },
  'secrets-dropped': { type: 'secrets-dropped' },
  'check-push': { type: 'check-push', behind: true },
} as const satisfies Record<string, Command>;
export type CommandName = keyof typeof COMMANDS;

/** The status message that stands in a head. */
export function statusOf(head: TaskHead): Message {
  const kept = head.log.find((entry) => entry.seq === head.status.seq)?.message;
  if (!kept || !('value' in kept)) return question;
  return kept.value;
}
