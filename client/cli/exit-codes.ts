/** What the program ends with, so that a script can go on from it. docs/command-line.md shows the same table. */
export const EXIT = {
  /** The task is completed, or the command did what it was asked. */
  completed: 0,
  /** The task failed, or something went wrong that no other code names. */
  failed: 1,
  /** The command line means nothing, or the answer does not fit the question. */
  usage: 2,
  /** The task waits for an answer or a credential. */
  needsInput: 3,
  /** Nobody answered in time. */
  expired: 4,
  /** The caller declined to answer, or the agent rejected the task. */
  declined: 5,
  canceled: 6,
  /** Too many questions or wrong answers: the loop gave up and canceled the task. */
  gaveUp: 7,
  /** The agent could not be reached. */
  unreachable: 8,
  /** The agent was reached and refused: credentials, an unknown task, one that has ended. */
  refused: 9,
  /** Ctrl-C: the program ended, the task goes on. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
