/** A stack with one agent in it, for those who have no CDK app of their own. */
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { AGENT_CARD_PATH } from '../core/wire/card.ts';
import { AskbackAgent, type AskbackAgentProps, type CardKey } from './askback-agent.ts';
import type { AgentAlarms } from './settings.ts';

export interface AgentStackProps extends StackProps {
  readonly agent: AskbackAgentProps;
  /** An SNS topic that is told of alarms; without one they are seen on the dashboard only. */
  readonly alarmTopicArn?: string;
  /** `agent.cardKey` by the complete ARN of its secret. */
  readonly cardKeyArn?: string;
  /** See `CardKey.publicKeysUrl`. */
  readonly cardKeysUrl?: string;
}

export class AgentStack extends Stack {
  readonly agent: AskbackAgent;

  constructor(scope: Construct, id: string, props: AgentStackProps) {
    const { agent, alarmTopicArn, cardKeyArn, cardKeysUrl, ...stack } = props;
    super(scope, id, stack);
    const cardKey = cardKeyArn === undefined ? agent.cardKey : this.#cardKey(cardKeyArn, cardKeysUrl);
    this.agent = new AskbackAgent(this, 'Agent', {
      ...agent,
      alarms: this.#alarms(agent.alarms, alarmTopicArn),
      ...(cardKey === undefined ? {} : { cardKey }),
    });
    const baseUrl = agent.baseUrl?.replace(/\/+$/, '') ?? this.agent.api.baseUrl;
    const cardUrl = `${baseUrl}${AGENT_CARD_PATH}`;
    new CfnOutput(this, 'AgentCardUrl', { description: 'The agent card, which is public', value: cardUrl });
    new CfnOutput(this, 'BaseUrl', { description: 'JSON-RPC at it, HTTP+JSON below it', value: baseUrl });
    const { turns, push } = this.agent;
    this.#deadLetters('TurnDeadLettersUrl', turns.deadLetters.queueUrl);
    if (push) this.#deadLetters('PushDeadLettersUrl', push.deadLetters.queueUrl);
  }

  #deadLetters(id: string, value: string): void {
    new CfnOutput(this, id, { description: 'For askback redrive --queue-url (docs/operations.md)', value });
  }

  #cardKey(arn: string, publicKeysUrl: string | undefined): CardKey {
    const secret = Secret.fromSecretCompleteArn(this, 'CardKey', arn);
    return { secret, ...(publicKeysUrl === undefined ? {} : { publicKeysUrl }) };
  }

  #alarms(alarms: AskbackAgentProps['alarms'], topicArn: string | undefined): AgentAlarms | false {
    if (alarms === false || topicArn === undefined) return alarms ?? {};
    const topic = Topic.fromTopicArn(this, 'AlarmTopic', topicArn);
    return { actions: [...(alarms?.actions ?? []), new SnsAction(topic)] };
  }
}
