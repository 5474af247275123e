/**
 * Every default and bound in one place. A name ends in its unit. Each has a test; what an agent may set itself is
 * named in `AgentSettings` (agent.ts).
 */
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const KIB = 1_024;

export const limits = {
  /** A question without its own expiry waits this long. */
  questionExpiryDefaultMs: 24 * HOUR,
  questionExpiryMaxMs: 30 * DAY,
  /** Shorter than this no person or program can be expected to answer. */
  questionExpiryMinMs: SECOND,
  questionAttemptsDefault: 3,
  questionAttemptsMax: 10,
  questionOptionsMax: 100,
  questionOptionsBytes: 16 * KIB,
  questionTextBytes: 8 * KIB,
  /** The value that stands in for an answer at expiry; it lies in the head while the question is open. */
  defaultValueBytes: 2 * KIB,
  /** Of a decline, as JSON, as the code sees it; the message in the history keeps the whole. */
  declineReasonBytes: KIB,
  remindersMax: 5,
  /** Names of `writeOnly` properties, as JSON; they lie in the head. */
  secretNamesBytes: KIB,

  /** One SQS batch pokes them all. */
  pushConfigsPerTask: 10,
  pushConfigIdLength: 64,
  pushTokenLength: 1_024,
  pushCredentialsLength: 4_096,
  /** One post, from looking up the name to the status line of the response. */
  pushTimeoutMs: 10 * SECOND,
  /** A look-up at registration that takes longer decides nothing. */
  pushLookupMs: SECOND,
  /** Longer than a post and the writes round it; shorter than the queue hides a message. */
  pushLeaseMs: 30 * SECOND,
  /** 5 s, 10 s, 20 s and so on, to the longest delay that SQS knows. */
  pushRetryMinMs: 5 * SECOND,
  pushRetryMaxMs: 15 * MINUTE,
  pushGiveUpMs: DAY,
  /** When the sweeper looks whether events were told; doubles while some were not. */
  pushCheckMs: 2 * MINUTE,
  pushCheckMaxMs: HOUR,
  /** A receiver refuses what was signed longer ago. */
  pushReplayWindowMs: 5 * MINUTE,

  /** What a request for an authorisation says for programs. */
  authRequestBytes: 4 * KIB,
  /** Body of a callback: a credential, a notification. */
  callbackBytes: 64 * KIB,

  schemaBytes: 16 * KIB,
  schemaDepth: 20,
  /** Counted after `$ref` expansion. */
  schemaNodes: 1_000,
  /** For one compile or one validation, whatever the schema. */
  validationMs: 250,
  /** Checked and compiled schemas kept in one process. */
  schemasCached: 64,

  answerBytes: 64 * KIB,
  answerArrayItems: 1_000,
  answerDepth: 16,
  answerErrorsReported: 20,

  /** API Gateway takes 10 MB but Lambda's request payload ends at 6 MB; base64 and envelope need room. */
  requestBytes: 5_500 * KIB,
  requestDepth: 64,
  partsPerMessage: 100,
  idLength: 128,
  rpcIdLength: 256,
  /** Tenant and principal together, as JSON: a claim of a token may be of any length, and every head holds them. */
  ownerBytes: KIB,
  metadataBytes: 16 * KIB,
  /** URLs, extension URIs, file names. */
  uriLength: 2_048,
  mediaTypeLength: 255,
  /** Extensions, output modes and referenced tasks of one request. */
  listItems: 100,
  violationsReported: 20,
  /** A synchronous Lambda answer ends at 6 MB; headers and envelope need room. */
  responseBytes: 5_900 * KIB,
  agentCardMaxAgeSeconds: 300,
  /** Advice given with 503. */
  retryAfterSeconds: 1,

  /** A value larger than this is a BLOB item and the head names it. */
  headInlineBytes: KIB,
  /** The same for step results and log chunks, which are items of their own. */
  itemInlineBytes: 8 * KIB,
  headBytes: 24 * KIB,
  /** Kept free of ordinary writes, so that the write that ends an over-full task always fits. */
  headReserveBytes: 2 * KIB,
  /** Log entries beyond this many bytes leave the head in whole chunks. */
  headLogBytes: 1_740,
  /** Entries in one LOG item; fixed bounds, so that any writer produces the same bytes. */
  logChunkEntries: 4,
  /** A head larger than this moves out what it can with whatever write comes, not only with a turn's. */
  headTrimBytes: 8 * KIB,
  /** A head with fewer log entries than this is not measured for that: each has at most `headInlineBytes` and a little. */
  headTrimEntries: 8,
  /** Recorded asks and artifacts that stay in the head; older ones become STEP items, so that no write pays for them. */
  headCalls: 1,
  headMarks: 24,

  messagesPerTask: 1_000,
  asksPerTask: 100,
  artifactsPerTask: 100,
  artifactBytesPerTask: 5_000 * KIB,
  eventsPerTask: 10_000,
  inboxMessages: 20,
  /** Of one message to a task that is not asking: the agent reads all that wait at once. */
  inboxMessageBytes: 1_000 * KIB,
  historyDefault: 100,

  stepResultBytes: 1_000 * KIB,
  /** Nesting of step results, artifacts and final answers. */
  stepResultDepth: 100,
  stepsPerTask: 10_000,
  stepTries: 3,
  stepRetryDelayMs: 200,

  leaseMs: 60 * SECOND,
  heartbeatMs: 20 * SECOND,
  /** A worker parks this long before its function would be ended. */
  workerStopBeforeEndMs: 30 * SECOND,
  turnAttempts: 5,
  retryDelayMinMs: 5 * SECOND,
  retryDelayMaxMs: 15 * MINUTE,
  /** 5 s, 30 s, 3 min, 15 min: a deployment can be rolled back before the last attempt. */
  retryDelayFactor: 6,
  /**
   * How long a requested turn may go unclaimed before the sweeper sends it again; doubles each time. Shorter than a
   * lease, so that a claim in time need not move what is due (core/transition/claim.ts), though clocks differ by seconds.
   */
  redispatchMs: 50 * SECOND,
  redispatchMaxMs: HOUR,
  /** The same of a message that has a hold released or a sub-task canceled: longer than one attempt takes. */
  undoRedispatchMs: 2 * MINUTE,
  /** Of releasing a hold or canceling a sub-task: 5 s, 30 s, 3 min, then every 15 min. */
  undoAttempts: 8,
  /** One attempt. */
  undoMs: MINUTE,
  /** What was being reserved when it was released is released once more so long after: the reserving may land late. */
  undoAgainMs: 2 * MINUTE,
  /** How often one decision is taken again on a fresh head before the caller is told to retry. */
  conflictRetries: 5,

  holdsPerTask: 100,
  /** Neither confirmed nor released; they lie in the head. */
  holdsOpen: 8,

  delegatesPerTask: 20,
  /** At once; they lie in the head. */
  delegatesOpen: 8,
  /** How long after a look at a sub-task the next one comes; doubles each time. */
  delegatePollMinMs: 2 * SECOND,
  delegatePollMaxMs: 5 * MINUTE,
  /** The same where the other agent tells of changes; the longest delay that SQS knows. */
  delegatePushedPollMinMs: MINUTE,
  delegatePushedPollMaxMs: 15 * MINUTE,
  /** So many hints of one wait are followed at once; the ones after that wait 2 s, 4 s and so on, to a minute. */
  delegateHintsAtOnce: 3,
  /** A relayed question ends so long before the sub-agent's own, or by `delegateMarginShare` of the time that is left. */
  delegateMarginMs: MINUTE,
  delegateMarginShare: 0.05,
  /** A question that leaves the caller less time than this is not relayed. */
  delegateAskMinMs: MINUTE,
  /** Questions of one sub-task. */
  delegateRounds: 20,
  /** Of a sub-task at rest, as it is recorded: its artifacts above all. */
  delegateResultBytes: 500 * KIB,
  /** One answer of another agent, as it is read; more than a task of our own comes to. */
  delegateResponseBytes: 6_000 * KIB,
  /** A question that is still open so long after it was answered was not taken. */
  delegateStaleMs: 10 * MINUTE,
  /** A sub-task that could not be begun for so long has failed. */
  delegateBeginMs: 15 * MINUTE,
  /** A sub-agent that has not answered for so long is given up. */
  delegateSilentMs: DAY,
  /** What a sub-task may take where the author says nothing, and at most. */
  delegateMaxMs: 30 * DAY,
  delegateNameLength: 100,

  /** No one-shot timer for what is due sooner: Scheduler may be 59 s late, the sweeper is as good. */
  timerMinMs: 90 * SECOND,
  sweepIntervalMs: MINUTE,
  /** A question that is found open so long after its expiry is overdue: timer and two sweeps have missed it. */
  overdueGraceMs: 3 * MINUTE,
  dueShards: 8,
  /** Partitions over which the tasks of one owner are spread in the owner index. */
  ownerShards: 4,
  sweepPage: 100,
  retentionMs: 30 * DAY,
  /** Secrets go when their task ends, and so long after once more: a lost race or a crash may have left one. */
  secretsAfterEndMs: 2 * MINUTE,

  listPageDefault: 50,
  listPageMax: 100,
  pageTokenLength: 512,
  /** A context with more tasks is listed from the owner's index, with a filter. */
  listContextTasks: 1_000,
  /** Entries of one shard of the owner's index that one page looks at before it is given back unfilled. */
  listShardEntries: 5_000,
  /** Entries of the owner's index that are counted for a list's total. */
  listCountEntries: 100_000,
  /** Tasks of a context that are looked at for open questions when a first message names it. */
  hintTasks: 100,
  /** TTL stands behind the sweeper's own deletion by this much. */
  ttlSlackMs: 30 * DAY,

  /** Progress and artifact chunks are joined for this long: at most 4 writes a second. */
  progressIntervalMs: 250,
  /** Events that wait for the next write; more than this is written at once. */
  waitingEventBytes: 6 * KIB,
  /** Where responses do not stream, and for a long poll: the gateway gives up after 29 s. */
  blockingWaitMs: 25 * SECOND,
  /** A stream, or a blocking send where responses stream, ends by itself before the gateway's 15 minutes. */
  streamMs: 14 * MINUTE,
  /** Open at once, of one caller in one process. */
  streamsPerOwner: 100,
  /** A comment line on streams, a blank in front of a late answer. */
  keepAliveMs: 15 * SECOND,
  /** The official client refuses a line of more than 4 MiB. */
  streamEventBytes: 3_900 * KIB,
  /** Entries read from LOG items at a time for a stream that lags behind. */
  logPageEntries: 64,
  /** How often those who wait look at the head: right after an event, then while the task works. */
  pollFastMs: 40,
  pollFastForMs: 2 * SECOND,
  pollSlowMs: 250,
  /** While the task is interrupted or parked, and once nothing has happened for a minute: 30 reads a minute. */
  pollIdleMs: 2 * SECOND,
  pollIdleAfterMs: MINUTE,
  /** Looks in a row that may fail before a stream gives up. */
  failedLooks: 5,
  /** `reply` and `onMessage` run in the API. */
  decisionMs: 5 * SECOND,
} as const;
