/**
 * The table that holds every task. Names of attributes and indexes come from aws/table-keys.ts; who may do what to it
 * stands in permissions.ts.
 */
import { RemovalPolicy } from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { attr, tableDefinition } from '../aws/table-keys.ts';

export interface TaskTableProps {
  /** Your own key for the table; default: the key that AWS owns. */
  readonly encryptionKey?: IKey;
  /** RETAIN also protects the table from deletion by hand. */
  readonly removalPolicy: RemovalPolicy;
}

export class TaskTable extends Construct {
  readonly table: dynamodb.Table;

  constructor(scope: Construct, id: string, { encryptionKey, removalPolicy }: TaskTableProps) {
    super(scope, id);
    this.table = new dynamodb.Table(this, 'Table', {
      partitionKey: keyOf('pk'),
      sortKey: keyOf('sk'),
      billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      timeToLiveAttribute: attr.ttl,
      deletionProtection: removalPolicy === RemovalPolicy.RETAIN,
      removalPolicy,
      ...(encryptionKey ? { encryption: dynamodb.TableEncryption.CUSTOMER_MANAGED, encryptionKey } : {}),
    });
    for (const index of definition.GlobalSecondaryIndexes ?? []) {
      const [partition, sort] = index.KeySchema ?? [];
      this.table.addGlobalSecondaryIndex({
        indexName: index.IndexName ?? '',
        partitionKey: attributeOf(partition?.AttributeName),
        sortKey: attributeOf(sort?.AttributeName),
        ...projectionOf(index.Projection?.NonKeyAttributes),
      });
    }
  }
}

/** The name in it is not used: CloudFormation names the table. */
const definition = tableDefinition('tasks');

function projectionOf(nonKeyAttributes: string[] = []) {
  return nonKeyAttributes.length === 0
    ? { projectionType: dynamodb.ProjectionType.KEYS_ONLY }
    : { projectionType: dynamodb.ProjectionType.INCLUDE, nonKeyAttributes };
}

function keyOf(key: 'pk' | 'sk'): dynamodb.Attribute {
  return attributeOf(attr[key]);
}

function attributeOf(name: string | undefined): dynamodb.Attribute {
  const found = definition.AttributeDefinitions?.find(({ AttributeName }) => AttributeName === name);
  if (!found?.AttributeName) throw new Error(`table-keys.ts defines no attribute ${name}`);
  const type = found.AttributeType === 'N' ? dynamodb.AttributeType.NUMBER : dynamodb.AttributeType.STRING;
  return { name: found.AttributeName, type };
}
