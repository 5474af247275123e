/**
 * A CDK app as users of the package write it, run by scripts/package-check.ts in plain Node on the unpacked package: an
 * agent of its own, a stack, and every function bundled by esbuild from the package's JavaScript.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runNode } from './run.ts';

const AGENT = `
  import { defineAgent } from 'askback/agent';
  const skill = { id: 'check', name: 'Check', description: 'Checks', tags: ['check'] };
  const card = { name: 'Agent of the packed app', description: 'A check', version: '1.0.0', skills: [skill] };
  export default defineAgent({ card, async run(turn) { const text: string = await turn.step('one', () => 'done'); } });
`;

const APP = `
  import { App, Stack } from 'aws-cdk-lib';
  import { AskbackAgent } from 'askback/cdk';
  const app = new App({ outdir: 'cdk.out', analyticsReporting: false });
  const stack = new Stack(app, 'Packed');
  const auth = { issuer: 'https://login.example.com', audience: ['packed'] };
  new AskbackAgent(stack, 'Agent', { entry: 'agent.ts', auth });
  app.synth();
`;

/** By the ends of their descriptions, as lib/agent-function.ts and lib/jwt-authorizer.ts write them. */
const WITH_AGENT = ['api', 'run-turn', 'deadline', 'sweep', 'deliver-push'];
const WITHOUT_AGENT = ['authorize'];

interface LambdaFunction {
  readonly Type: string;
  readonly Properties: { readonly Description?: string; readonly Code?: { readonly S3Key?: string } };
}

/** @param folder where `askback` is found in node_modules, and the CDK and esbuild above it */
export function synthesizePackedApp(folder: string): void {
  const place = join(folder, 'cdk-app');
  const out = join(place, 'cdk.out');
  mkdirSync(place);
  writeFileSync(join(place, 'agent.ts'), AGENT);
  writeFileSync(join(place, 'app.mjs'), APP);
  runNode(['app.mjs'], { cwd: place });

  const template = JSON.parse(readFileSync(join(out, 'Packed.template.json'), 'utf8')) as {
    Resources: Record<string, LambdaFunction>;
  };
  const resources = Object.values(template.Resources);
  if (!resources.some(({ Type }) => Type === 'AWS::DynamoDB::Table')) throw new Error('the packed app has no table');
  for (const job of [...WITH_AGENT, ...WITHOUT_AGENT]) {
    const bundle = join(out, assetOf(resources, job), 'index.mjs');
    if (!existsSync(bundle)) throw new Error(`the packed app has no bundle ${bundle} for ${job}`);
    const hasAgent = readFileSync(bundle, 'utf8').includes('Agent of the packed app');
    if (hasAgent !== WITH_AGENT.includes(job)) throw new Error(`${job} of the packed app is not built with its agent`);
  }
  loadBundle(join(out, assetOf(resources, 'run-turn'), 'index.mjs'));
}

function assetOf(resources: readonly LambdaFunction[], job: string): string {
  const found = resources.find(({ Type, Properties: { Description } }) => {
    return Type === 'AWS::Lambda::Function' && Description?.endsWith(`: ${job}`);
  });
  const key = found?.Properties.Code?.S3Key;
  if (key === undefined) throw new Error(`the packed app has no function ${job}`);
  return `asset.${key.replace('.zip', '')}`;
}

/** The settings' form counts only; the worker connects to nothing before its first message. */
const SETTINGS = {
  AWS_REGION: 'eu-west-1',
  ASKBACK_TABLE: 'tasks',
  ASKBACK_TURN_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/111122223333/turns',
  ASKBACK_PUSH_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/111122223333/push',
  ASKBACK_TIMER_GROUP: 'timers',
  ASKBACK_TIMER_ROLE_ARN: 'arn:aws:iam::111122223333:role/timers',
  ASKBACK_TIMER_TARGET_ARN: 'arn:aws:lambda:eu-west-1:111122223333:function:deadline',
  ASKBACK_TIMER_DLQ_ARN: 'arn:aws:sqs:eu-west-1:111122223333:dead',
  ASKBACK_SECRET_KEY_SECRET: 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:key-AbCdEf',
};

function loadBundle(bundle: string): void {
  const program = `
    Object.assign(process.env, ${JSON.stringify(SETTINGS)});
    const { handler } = await import(${JSON.stringify(pathToFileURL(bundle).href)});
    const { batchItemFailures } = await handler({ Records: [] }, { getRemainingTimeInMillis: () => 60_000 });
    if (batchItemFailures.length !== 0) throw new Error('the worker failed with nothing to do');
  `;
  runNode(['--input-type=module', '-e', program]);
}
