/** What a deployment says of its callers is read as a whole or not at all, and the agent card says the same. */
import { describe, expect, it } from 'vitest';
import { cardSecurity } from '../../functions/card-security.ts';
import { readAuth } from '../../functions/auth-settings.ts';
import { type Environment, readSettings, wire, wireAuthorizer } from '../../functions/wiring.ts';
import { fakeDeps } from '../core/wire/support.ts';

const ISSUER = { ASKBACK_AUTH_ISSUER: 'https://login.example.com/', ASKBACK_AUTH_AUDIENCE: 'expenses' };
const OTHERS = {
  ASKBACK_TABLE: 'askback-tasks',
  ASKBACK_TURN_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/999988887777/askback-turns',
  ASKBACK_TIMER_GROUP: 'askback',
  ASKBACK_TIMER_ROLE_ARN: 'arn:aws:iam::999988887777:role/askback-timers',
  ASKBACK_TIMER_TARGET_ARN: 'arn:aws:lambda:eu-west-1:999988887777:function:askback-deadline',
  ASKBACK_TIMER_DLQ_ARN: 'arn:aws:sqs:eu-west-1:999988887777:askback-timers-dlq',
};

function problemsOf(env: Environment): string[] {
  const problems: string[] = [];
  readAuth(env, problems);
  return problems;
}

describe('settings of authentication', () => {
  it('say IAM, an issuer, or nothing', () => {
    expect(readAuth({}, [])).toBeUndefined();
    expect(readAuth({ ASKBACK_AUTH: 'iam' }, [])).toBe('iam');
    expect(readAuth({ ...ISSUER, ASKBACK_AUTH_TENANT_CLAIM: 'https://example.com/tenant' }, [])).toEqual({
      issuer: 'https://login.example.com/',
      audience: ['expenses'],
      tenantClaim: 'https://example.com/tenant',
    });
    const two = { ...ISSUER, ASKBACK_AUTH_AUDIENCE: 'expenses https://agents.example.com' };
    expect(readAuth(two, [])).toMatchObject({ audience: ['expenses', 'https://agents.example.com'] });
  });

  it.each<[Environment, string]>([
    [{ ASKBACK_AUTH: 'none' }, 'ASKBACK_AUTH is not iam'],
    [{ ...ISSUER, ASKBACK_AUTH: 'iam' }, 'exclude each other'],
    [{ ASKBACK_AUTH_ISSUER: 'https://login.example.com' }, 'ASKBACK_AUTH_AUDIENCE is missing'],
    [{ ASKBACK_AUTH_AUDIENCE: 'expenses' }, 'ASKBACK_AUTH_ISSUER is missing'],
    [{ ASKBACK_AUTH_TENANT_CLAIM: 'tenant' }, 'ASKBACK_AUTH_ISSUER is missing'],
    [{ ...ISSUER, ASKBACK_AUTH_TENANT_CLAIM: 'two words' }, 'ASKBACK_AUTH_TENANT_CLAIM is not the name of a claim'],
  ])('%j is a mistake', (env, message) => {
    expect(problemsOf(env)).toEqual([expect.stringContaining(message)]);
  });

  it.each([
    'http://login.example.com',
    'login.example.com',
    'https://',
    'https://user:pass@login.example.com',
    'https://login.example.com/?x=1',
    'https://login.example.com/#x',
    'https://login.example.com/ x',
    `https://login.example.com/${'x'.repeat(255)}`,
  ])('%s is no issuer', (issuer) => {
    expect(problemsOf({ ...ISSUER, ASKBACK_AUTH_ISSUER: issuer })).toEqual([
      'ASKBACK_AUTH_ISSUER is not the https URL of an issuer',
    ]);
  });

  it('stop the api function with all its other mistakes, and the authorizer alone', () => {
    expect(() => readSettings({ ...OTHERS, ASKBACK_AUTH_AUDIENCE: 'x' })).toThrow(
      'Askback cannot start. ASKBACK_AUTH_ISSUER is missing: the https URL of the issuer of tokens.',
    );
    expect(() => wireAuthorizer({})).toThrow('Askback cannot start. ASKBACK_AUTH_ISSUER is missing');
    expect(() => wireAuthorizer({ ASKBACK_AUTH: 'iam' })).toThrow('ASKBACK_AUTH_ISSUER is missing');
    expect(() => wireAuthorizer({ ...ISSUER, ASKBACK_AUTH_AUDIENCE: '' })).toThrow('ASKBACK_AUTH_AUDIENCE is missing');
    expect(wireAuthorizer(ISSUER).auth).toMatchObject({ issuer: 'https://login.example.com/' });
  });
});

describe('the agent card says what is asked (A2A 1.0 section 4.5)', () => {
  it('a JWT: where its issuer describes itself', () => {
    expect(
      cardSecurity({ issuer: 'https://login.example.com/', audience: ['expenses'], tenantClaim: undefined }),
    ).toEqual({
      schemes: {
        jwt: {
          openIdConnectSecurityScheme: {
            description: 'A JWT of this issuer as bearer token; audience: expenses.',
            openIdConnectUrl: 'https://login.example.com/.well-known/openid-configuration',
          },
        },
      },
      requirements: [{ schemes: { jwt: {} } }],
    });
  });

  it('IAM: the scheme that AWS signatures have in the Authorization header', () => {
    expect(cardSecurity('iam')).toMatchObject({
      schemes: { iam: { httpAuthSecurityScheme: { scheme: 'AWS4-HMAC-SHA256' } } },
      requirements: [{ schemes: { iam: {} } }],
    });
  });

  it('and callers are known by the same, not by whatever an event brings along', () => {
    const { agent } = fakeDeps();
    const options = (env: Environment) => wire(agent, { ...OTHERS, AWS_REGION: 'eu-west-1', ...env }).api;
    expect(options({ ASKBACK_AUTH: 'iam' })).toMatchObject({
      voucher: 'iam',
      card: { security: { requirements: [{ schemes: { iam: {} } }] } },
    });
    expect(options(ISSUER)).toMatchObject({
      voucher: 'authorizer',
      card: { security: { requirements: [{ schemes: { jwt: {} } }] } },
    });
    expect(options({})).toEqual({ streaming: true, card: {} });
  });
});
