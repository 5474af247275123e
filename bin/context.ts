/** What `-c name=value` may say to this app. A wrong value or name stops the synthesis instead of meaning a default. */

export interface AppContext {
  /** Names the stack and the agent; several agents in one account differ in it. */
  readonly agent: string;
  /** The agent's module; absent: the expense agent with its own ledger. */
  readonly entry: string | undefined;
  readonly streaming: boolean;
  /** Whether functions have concurrency of the account reserved. */
  readonly reserveConcurrency: boolean;
  readonly accountLogRole: boolean;
  /** `destroy` for trials: everything goes with the stack. */
  readonly removal: 'retain' | 'destroy';
  /** An SNS topic that is told of alarms. */
  readonly alarmTopicArn: string | undefined;
}

/** What the command line gives are strings; cdk.json may hold booleans. */
export type ReadContext = (name: string) => unknown;

/** @throws Error that names the value that cannot be */
export function readContext(read: ReadContext): AppContext {
  return {
    agent: text(read, 'agent', /^[A-Za-z][A-Za-z0-9-]{0,47}$/) ?? 'expense-agent',
    entry: text(read, 'entry', /^.+\.(ts|mts|js|mjs)$/),
    streaming: flag(read, 'streaming', true),
    reserveConcurrency: flag(read, 'reserveConcurrency', true),
    accountLogRole: flag(read, 'accountLogRole', true),
    removal: text(read, 'removal', /^(retain|destroy)$/) === 'destroy' ? 'destroy' : 'retain',
    alarmTopicArn: text(read, 'alarmTopicArn', /^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+$/),
  };
}

function text(read: ReadContext, name: string, valid: RegExp): string | undefined {
  const value = read(name);
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !valid.test(value)) throw new Error(`-c ${name}=${String(value)} is not possible`);
  return value;
}

function flag(read: ReadContext, name: string, otherwise: boolean): boolean {
  const value = read(name);
  if (value === undefined) return otherwise;
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw new Error(`-c ${name}=${String(value)} must be true or false`);
}
