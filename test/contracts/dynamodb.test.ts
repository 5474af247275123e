import { DynamoTaskStore } from '../../aws/dynamodb-task-store.ts';
import { startDynalite } from '../support/dynalite.ts';
import { childrenContract } from './children.contract.ts';
import { claimContract } from './claim.contract.ts';
import { listContract } from './list.contract.ts';
import type { TaskStore } from '../../core/ports.ts';
import { taskStoreContract } from './task-store.contract.ts';
import type { UnderTest } from './under-test.ts';

async function start(): Promise<UnderTest<TaskStore>> {
  const { client, tableName, stop } = await startDynalite();
  return { store: new DynamoTaskStore({ client, tableName }), stop };
}

taskStoreContract('DynamoDB code on dynalite', start);
claimContract('DynamoDB code on dynalite', start);
childrenContract('DynamoDB code on dynalite', start);
listContract('DynamoDB code on dynalite', start);
