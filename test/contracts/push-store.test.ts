import { expect, it } from 'vitest';
import { DynamoPushStore } from '../../aws/dynamodb-push-store.ts';
import { DynamoTaskStore } from '../../aws/dynamodb-task-store.ts';
import { MemoryPushStore } from '../fakes/memory-push-store.ts';
import { startDynalite } from '../support/dynalite.ts';
import { submittedHead } from '../support/heads.ts';
import { pushStoreContract } from './push-store.contract.ts';

pushStoreContract('in memory', async () => ({ store: new MemoryPushStore() }));
pushStoreContract('DynamoDB code on dynalite', async () => {
  const { client, tableName, stop } = await startDynalite();
  return { store: new DynamoPushStore({ client, tableName }), stop };
});

it('the configs of a task go with the task at the end of its retention (section 4)', async () => {
  const { client, tableName, stop } = await startDynalite();
  try {
    const tasks = new DynamoTaskStore({ client, tableName });
    const configs = new DynamoPushStore({ client, tableName });
    const head = submittedHead('task-1');
    await tasks.create(head, []);
    await configs.put(head, undefined, { id: 'w', version: 1, url: 'https://receiver.example/', cursor: 0 });
    await tasks.remove(head);
    expect(await configs.list(head)).toEqual([]);
  } finally {
    await stop();
  }
});
