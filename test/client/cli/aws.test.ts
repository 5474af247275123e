/** `--aws-region`: requests to an agent behind AWS IAM leave signed (docs/command-line.md, credentials). */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AwsFetch } from '../../../client/cli/world.ts';
import { isLocal } from '../../e2e/support/target.ts';
import { onExpenseAgent, RECEIPT } from './on-expense-agent.ts';

const env = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'do-not-tell' };

const place = onExpenseAgent();

/** Signs by a header, and keeps what it was made for and what left unsigned. */
function signing() {
  const made: Omit<AwsFetch, 'fetch'>[] = [];
  const unsigned: string[] = [];
  let signed = 0;
  return {
    made,
    unsigned,
    count: () => signed,
    awsFetch: ({ fetch: send, ...rest }: AwsFetch): typeof fetch => {
      made.push(rest);
      return (input, init) => send(input, { ...init, headers: { ...(init?.headers as object), 'x-signed': 'yes' } });
    },
    fetch: (async (input, init) => {
      if (new Headers(init?.headers).get('x-signed') === 'yes') signed += 1;
      else unsigned.push(String(input));
      return fetch(input, init);
    }) as typeof fetch,
  };
}

describe.runIf(isLocal)('an agent behind IAM', () => {
  it('gets signed requests only, and its tasks remember the Region and no key', async () => {
    const aws = signing();
    const sent = await place.world.run(['send', place.target.url, RECEIPT, '--json', '--aws-region', 'eu-west-1'], {
      env,
      ...aws,
    });
    expect(sent.code).toBe(3);
    expect(aws.made).toEqual([{ region: 'eu-west-1', origins: [place.target.url] }]);
    const { taskId } = sent.objects[0] as { taskId: string };
    expect((await place.world.run(['answer', taskId, '1'], { env, ...aws })).code).toBe(0);
    expect(aws.made[1]).toEqual({ region: 'eu-west-1', origins: [place.target.url] });
    expect(aws.count()).toBeGreaterThan(3);
    expect(aws.unsigned).toEqual([]);
    const folder = join(place.world.folder, 'state');
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    const texts = await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')));
    expect(texts.join('')).toContain('"awsRegion":"eu-west-1"');
    expect(texts.join('')).not.toMatch(/AKIDEXAMPLE|do-not-tell/);
  });

  it.each<[string[], Record<string, string>, string]>([
    [['--aws-region', 'eu-west-1'], {}, 'no AWS credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY not set'],
    [['--aws-region', 'Ireland'], env, 'Ireland is no Region of AWS'],
    [['--aws-region', 'eu-west-1', '--bearer-env', 'T'], env, '--bearer-env and --aws-region exclude each other'],
  ])('%j: says what is wrong before anything is sent', async (options, given, words) => {
    const aws = signing();
    const { code, err } = await place.world.run(['send', place.target.url, RECEIPT, ...options], {
      env: given,
      ...aws,
    });
    expect(code).toBe(2);
    expect(err).toContain(`askback: ${words}\n`);
    expect([aws.count(), aws.unsigned]).toEqual([0, []]);
  });
});
