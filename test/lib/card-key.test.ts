/** The key that signs the agent card: its secret is named to the api function, and its value never leaves it before. */
import { SecretValue, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { describe, expect, it } from 'vitest';
import { readContext } from '../../bin/context.ts';
import { addAgentStack } from '../../bin/stacks.ts';
import { AskbackAgent } from '../../lib/askback-agent.ts';
import { agentTemplate, ENTRY, properties, resources, unbundledApp } from './stacks.ts';

const ARN = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:askback/card-key-AbCdEf';
const FUNCTIONS = 'AWS::Lambda::Function';

type Statement = { Action: string | string[]; Resource: unknown };

/** 'action on resource' of every statement about secrets and keys, by role; the agent's own secret key left out. */
function rights(template: Template): Record<string, string[]> {
  const policies = Object.values(resources(template, 'AWS::IAM::Policy'));
  const found = policies.map(({ Properties }) => {
    const { Roles, PolicyDocument } = Properties as { Roles: string[]; PolicyDocument: { Statement: Statement[] } };
    const own = PolicyDocument.Statement.map(({ Action, ...rest }) => ({ actions: [Action].flat(), ...rest }));
    const about = own.filter(({ actions }) => actions.some((action) => /^(secretsmanager|kms):/.test(action)));
    const lines = about.flatMap(({ actions, Resource }) =>
      [Resource].flat().map((one) => `${actions} on ${JSON.stringify(one)}`),
    );
    return [Roles.join(), lines.filter((line) => !line.endsWith('SecretKeySecret>"'))] as const;
  });
  return Object.fromEntries(found.filter(([, lines]) => lines.length > 0));
}

const variables = (template: Template, id: string) =>
  (properties(template, FUNCTIONS, id).Environment as { Variables: Record<string, unknown> }).Variables;

describe('-c cardKeyArn', () => {
  const context = { cardKeyArn: ARN, cardKeysUrl: 'https://example.com/jwks.json' };
  const template = Template.fromStack(
    addAgentStack(
      unbundledApp(),
      readContext((name) => (context as Record<string, string>)[name]),
    ),
  );

  it('names the secret to the api function and to no other, and resolves nothing at deployment', () => {
    expect(variables(template, 'AgentApiFunction')).toMatchObject({
      ASKBACK_CARD_KEY_SECRET: ARN,
      ASKBACK_CARD_KEYS_URL: 'https://example.com/jwks.json',
    });
    for (const id of Object.keys(resources(template, FUNCTIONS)).filter((id) => id !== 'AgentApiFunction')) {
      expect(Object.keys(variables(template, id)).filter((name) => name.includes('CARD'))).toEqual([]);
    }
    const text = JSON.stringify(template.toJSON());
    expect(text.match(/resolve:[^"]*card-key/)).toBeNull();
    expect(text).not.toContain('"ASKBACK_CARD_KEY":');
  });

  it('lets the api function read this one secret, and no other function any', () => {
    expect(rights(template)).toEqual({ '<AgentApiFunctionRole>': [`secretsmanager:GetSecretValue on "${ARN}"`] });
  });

  it.each([
    ['arn:aws:secretsmanager:eu-west-1:111122223333:secret:card', '-c cardKeyArn='],
    ['card-key', '-c cardKeyArn='],
  ])('%s is refused: its right would be one to others as well', (cardKeyArn, message) => {
    expect(() => readContext((name) => ({ cardKeyArn })[name as 'cardKeyArn'])).toThrow(message);
  });

  it('goes with its address, not the other way round', () => {
    const only = { cardKeysUrl: 'https://example.com/jwks.json' };
    expect(() => readContext((name) => only[name as 'cardKeysUrl'])).toThrow('-c cardKeyArn=arn:... is missing');
  });
});

describe('cardKey of an agent', () => {
  it('without it no card is signed and nobody may read a secret for it', () => {
    expect(rights(agentTemplate())).toEqual({});
  });

  it('may be a secret of the app, encrypted with a key of yours', () => {
    const stack = new Stack(unbundledApp(), 'Demo');
    const encryptionKey = new Key(stack, 'Key');
    const secret = new Secret(stack, 'Card', { encryptionKey, secretStringValue: SecretValue.unsafePlainText('{}') });
    new AskbackAgent(stack, 'Agent', { entry: ENTRY, cardKey: { secret: secret as ISecret } });
    const template = Template.fromStack(stack);
    expect(variables(template, 'AgentApiFunction')).toMatchObject({ ASKBACK_CARD_KEY_SECRET: '<Card>' });
    expect(rights(template)).toEqual({
      '<AgentApiFunctionRole>': ['secretsmanager:GetSecretValue on "<Card>"', 'kms:Decrypt on "<Key.Arn>"'],
    });
  });

  it('may be known by its name only: the right then has the six characters that follow it open', () => {
    const stack = new Stack(unbundledApp(), 'Demo');
    const secret = Secret.fromSecretNameV2(stack, 'Card', 'card-key');
    new AskbackAgent(stack, 'Agent', { entry: ENTRY, cardKey: { secret } });
    expect(rights(Template.fromStack(stack))).toEqual({
      '<AgentApiFunctionRole>': [
        'secretsmanager:GetSecretValue on "arn:<AWS::Partition>:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret:card-key-??????"',
      ],
    });
  });
});
