/** Settings: one clear message for everything that is missing or wrong, at start. */
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { noCallbacksBecause } from '../../core/callbacks.ts';
import { type Environment, readSettings, wire } from '../../functions/wiring.ts';
import { fakeDeps } from '../core/wire/support.ts';

const GOOD = {
  ASKBACK_TABLE: 'askback-tasks',
  ASKBACK_TURN_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/999988887777/askback-turns',
  ASKBACK_TIMER_GROUP: 'askback',
  ASKBACK_TIMER_ROLE_ARN: 'arn:aws:iam::999988887777:role/askback-timers',
  ASKBACK_TIMER_TARGET_ARN: 'arn:aws:lambda:eu-west-1:999988887777:function:askback-deadline',
  ASKBACK_TIMER_DLQ_ARN: 'arn:aws:sqs:eu-west-1:999988887777:askback-timers-dlq',
};
const KEY = Buffer.alloc(32, 7).toString('base64');

describe('readSettings', () => {
  it('reads what is needed, with defaults for the rest', () => {
    expect(readSettings(GOOD)).toEqual({
      table: 'askback-tasks',
      turnQueueUrl: 'https://sqs.eu-west-1.amazonaws.com/999988887777/askback-turns',
      timerGroup: 'askback',
      timerRoleArn: 'arn:aws:iam::999988887777:role/askback-timers',
      timerTargetArn: 'arn:aws:lambda:eu-west-1:999988887777:function:askback-deadline',
      timerDeadLetterArn: 'arn:aws:sqs:eu-west-1:999988887777:askback-timers-dlq',
      pushQueueUrl: undefined,
      pushDeadLetterUrl: undefined,
      secretKey: undefined,
      logLevel: 'info',
      baseUrl: undefined,
      streaming: true,
    });
    const more = readSettings({
      ...GOOD,
      ASKBACK_SECRET_KEY: KEY,
      ASKBACK_METRICS_AGENT: 'askback-expense-agent-Agent-62EA9F79',
      ASKBACK_LOG_LEVEL: 'warn',
      ASKBACK_BASE_URL: 'https://agents.example.com/expenses/',
      ASKBACK_STREAMING: 'off',
    });
    expect(more).toMatchObject({
      logLevel: 'warn',
      metricsAgent: 'askback-expense-agent-Agent-62EA9F79',
      baseUrl: 'https://agents.example.com/expenses',
      streaming: false,
    });
    expect(more.secretKey).toEqual(Buffer.alloc(32, 7));
  });

  it('reads the push queue; who only pokes receivers needs no key to their credentials', () => {
    const push = {
      ASKBACK_PUSH_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/999988887777/askback-push',
      ASKBACK_PUSH_DLQ_URL: 'https://sqs.eu-west-1.amazonaws.com/999988887777/askback-push-dlq',
    };
    expect(readSettings({ ...GOOD, ...push, ASKBACK_SECRET_KEY: KEY })).toMatchObject({
      pushQueueUrl: push.ASKBACK_PUSH_QUEUE_URL,
      pushDeadLetterUrl: push.ASKBACK_PUSH_DLQ_URL,
    });
    const { pushQueueUrl, secretKey } = readSettings({ ...GOOD, ...push });
    expect([pushQueueUrl, secretKey]).toEqual([push.ASKBACK_PUSH_QUEUE_URL, undefined]);
    expect(() => readSettings({ ...GOOD, ASKBACK_PUSH_DLQ_URL: 'x' })).toThrow('ASKBACK_PUSH_DLQ_URL is not an http');
  });

  it('with a key the agent card is signed, and a key that is none is told without it', async () => {
    const jwk = { ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }), kid: 'key-1' };
    const settings = {
      ...GOOD,
      ASKBACK_CARD_KEY: JSON.stringify(jwk),
      ASKBACK_CARD_KEYS_URL: 'https://example.com/jwks',
    };
    const signature = await readSettings(settings).cardSigner?.sign('{}');
    const header = { alg: 'EdDSA', typ: 'JOSE', kid: 'key-1', jku: 'https://example.com/jwks' };
    expect(JSON.parse(Buffer.from(signature?.protected ?? '', 'base64url').toString())).toEqual(header);
    expect(readSettings(GOOD).cardSigner).toBeUndefined();
    expect(() => readSettings({ ...GOOD, ASKBACK_CARD_KEY: '{"kty":"oct","k":"c2VjcmV0"}' })).toThrow(
      'Askback cannot start. ASKBACK_CARD_KEY is not a private JSON Web Key with a kid, of P-256, P-384, Ed25519 or RSA.',
    );
  });

  it('names everything that is missing, in one message', () => {
    expect(() => readSettings({})).toThrow(
      'Askback cannot start. ASKBACK_TABLE is missing: the name of the DynamoDB table. ' +
        'ASKBACK_TURN_QUEUE_URL is missing: the URL of the turn queue. ' +
        'ASKBACK_TIMER_GROUP is missing: the name of the schedule group. ' +
        'ASKBACK_TIMER_ROLE_ARN is missing: the ARN of the role that lets the Scheduler invoke the deadline function. ' +
        'ASKBACK_TIMER_TARGET_ARN is missing: the ARN of the deadline function. ' +
        'ASKBACK_TIMER_DLQ_ARN is missing: the ARN of the dead-letter queue of timers.',
    );
  });

  it('names everything that is wrong, without its value', () => {
    const wrong = {
      ...GOOD,
      ASKBACK_TABLE: 'a b',
      ASKBACK_TURN_QUEUE_URL: 'turns',
      ASKBACK_TIMER_ROLE_ARN: 'role',
      ASKBACK_SECRET_KEY: 'c2hvcnQ=',
      ASKBACK_LOG_LEVEL: 'loud',
      ASKBACK_BASE_URL: 'ftp://example.com',
      ASKBACK_STREAMING: 'perhaps',
      ASKBACK_METRICS_AGENT: 'the agent',
      ASKBACK_CARD_KEYS_URL: 'keys',
      ASKBACK_CARD_KEY_SECRET: 'card key!',
    };
    expect(() => readSettings(wrong)).toThrow(
      'Askback cannot start. ASKBACK_SECRET_KEY is not the base64 of 32 bytes. ' +
        'ASKBACK_BASE_URL is not an http or https URL. ' +
        'ASKBACK_LOG_LEVEL is not one of info, warn, error, silent. ' +
        'ASKBACK_METRICS_AGENT is not up to 255 letters, digits, points, hyphens and underscores. ' +
        'ASKBACK_STREAMING is not on or off. ' +
        'ASKBACK_TABLE is not the name of the DynamoDB table. ' +
        'ASKBACK_TURN_QUEUE_URL is not the URL of the turn queue. ' +
        'ASKBACK_TIMER_ROLE_ARN is not the ARN of the role that lets the Scheduler invoke the deadline function. ' +
        'ASKBACK_CARD_KEYS_URL is not an http or https URL. ' +
        'ASKBACK_CARD_KEY_SECRET is not the name or ARN of a secret.',
    );
  });
});

describe('wire', () => {
  const { agent } = fakeDeps();

  it('offers callbacks only where there is a key to sign their addresses with, and the address is known', () => {
    const base = { ASKBACK_BASE_URL: 'https://a.example.com/x/' };
    expect(wire(agent, { ...GOOD, ...base }).deps).not.toHaveProperty('baseUrl');
    expect(wire(agent, { ...GOOD, ASKBACK_SECRET_KEY: KEY }).deps.baseUrl?.()).toBeUndefined();
    const both = wire(agent, { ...GOOD, ...base, ASKBACK_SECRET_KEY: KEY });
    expect(both.deps.baseUrl?.()).toBe('https://a.example.com/x');
    expect(noCallbacksBecause(both.deps)).toBeUndefined();
    expect(noCallbacksBecause({})).toContain('ASKBACK_SECRET_KEY');
    expect(noCallbacksBecause({ baseUrl: () => undefined })).toContain('ASKBACK_BASE_URL');
  });

  it('a key in Secrets Manager counts as one, and nothing is read before it is used', () => {
    const env = { ...GOOD, ASKBACK_SECRET_KEY_SECRET: 'key', ASKBACK_BASE_URL: 'https://a.example.com' };
    expect(wire(agent, env).deps.baseUrl?.()).toBe('https://a.example.com');
  });

  it('builds everything without calling anybody', () => {
    const { deps, api } = wire(agent, { ...GOOD, ASKBACK_SECRET_KEY: KEY, AWS_REGION: 'eu-west-1' });
    expect(deps.agent).toBe(agent);
    expect(api).toMatchObject({ streaming: true });
    const other = { ...GOOD, ASKBACK_BASE_URL: 'https://a.example.com', ASKBACK_STREAMING: 'off' };
    expect(wire(agent, other).api).toMatchObject({ baseUrl: 'https://a.example.com', streaming: false });
  });

  it('offers push notifications when there is a queue for them, and not otherwise', () => {
    const queue = 'https://sqs.eu-west-1.amazonaws.com/999988887777/askback-push';
    const env = { ...GOOD, ASKBACK_SECRET_KEY: KEY, AWS_REGION: 'eu-west-1' };
    expect(wire(agent, env).deps.push).toBeUndefined();
    expect(wire(agent, { ...env, ASKBACK_PUSH_QUEUE_URL: queue }).deps.push).toBeDefined();
  });

  it('gives an agent that wants one a folder it may write to', () => {
    const folders: string[] = [];
    const { deps } = wire(({ dataFolder }) => {
      folders.push(dataFolder);
      return agent;
    }, GOOD);
    expect(deps.agent).toBe(agent);
    expect(folders).toEqual([expect.stringMatching(/^\//)]);
  });

  it('without a key, sealing fails with the name of the setting; with one, what was sealed comes back', async () => {
    await expect(wire(agent, GOOD).deps.cipher.seal('x', 'c')).rejects.toThrow(
      'there is no secret key (ASKBACK_SECRET_KEY_SECRET)',
    );
    const { cipher } = wire(agent, { ...GOOD, ASKBACK_SECRET_KEY: KEY }).deps;
    expect(await cipher.open(await cipher.seal('x', 'c'), 'c')).toBe('x');
  });

  it('page tokens are signed alike in every container: by the key, or without one by the name of the table', async () => {
    const code = (env: Environment) => wire(agent, env).deps.signer.sign('x');
    const keyed = { ...GOOD, ASKBACK_SECRET_KEY: KEY };
    const plain = await code(GOOD);
    expect(await code(keyed)).toBe(await code(keyed));
    expect(await code(GOOD)).toBe(plain);
    expect(await code(keyed)).not.toBe(plain);
    expect(await code({ ...GOOD, ASKBACK_TABLE: 'another' })).not.toBe(plain);
  });
});
