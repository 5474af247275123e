/** The right to call an agent that knows its callers by IAM, given without an ARN made by hand (issue 3). */
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AccountPrincipal, Role, ServicePrincipal, User } from 'aws-cdk-lib/aws-iam';
import { describe, expect, it } from 'vitest';
import { AskbackAgent, type AskbackAgentProps } from '../../lib/askback-agent.ts';
import { ENTRY, properties, resources, unbundledApp } from './stacks.ts';

const ADDRESS =
  'arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:<AgentApi>/<AgentApiDeploymentStagea2a>';

function agentWithCaller(props: Partial<AskbackAgentProps> = {}) {
  const stack = new Stack(unbundledApp(), 'Demo');
  const agent = new AskbackAgent(stack, 'Agent', { entry: ENTRY, ...props });
  const caller = new Role(stack, 'Caller', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  return { stack, agent, caller };
}

function statements(stack: Stack, policy: string) {
  const { PolicyDocument } = properties(Template.fromStack(stack), 'AWS::IAM::Policy', policy);
  return (PolicyDocument as { Statement: unknown }).Statement;
}

describe('grantInvoke', () => {
  it('lets a role call all of the agent, in either binding, and nothing beside it', () => {
    const { stack, agent, caller } = agentWithCaller();
    agent.grantInvoke(caller);
    expect(statements(stack, 'CallerDefaultPolicy')).toEqual([
      { Action: 'execute-api:Invoke', Effect: 'Allow', Resource: `${ADDRESS}/*/*` },
    ]);
  });

  it('or one method at one address, where JSON-RPC is enough', () => {
    const { stack, agent, caller } = agentWithCaller();
    agent.grantInvoke(caller, { binding: 'JSONRPC' });
    expect(statements(stack, 'CallerDefaultPolicy')).toEqual([
      { Action: 'execute-api:Invoke', Effect: 'Allow', Resource: `${ADDRESS}/POST/` },
    ]);
  });

  it('gives a user of another stack the same', () => {
    const { stack, agent } = agentWithCaller();
    const other = new Stack(stack.node.root as ReturnType<typeof unbundledApp>, 'Other');
    agent.grantInvoke(new User(other, 'Person'));
    const [policy] = Object.values(resources(Template.fromStack(other), 'AWS::IAM::Policy'));
    expect(JSON.stringify(policy?.Properties.PolicyDocument)).toContain('execute-api:Invoke');
    expect(policy?.Properties.Users).toEqual(['<Person>']);
  });

  it('is refused where callers show tokens: the right would open nothing', () => {
    const { agent, caller } = agentWithCaller({
      auth: { issuer: 'https://login.example.com', audience: 'expenses' },
    });
    expect(() => agent.grantInvoke(caller)).toThrow("known by tokens, not by auth 'iam'");
  });

  it('is refused for a principal that takes no policies, such as another account', () => {
    const { agent } = agentWithCaller();
    expect(() => agent.grantInvoke(new AccountPrincipal('111122223333'))).toThrow();
  });
});
