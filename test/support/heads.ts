/** Heads for suites of the stores, written out by hand: nothing here goes through the transitions. */
import type { TaskHead } from '../../core/task.ts';

/** 2027-01-15T08:00:00.000Z, as the manual clock starts. */
export const T0 = 1_800_000_000_000;

/** A task as it is when its first message has just been accepted. */
export function submittedHead(taskId: string, over: Partial<TaskHead> = {}): TaskHead {
  return {
    taskId,
    agent: 'Expense agent',
    owner: '4:acme:user-17',
    contextId: `ctx-${taskId}`,
    bornMs: T0,
    version: 1,
    seq: 1,
    generation: 1,
    status: { state: 'TASK_STATE_SUBMITTED', atMs: T0, seq: 1 },
    turn: { n: 1, phase: 'requested', attempts: 0, dispatch: { dueMs: T0 + 50_000, intervalMs: 50_000 } },
    calls: [],
    staleTimers: [],
    unread: [],
    marks: [{ id: 'message-id-1', digest: 'digest-1' }],
    log: [
      {
        seq: 1,
        atMs: T0,
        generation: 1,
        state: 'TASK_STATE_SUBMITTED',
        received: { value: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'File my taxi receipt' }] } },
      },
    ],
    used: { messages: 1, asks: 0, questions: 0, artifacts: 0, artifactBytes: 0 },
    secrets: false,
    dueMs: T0 + 50_000,
    ...over,
  };
}

/** A task whose second turn is requested: a question was answered. */
export function answeredHead(taskId: string, over: Partial<TaskHead> = {}): TaskHead {
  return submittedHead(taskId, {
    version: 5,
    seq: 4,
    generation: 4,
    status: { state: 'TASK_STATE_WORKING', atMs: T0 + 5_000, seq: 4 },
    turn: { n: 2, phase: 'requested', attempts: 0, dispatch: { dueMs: T0 + 55_000, intervalMs: 50_000 } },
    dueMs: T0 + 55_000,
    ...over,
  });
}

/** A head with something in every field (the type says so), to show that nothing is lost or added on the way. */
export function fullHead(taskId: string): Required<TaskHead> {
  return {
    taskId,
    agent: 'Expense agent',
    owner: '4:acme:user-17',
    contextId: 'trip to Zürich',
    bornMs: T0,
    version: 41,
    seq: 23,
    generation: 19,
    status: {
      state: 'TASK_STATE_INPUT_REQUIRED',
      atMs: T0 + 60_000,
      seq: 20,
      message: { blob: 'hash-of-the-question', bytes: 9_001 },
    },
    turn: {
      n: 7,
      phase: 'parked',
      attempts: 2,
      lease: { token: 'token-1', untilMs: T0 + 61_000 },
      parked: { for: 'retry', untilMs: T0 + 70_000 },
      dispatch: { dueMs: T0 + 80_000, intervalMs: 240_000 },
    },
    ask: {
      call: 9,
      name: 'cost-centre',
      ask: 3,
      questionId: 'q-abcdefghijklmnop-4',
      attempt: 2,
      maxAttempts: 3,
      expiresAtMs: T0 + 86_400_000,
      remindAtMs: [T0 + 43_200_000, T0 + 82_800_000],
      onExpire: { then: 'default', value: { costCentre: null, tags: [], note: '' } },
      parsesText: true,
      secret: ['pin'],
    },
    auth: {
      call: 10,
      name: 'calendar',
      ask: 4,
      authId: 'a-abcdefghijklmnop-4',
      expiresAtMs: T0 + 86_400_000,
      onExpire: 'resume',
    },
    calls: [
      { kind: 'artifact', call: 4, name: 'draft' },
      {
        kind: 'ask',
        call: 6,
        name: 'amount',
        outcome: 'answered',
        open: {
          ask: 2,
          questionId: 'q-abcdefghijklmnop-2',
          attempt: 1,
          maxAttempts: 3,
          expiresAtMs: T0 + 86_400_000,
          onExpire: { then: 'fail' },
          wrapped: true,
          allowOther: true,
        },
        value: { value: false },
        messageId: 'm-2',
        secret: 'secret-6',
        questionSeq: 12,
      },
    ],
    staleTimers: [1, 2],
    unread: [18, 19],
    toldUnread: 19,
    marks: [
      { id: 'message-id-1', digest: 'digest-1' },
      { id: 'message-id-2', digest: 'digest-2', hidden: true },
    ],
    log: [
      { seq: 22, atMs: T0 + 59_000, received: { blob: 'hash-of-the-message', bytes: 2_000 } },
      { seq: 23, atMs: T0 + 60_000, generation: 19, state: 'TASK_STATE_WORKING', transient: true },
    ],
    used: { messages: 4, asks: 3, questions: 4, artifacts: 1, artifactBytes: 512, holds: 5, delegates: 3 },
    confirmed: [1, 3],
    holds: [
      { call: 10, n: 4, name: 'seat', state: 'held', untilMs: T0 + 600_000, value: { value: { seat: '12A' } } },
      {
        call: 11,
        n: 5,
        name: 'seat',
        state: 'releasing',
        untilMs: T0 + 30_000,
        undo: {
          why: 'time',
          attempts: 1,
          afterMs: T0 + 65_000,
          dueMs: T0 + 185_000,
          intervalMs: 120_000,
          again: true,
          round: 2,
        },
      },
    ],
    delegates: [
      {
        call: 7,
        n: 2,
        name: 'filing',
        agent: 'expenses',
        openedAtMs: T0 + 40_000,
        subTask: { taskId: 'sub-1', contextId: 'sub-ctx' },
        poll: { wait: 8, intervalMs: 120_000 },
        pushes: true,
        silentSinceMs: T0 + 50_000,
        hint: true,
      },
      {
        call: 8,
        n: 3,
        name: 'booking',
        agent: 'travel',
        openedAtMs: T0 + 41_000,
        message: { value: { messageId: 'm-sub', role: 'ROLE_USER', parts: [{ text: 'Book it' }] } },
        undo: { why: 'code', attempts: 2, afterMs: T0 + 60_000, dueMs: T0 + 180_000, intervalMs: 120_000 },
      },
    ],
    firstArtifactSeq: 11,
    steps: true,
    secrets: true,
    push: {
      ids: ['w-1', 'w-2'],
      check: { atMs: T0 + 180_000, intervalMs: 120_000 },
      gaveUp: ['w-2'],
    },
    dueMs: T0 + 86_400_000,
  };
}

/** The next version of a head, with other fields. */
export function next(head: TaskHead, over: Partial<TaskHead> = {}): TaskHead {
  return { ...head, version: head.version + 1, ...over };
}
