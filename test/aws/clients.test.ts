/** The SDK keeps one chain of middleware for each command of a client: no call may see anything of another's. */
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dynamoClient, schedulerClient, sqsClient } from '../../aws/clients.ts';
import { type LocalDynamo, startDynalite } from '../support/dynalite.ts';

let dynamo: LocalDynamo;
beforeAll(async () => {
  dynamo = await startDynalite();
});
afterAll(() => dynamo.stop());

const key = (n: number) => ({ pk: { S: `T#${n}` }, sk: { S: 'HEAD' } });

describe('clients', () => {
  it.each([
    ['DynamoDB', dynamoClient],
    ['SQS', sqsClient],
    ['Scheduler', schedulerClient],
  ])('of %s put the middleware of a command in order once', (_name, make) => {
    expect(make({ region: 'us-east-1' }).config).toMatchObject({ cacheMiddleware: true });
  });

  it('answer each of many calls at once with its own', async () => {
    const { client, tableName: TableName } = dynamo;
    const numbers = Array.from({ length: 40 }, (_, n) => n);
    await Promise.all(
      numbers.map((n) => client.send(new PutItemCommand({ TableName, Item: { ...key(n), v: { N: String(n) } } }))),
    );
    const read = numbers.map(async (n) => (await client.send(new GetItemCommand({ TableName, Key: key(n) }))).Item?.v);
    expect(await Promise.all(read)).toEqual(numbers.map((n) => ({ N: String(n) })));
  });

  it('sign with the credentials that there are when a call is made', async () => {
    let ids = 0;
    const credentials = async () => ({ accessKeyId: `key-${++ids}`, secretAccessKey: 's', expiration: new Date(0) });
    const settings = { region: 'us-east-1', endpoint: dynamo.endpoint, credentials } as object;
    const client = dynamoClient(settings);
    const signedWith: string[] = [];
    client.middlewareStack.add(
      (next) => (args) => {
        const { headers } = args.request as { headers: Record<string, string> };
        signedWith.push(/Credential=(key-\d+)/.exec(headers.authorization ?? '')?.[1] ?? 'nothing');
        return next(args);
      },
      { step: 'finalizeRequest', priority: 'low' },
    );
    const newest: string[] = [];
    for (let n = 0; n < 3; n++) {
      await client.send(new GetItemCommand({ TableName: dynamo.tableName, Key: key(n) }));
      newest.push(`key-${ids}`);
    }
    client.destroy();
    expect(signedWith).toEqual(newest);
    expect(new Set(signedWith).size).toBe(3);
  });
});
