/** What `-c name=value` may say to this app. A wrong value or name stops the synthesis instead of meaning a default. */
import type { JwtIssuer } from '../lib/auth.ts';

export interface AppContext {
  /** Names the stack and the agent; several agents in one account differ in it. */
  readonly agent: string;
  /** The agent's module; absent: the expense agent with its own ledger, and the finance assistant beside it. */
  readonly entry: string | undefined;
  readonly streaming: boolean;
  readonly push: boolean;
  /** The inbox page is served; for callers that a browser can be, so not with IAM. */
  readonly inbox: boolean;
  /** Callers are known to IAM, or by the JWT of an issuer. */
  readonly auth: 'iam' | JwtIssuer;
  /** The complete ARN of the secret whose key signs the agent card. */
  readonly cardKeyArn: string | undefined;
  /** Where callers read the public half of that key. */
  readonly cardKeysUrl: string | undefined;
  /** Whether functions have concurrency of the account reserved. */
  readonly reserveConcurrency: boolean;
  readonly accountLogRole: boolean;
  /** `destroy` for trials: everything goes with the stack. */
  readonly removal: 'retain' | 'destroy';
  /** An SNS topic that is told of alarms. */
  readonly alarmTopicArn: string | undefined;
}

/** The agent that is meant where nothing is said. */
export const WORKED_EXAMPLE = 'expense-agent';

/** What the command line gives are strings; cdk.json may hold booleans. */
export type ReadContext = (name: string) => unknown;

const NAMES = [
  'agent',
  'entry',
  'streaming',
  'push',
  'inbox',
  'issuer',
  'audience',
  'tenantClaim',
  'cardKeyArn',
  'cardKeysUrl',
  'reserveConcurrency',
  'accountLogRole',
  'removal',
  'alarmTopicArn',
];

/**
 * A name with a slip in it must not leave what it was meant for at its default. The CDK's own names have colons or hyphens.
 * @throws Error that names it
 */
export function checkNames(names: readonly string[]): void {
  const unknown = names.find((name) => /^[A-Za-z]+$/.test(name) && !NAMES.includes(name));
  if (unknown !== undefined) throw new Error(`-c ${unknown}=... means nothing here; there are ${NAMES.join(', ')}`);
}

/** @throws Error that names the value that cannot be */
export function readContext(read: ReadContext): AppContext {
  const agent = text(read, 'agent', /^[A-Za-z][A-Za-z0-9-]{0,47}$/);
  const entry = text(read, 'entry', /^.+\.(ts|mts|js|mjs)$/);
  // It would go into the stack of the expense agent, and take its place.
  if (entry !== undefined && agent === undefined)
    throw new Error('-c agent=... is missing: it names the stack of entry');
  return {
    agent: agent ?? WORKED_EXAMPLE,
    entry,
    streaming: flag(read, 'streaming', true),
    push: flag(read, 'push', true),
    inbox: flag(read, 'inbox', false),
    auth: authOf(read),
    ...cardKeyOf(read),
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

/** Complete, with the six characters at its end: without them the right to read it would be one to others as well. */
const SECRET_ARN = /^arn:[\w-]+:secretsmanager:[\w-]+:\d{12}:secret:[\w/+=.@-]+-\w{6}$/;

function cardKeyOf(read: ReadContext): Pick<AppContext, 'cardKeyArn' | 'cardKeysUrl'> {
  const cardKeyArn = text(read, 'cardKeyArn', SECRET_ARN);
  const cardKeysUrl = text(read, 'cardKeysUrl', /^https:\/\/\S+$/);
  if (cardKeysUrl !== undefined && cardKeyArn === undefined) {
    throw new Error('-c cardKeyArn=arn:... is missing: cardKeysUrl goes with it');
  }
  return { cardKeyArn, cardKeysUrl };
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
