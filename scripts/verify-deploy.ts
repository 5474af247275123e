/**
 * `npm run verify:deploy`: deploys the agents to an emulator with the CDK and runs the scenarios of test/e2e and four of
 * its own against them. Needs Python and the Python registry; without them it says "skipped" and why, and ends with 0.
 * It proves the wiring; that the configuration is right is what test/lib proves.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { DeleteScheduleCommand, GetScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { GetQueueAttributesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { attr, HEAD_SK, taskPk } from '../aws/table-keys.ts';
import { timerName } from '../core/ids.ts';
import type { Task } from '../core/message.ts';
import { wire } from '../test/e2e/support/bindings.ts';
import { answer, expense, REQUEST, say, taskOf } from '../test/e2e/support/expense.ts';
import { type Emulator, endGroup, NoEmulator, pause, startEmulator } from './emulator.ts';
import { root, tool } from './run.ts';

type Outputs = Readonly<
  Record<
    'ExpenseApi' | 'ExpenseQueue' | 'ExpensePokes' | 'BriefApi' | 'BriefTable' | 'BriefTimers' | 'BriefSweeps',
    string
  >
>;

const ALICE = { Authorization: 'Bearer alice-token' };
const REGION = { AWS_REGION: 'us-east-1', AWS_DEFAULT_REGION: 'us-east-1', AWS_EC2_METADATA_DISABLED: 'true' };
const KEYS = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
const APP = ['--app', 'node --import tsx scripts/emulated-app.ts'];
/** Longer than the shortest timer (core/limits.ts), so that one is made; as short as that allows. */
const EXPIRES_SECONDS = 95;

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
const place = mkdtempSync(join(tmpdir(), 'askback-verify-'));
/** Process groups of what runs now. */
const running = new Set<number | undefined>();
// Interrupted or not, nothing of this is left behind; the emulator sees to itself (emulator.ts).
process.once('exit', () => {
  for (const pid of running) endGroup(pid, 'SIGKILL');
  rmSync(place, { recursive: true, force: true, maxRetries: 5 });
});
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
let emulator: Emulator | undefined;
let skipped: string | undefined;
try {
  emulator = await startEmulator(place);
  await verify(emulator.endpoint);
} catch (error) {
  if (!(error instanceof NoEmulator)) throw error;
  skipped = error.message;
} finally {
  await emulator?.stop();
}
console.log(skipped === undefined ? 'verify:deploy: passed' : `verify:deploy: skipped: ${skipped}`);

async function verify(endpoint: string): Promise<void> {
  const env = { ...process.env, ...REGION, ...KEYS, AWS_ENDPOINT_URL: endpoint, CDK_DISABLE_CLI_TELEMETRY: 'true' };
  await cdk(['bootstrap', 'aws://000000000000/us-east-1'], env);
  const first = await deploy([], env);
  const address = (api: string) => `${endpoint}/_aws/execute-api/${api}/a2a`;
  const url = address(first.ExpenseApi);

  const parked = taskOf(await wire('JSONRPC', url, ALICE).send(say(REQUEST)));
  step('deployed; a task waits for its answer');
  const second = await deploy(['-c', `baseUrl=${url}`], env);
  if (JSON.stringify(second) !== JSON.stringify(first)) throw new Error('a second deployment made something anew');
  await cdk(['diff', ...APP, '--fail', '-c', `baseUrl=${url}`], env);
  await resumed(url, parked);
  step('deployed again, after which nothing differs; the task that had waited took its answer and completed');

  await queueMessages(endpoint, url, first);
  step('duplicate, stale and poison messages of both queues changed nothing');

  await Promise.all([
    run([tool('vitest/vitest.mjs'), 'run', 'test/e2e'], { ...process.env, ...scenarios(url) }),
    expiries(endpoint, address(first.BriefApi), first),
  ]);
  step('the scenarios of test/e2e');
  step('a question expired by its timer alone, and one whose timer had been deleted by the sweeper');
}

async function resumed(url: string, parked: Task): Promise<void> {
  const done = taskOf(await wire('HTTP+JSON', url, ALICE).send(answer(parked, { costCentre: 'CC-4420' })));
  if (done.status.state !== 'TASK_STATE_COMPLETED' || expense(done)?.costCentre !== 'CC-4420') {
    throw new Error(`the parked task did not complete: ${JSON.stringify(done.status)}`);
  }
}

/** All are acknowledged, none changes the task. */
async function queueMessages(endpoint: string, url: string, { ExpenseQueue, ExpensePokes }: Outputs): Promise<void> {
  const a2a = wire('JSONRPC', url, ALICE);
  const asked = taskOf(await a2a.send(say(REQUEST)));
  const sqs = new SQSClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const turn = JSON.stringify({ taskId: asked.id, turn: 1 });
  const nobody = JSON.stringify({ taskId: 'nobody', turn: 1 });
  const poke = JSON.stringify({ taskId: asked.id, configId: 'none' });
  await taken(sqs, ExpenseQueue, [turn, turn, nobody, 'poison', '{}']);
  await taken(sqs, ExpensePokes, [poke, poke, 'poison', '{}']);
  const after = taskOf(await a2a.get(asked.id));
  if (JSON.stringify(after.status) !== JSON.stringify(asked.status)) throw new Error('a stale message changed a task');
}

/** Sends the messages, and waits until the queue is empty. */
async function taken(sqs: SQSClient, QueueUrl: string, bodies: readonly string[]): Promise<void> {
  for (const MessageBody of bodies) await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  await until('an empty queue', 60, async () => {
    const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...AttributeNames] }),
    );
    return AttributeNames.every((name) => Attributes?.[name] === '0');
  });
}

/**
 * Two questions expire: one by its timer, while the sweeper's rule is disabled, and one whose timer was deleted by hand,
 * once the rule is enabled again. Looks into the table, because whoever asks for a task expires what is overdue.
 */
async function expiries(endpoint: string, url: string, names: Outputs): Promise<void> {
  const settings = { endpoint, region: 'us-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
  const scheduler = new SchedulerClient(settings);
  const dynamo = new DynamoDBClient(settings);
  const a2a = wire('JSONRPC', url, ALICE);
  const nameOf = (id: string) => ({ GroupName: names.BriefTimers, Name: timerName(id, 1, 'expire') });
  const stateOf = async (id: string) => {
    const Key = { [attr.pk]: { S: taskPk(id) }, [attr.sk]: { S: HEAD_SK } };
    const { Item } = await dynamo.send(new GetItemCommand({ TableName: names.BriefTable, Key, ConsistentRead: true }));
    return Item?.[attr.state]?.S;
  };
  const expired = (id: string) =>
    until(`the expiry of ${id}`, EXPIRES_SECONDS + 120, async () => (await stateOf(id)) === 'TASK_STATE_FAILED');

  await sweeps(endpoint, 'DisableRule', names);
  const swept = taskOf(await a2a.send(say(String(EXPIRES_SECONDS))));
  const timed = taskOf(await a2a.send(say(String(EXPIRES_SECONDS))));
  await scheduler.send(new DeleteScheduleCommand(nameOf(swept.id)));
  await scheduler.send(new GetScheduleCommand(nameOf(timed.id)));
  await expired(timed.id);
  const waiting = await stateOf(swept.id);
  if (waiting !== 'TASK_STATE_INPUT_REQUIRED') throw new Error(`nobody should have moved this task: ${waiting}`);
  await sweeps(endpoint, 'EnableRule', names);
  await expired(swept.id);
}

/** Not through a client: for one call of a service that nothing else here uses, none is installed. */
async function sweeps(endpoint: string, action: 'EnableRule' | 'DisableRule', { BriefSweeps }: Outputs): Promise<void> {
  const headers = {
    'Content-Type': 'application/x-amz-json-1.1',
    'X-Amz-Target': `AWSEvents.${action}`,
    Authorization:
      'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/events/aws4_request, SignedHeaders=host, Signature=0',
  };
  const response = await fetch(endpoint, { method: 'POST', headers, body: JSON.stringify({ Name: BriefSweeps }) });
  if (!response.ok) throw new Error(`${action}: ${response.status} ${await response.text()}`);
}

async function deploy(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Outputs> {
  const file = join(place, 'outputs.json');
  await cdk(['deploy', ...APP, '--require-approval', 'never', ...args, '--outputs-file', file], env);
  return (JSON.parse(readFileSync(file, 'utf8')) as { verify: Outputs }).verify;
}

function cdk(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  return run([tool('aws-cdk/bin/cdk'), ...args, '--output', join(place, 'cdk.out'), '--progress', 'events'], env, true);
}

function scenarios(url: string): Record<string, string> {
  const users = ['alice', 'bob', 'carol', 'other-alice'];
  const tokens = users.map((user) => [`ASKBACK_E2E_TOKEN_${user.toUpperCase()}`, `${user}-token`]);
  // The emulator's gateway answers in one piece.
  return { ...Object.fromEntries(tokens), ASKBACK_E2E_URL: url, ASKBACK_E2E_STREAMS: 'off' };
}

/** Runs Node with the arguments; quiet unless it fails. */
function run(args: readonly string[], env: NodeJS.ProcessEnv, quiet = false): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      env,
      detached: true,
      stdio: ['ignore', quiet ? 'pipe' : 'inherit', 'pipe'],
    });
    running.add(child.pid);
    const said: string[] = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => said.push(String(chunk)));
    child.once('error', reject);
    child.once('close', (status) => {
      running.delete(child.pid);
      if (status === 0) return resolve();
      reject(new Error(`${args.join(' ')} ended with ${status}:\n${said.join('').slice(-4_000)}`));
    });
  });
}

async function until(what: string, seconds: number, look: () => Promise<boolean>): Promise<void> {
  const endsAt = Date.now() + seconds * 1_000;
  while (!(await look())) {
    if (Date.now() > endsAt) throw new Error(`waited ${seconds} s for ${what}`);
    await pause(500);
  }
}

function step(what: string): void {
  console.log(`verify:deploy: ${what}`);
}
