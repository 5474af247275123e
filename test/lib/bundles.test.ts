/** The one suite that really bundles: the app as `cdk synth` runs it, and each bundle in a bare Node. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cdkJson } from './cdk-json.ts';
import { FUNCTION_SETTINGS } from '../support/function-settings.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const place = mkdtempSync(join(tmpdir(), 'askback-synth-'));
const TEMPLATE = 'askback-expense-agent.template.json';

interface LambdaFunction {
  readonly Type: string;
  readonly Properties: { readonly Description: string; readonly Code: { readonly S3Key: string } };
}

/** Runs the app of cdk.json as the CDK's command line does. */
function synth(name: string): string {
  const [, ...args] = cdkJson.app.split(' ');
  const out = join(place, name);
  const context = JSON.stringify(cdkJson.context);
  const env = { ...process.env, CDK_OUTDIR: out, CDK_CONTEXT_JSON: context, CDK_VALIDATION: 'false' };
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', env });
  if (status !== 0) throw new Error(stderr);
  return out;
}

let out = '';
/** The folder of each function's bundle, by the function's job. */
const bundles: Record<string, string> = {};

beforeAll(() => {
  out = synth('first');
  const template = JSON.parse(readFileSync(join(out, TEMPLATE), 'utf8')) as {
    Resources: Record<string, LambdaFunction>;
  };
  for (const { Type, Properties } of Object.values(template.Resources)) {
    if (Type !== 'AWS::Lambda::Function') continue;
    const job = Properties.Description.replace('expense-agent: ', '');
    bundles[job] = join(out, `asset.${Properties.Code.S3Key.replace('.zip', '')}`);
  }
}, 240_000);

afterAll(() => rmSync(place, { recursive: true, force: true }));

/** What Lambda's Node runtime has for handlers that stream. */
const LAMBDA = `globalThis.awslambda = {
  streamifyResponse: (handler) => handler,
  HttpResponseStream: { from: (stream, metadata) => Object.assign(stream, { metadata }) },
};`;

/**
 * Runs a program in a Node that has nothing but these variables and, as `bundle`, what the function exports; `first`
 * runs before it is loaded.
 */
function bare(job: string, program: string, env: Record<string, string> = FUNCTION_SETTINGS, first = '') {
  const file = join(place, 'program.mjs');
  const index = join(bundles[job] as string, 'index.mjs');
  writeFileSync(file, `${first}\nconst bundle = await import('${pathToFileURL(index)}');\n${program}`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], {
    cwd: place,
    encoding: 'utf8',
    env,
  });
  return { status, stdout, stderr };
}

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[];
    }[];
  }[];
}

/** How much of a script's text has run, as Node's own coverage counts it: the inner range wins over the outer. */
function ranBytes(folder: string, script: string): number {
  const [report = ''] = readdirSync(folder);
  const { result } = JSON.parse(readFileSync(join(folder, report), 'utf8')) as Coverage;
  const found = result.find(({ url }) => url.endsWith(`/${script}`));
  const ran = new Uint8Array(1_000_000);
  for (const { ranges } of found?.functions ?? []) {
    for (const { startOffset, endOffset, count } of ranges) ran.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  }
  return ran.reduce((sum, one) => sum + one, 0);
}

describe('the bundles', () => {
  it.each(['api', 'run-turn', 'deadline', 'sweep', 'deliver-push'])(
    '%s loads in a bare Node and has a handler',
    (job) => {
      const { stdout, stderr } = bare(job, 'console.log(typeof bundle.handler)');
      expect(stderr).toBe('');
      expect(stdout).toBe('function\n');
    },
  );

  it('api has at most 650 KB (design 13), and the others no more than it', () => {
    const size = (job: string) => statSync(join(bundles[job] as string, 'index.mjs')).size;
    expect(size('api')).toBeLessThanOrEqual(650_000);
    for (const job of ['run-turn', 'deadline', 'sweep', 'deliver-push'])
      expect(size(job)).toBeLessThanOrEqual(size('api'));
  });

  it('but run-turn leave out what turns are made of (decision 0012)', () => {
    const runsTurns = (job: string) =>
      readFileSync(join(bundles[job] as string, 'index.mjs'), 'utf8').includes('is an await missing?');
    expect(Object.keys(bundles).filter(runsTurns)).toEqual(['run-turn']);
  });

  it('api loads in at most thrice the time that a bare Node takes to start (design 13)', () => {
    const before = `
      const startedMs = spent();
      const began = spent();
      function spent() {
        const { user, system } = process.cpuUsage();
        return (user + system) / 1_000;
      }`;
    const after = 'console.log(JSON.stringify({ startedMs, loadMs: spent() - began }));';
    // Processor time, not time on the clock, and the least of several: others may be at work on this machine.
    const runs = Array.from({ length: 5 }, () => {
      const { stdout } = bare('api', after, FUNCTION_SETTINGS, before);
      return JSON.parse(stdout) as { startedMs: number; loadMs: number };
    });
    const least = (of: 'startedMs' | 'loadMs') => Math.min(...runs.map((run) => run[of]));
    expect(least('loadMs')).toBeLessThanOrEqual(3 * least('startedMs'));
  });

  it('api runs no more than 150 KB of its code to load: what few requests need is loaded by them', () => {
    const folder = join(place, 'coverage');
    expect(bare('api', '', { ...FUNCTION_SETTINGS, NODE_V8_COVERAGE: folder }).status).toBe(0);
    const bytes = ranBytes(folder, 'index.mjs');
    // 131,326 on Node 20. Nothing at all would mean that nothing was counted.
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThanOrEqual(150_000);
  });

  it('only the worker has what turns are made of', () => {
    const runs = (job: string) =>
      readFileSync(join(bundles[job] as string, 'index.mjs'), 'utf8').includes("the agent's code changed");
    expect(Object.keys(bundles).filter(runs)).toEqual(['run-turn']);
  });

  const event = JSON.stringify({
    httpMethod: 'GET',
    resource: '/.well-known/agent-card.json',
    path: '/.well-known/agent-card.json',
    headers: { Host: 'abc.execute-api.eu-west-1.amazonaws.com' },
    body: null,
    isBase64Encoded: false,
    requestContext: {
      requestId: 'r-1',
      path: '/a2a/.well-known/agent-card.json',
      domainName: 'abc.execute-api.eu-west-1.amazonaws.com',
      identity: {},
    },
  });
  const context = `{ awsRequestId: 'i-1', getRemainingTimeInMillis: () => 29000 }`;

  interface Answer {
    readonly status: number;
    readonly card: Record<string, unknown>;
  }

  it('api streams as it is deployed by default, and its card offers streams and notifications', () => {
    const program = `
      const { PassThrough } = await import('node:stream');
      const stream = new PassThrough();
      await bundle.handler(${event}, stream, ${context});
      console.log(JSON.stringify({ status: stream.metadata.statusCode, card: JSON.parse(stream.read()) }));`;
    const { stdout } = bare('api', program, { ...FUNCTION_SETTINGS, ASKBACK_STREAMING: 'on' }, LAMBDA);
    const { status, card } = JSON.parse(stdout) as Answer;
    expect(status).toBe(200);
    expect(card.capabilities).toMatchObject({ streaming: true, pushNotifications: true });
  });

  it('api serves the card of the agent that was deployed, without streams and notifications where there are none', () => {
    const program = `
      const answer = await bundle.handler(${event}, ${context});
      console.log(JSON.stringify({ status: answer.statusCode, card: JSON.parse(answer.body) }));`;
    const { ASKBACK_PUSH_QUEUE_URL: _queue, ...without } = FUNCTION_SETTINGS;
    const answer = JSON.parse(bare('api', program, without).stdout) as Answer;
    expect(answer.status).toBe(200);
    expect(answer.card.capabilities).toMatchObject({ streaming: false, pushNotifications: false });
    expect(answer.card.name).toBe('Expense agent');
    const interfaces = answer.card.supportedInterfaces as { url: string }[];
    expect(new Set(interfaces.map(({ url }) => url))).toEqual(
      new Set(['https://abc.execute-api.eu-west-1.amazonaws.com/a2a']),
    );
  });

  it('do not start without their settings, and say which are missing', () => {
    const { EXPENSE_LEDGER_TABLE: _ledger, ...rest } = FUNCTION_SETTINGS;
    expect(bare('run-turn', '', rest).stderr).toContain('EXPENSE_LEDGER_TABLE is missing');
    const { ASKBACK_TABLE: _table, ...others } = FUNCTION_SETTINGS;
    expect(bare('run-turn', '', others).stderr).toContain('ASKBACK_TABLE is missing');
  });

  it('take credentials from the environment of the function and look nowhere else', () => {
    const text = readFileSync(join(bundles.api as string, 'index.mjs'), 'utf8');
    const has = (word: string) => text.includes(word);
    expect(['AWS_SESSION_TOKEN', 'credential_process', 'sso_account_id'].map(has)).toEqual([true, false, false]);
  });
});

describe('the template', () => {
  it('is the same a second time, bundles included, so that `cdk diff` is clean', { timeout: 240_000 }, () => {
    const hash = (folder: string) =>
      createHash('sha256')
        .update(readFileSync(join(folder, TEMPLATE)))
        .digest('hex');
    expect(hash(synth('second'))).toBe(hash(out));
  });
});
