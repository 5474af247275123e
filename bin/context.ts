/** What `-c name=value` may say to this app. A wrong value or name stops the synthesis instead of meaning a default. */
import type { JwtIssuer } from '../lib/auth.ts';

export interface AppContext {
  /** Names the stack and the agent; several agents in one account differ in it. */
  readonly agent: string;
  /** The agent's module; absent: the expense agent with its own ledger. */
  readonly entry: string | undefined;
  readonly streaming: boolean;
  readonly push: boolean;
  /** Callers are known to IAM, or by the JWT of an issuer. */
  readonly auth: 'iam' | JwtIssuer;
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
    push: flag(read, 'push', true),
    auth: authOf(read),
    reserveConcurrency: flag(read, 'reserveConcurrency', true),
    accountLogRole: flag(read, 'accountLogRole', true),
    removal: text(read, 'removal', /^(retain|destroy)$/) === 'destroy' ? 'destroy' : 'retain',
    alarmTopicArn: text(read, 'alarmTopicArn', /^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+$/),
  };
}

/** Half of the settings must not mean IAM. Whether an issuer can be one is said in lib/auth.ts. */
function authOf(read: ReadContext): 'iam' | JwtIssuer {
  const issuer = text(read, 'issuer', /^https:\/\/\S+$/);
  const audience = text(read, 'audience', /^[^\s,]+(,[^\s,]+)*$/);
  const tenantClaim = text(read, 'tenantClaim', /^\S+$/);
  if (issuer === undefined && audience === undefined && tenantClaim === undefined) return 'iam';
  if (issuer === undefined) throw new Error('-c issuer=https://... is missing: audience and tenantClaim go with it');
  if (audience === undefined) throw new Error('-c audience=... is missing: what the issuer calls this agent in tokens');
  return { issuer, audience: audience.split(','), ...(tenantClaim === undefined ? {} : { tenantClaim }) };
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
