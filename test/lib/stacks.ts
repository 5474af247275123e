/** Stacks for assertions: nothing is bundled, and intrinsic functions become text that a test can spell out. */
import { App, type AppProps, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AgentStack } from '../../lib/agent-stack.ts';
import type { AskbackAgentProps } from '../../lib/askback-agent.ts';
import { cdkJson } from './cdk-json.ts';

// The CDK's own rules run in checks.test.ts, once; they take seconds.
process.env.CDK_VALIDATION = 'false';

export const ENTRY = 'examples/expense-agent/deployed.ts';

/** An app as cdk.json has it, whose stacks bundle nothing. */
export function unbundledApp(props: AppProps = {}): App {
  const context = { ...cdkJson.context, 'aws:cdk:bundling-stacks': [], ...props.context };
  return new App({ ...props, analyticsReporting: false, context });
}

export function agentTemplate(agent: Partial<AskbackAgentProps> = {}, alarmTopicArn?: string): Template {
  const stack = new AgentStack(unbundledApp(), 'Demo', {
    agent: { entry: ENTRY, ...agent },
    ...(alarmTopicArn === undefined ? {} : { alarmTopicArn }),
  });
  return Template.fromStack(stack);
}

export type Properties = Readonly<Record<string, unknown>>;

interface Resource {
  readonly Type: string;
  readonly Properties: Properties;
  readonly DeletionPolicy?: string;
}

/** All resources of a type by their logical id, without its hash. */
export function resources(template: Template, type: string): Record<string, Resource> {
  const found = Object.entries(template.findResources(type)) as [string, Resource][];
  return Object.fromEntries(found.map(([id, resource]) => [plainId(id), readable(resource) as Resource]));
}

/** The properties of the only resource of a type, or of the one that is named. */
export function properties(template: Template, type: string, id?: string): Properties {
  const found = resources(template, type);
  const [first, second] = Object.keys(found);
  const name = id ?? (second === undefined ? first : undefined);
  const resource = name === undefined ? undefined : found[name];
  if (!resource) throw new Error(`${type}: ${Object.keys(found).join(', ')}`);
  return resource.Properties;
}

/** `Ref` and `Fn::GetAtt` as `<id>` and `<id.Attribute>`, `Fn::Join` as text. */
export function readable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readable);
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Record<string, unknown>;
  if (typeof fields.Ref === 'string') return `<${plainId(fields.Ref)}>`;
  const attribute = fields['Fn::GetAtt'];
  if (Array.isArray(attribute)) return `<${plainId(String(attribute[0]))}.${attribute[1]}>`;
  const join = fields['Fn::Join'];
  if (Array.isArray(join)) return (readable(join[1]) as unknown[]).join(String(join[0]));
  return Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, readable(one)]));
}

function plainId(id: string): string {
  return id.startsWith('AWS::') ? id : id.replace(/[0-9A-F]{8}$/, '');
}

/** Names that a stack fixes itself instead of leaving them to CloudFormation. */
export function fixedNames(stack: Stack): string[] {
  const { Resources } = Template.fromStack(stack).toJSON() as { Resources: Record<string, Resource> };
  const naming = /^(Name|(Alarm|Dashboard|Function|Group|LogGroup|Policy|Queue|Role|Rule|Table|Topic)Name)$/;
  return Object.values(Resources).flatMap(({ Type, Properties: all = {} }) => [
    ...Object.entries(all)
      .filter(([name, value]) => naming.test(name) && typeof value === 'string' && Type !== 'AWS::IAM::Policy')
      .map(([, value]) => String(value)),
    ...(Type === 'AWS::Lambda::Function' ? metricsAgent(all) : []),
  ]);
}

/** The dimension by which the metrics of an agent are its own. */
function metricsAgent({ Environment }: Properties): string[] {
  const { ASKBACK_METRICS_AGENT: agent } = (Environment as { Variables: Record<string, unknown> }).Variables;
  return typeof agent === 'string' ? [`metrics of ${agent}`] : [];
}
