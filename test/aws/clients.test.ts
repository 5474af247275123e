/**
 * The SDK keeps one chain of middleware for each command of a client, and one signer for all: no call may see anything of
 * another's, and each is signed as the SDK's own signer does.
 */
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { GetScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { GetQueueUrlCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { dynamoClient, schedulerClient, sqsClient } from '../../aws/clients.ts';
import { type LocalDynamo, startDynalite } from '../support/dynalite.ts';

let dynamo: LocalDynamo;
beforeAll(async () => {
  dynamo = await startDynalite();
});
afterAll(() => dynamo.stop());

interface Request {
  readonly headers: Readonly<Record<string, string>>;
}

/** What a client would send, instead of sending it. */
const requestOf = async (
  client: Pick<DynamoDBClient, 'middlewareStack' | 'send'>,
  command: object,
): Promise<Request> => {
  const seen: Request[] = [];
  client.middlewareStack.add(
    () => async (args) => {
      seen.push(args.request as Request);
      throw new Error('seen');
    },
    { step: 'finalizeRequest', priority: 'low' },
  );
  await expect(client.send(command as GetItemCommand)).rejects.toThrow('seen');
  return seen[0] as Request;
};

const key = (n: number) => ({ pk: { S: `T#${n}` }, sk: { S: 'HEAD' } });

describe('clients', () => {
  it.each([
    ['DynamoDB', dynamoClient],
    ['SQS', sqsClient],
    ['Scheduler', schedulerClient],
  ])('of %s put the middleware of a command in order once', (_name, make) => {
    expect(make({ region: 'us-east-1' }).config).toMatchObject({ cacheMiddleware: true });
  });

  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'session' };
  const SETTINGS = { region: 'eu-central-1', credentials };
  const GET = { TableName: 't', Key: { pk: { S: 'a' } } };

  it.each([
    ['DynamoDB', 'dynamodb', dynamoClient(SETTINGS), new DynamoDBClient(SETTINGS), new GetItemCommand(GET)],
    ['SQS', 'sqs', sqsClient(SETTINGS), new SQSClient(SETTINGS), new GetQueueUrlCommand({ QueueName: 'q' })],
    [
      'Scheduler',
      'scheduler',
      schedulerClient(SETTINGS),
      new SchedulerClient(SETTINGS),
      new GetScheduleCommand({ Name: 'a b' }),
    ],
  ])('of %s sign as the client of the SDK does', async (_name, service, ours, theirs, command) => {
    const { headers, ...request } = await requestOf(ours as DynamoDBClient, command);
    const { authorization, ...unsigned } = headers;
    const at = String(headers['x-amz-date']);
    const scope = `AKIDEXAMPLE/${at.slice(0, 8)}/eu-central-1/${service}/aws4_request`;
    expect(authorization).toContain(`AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=`);
    const signingDate = new Date(at.replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z'));
    const signer = await theirs.config.signer();
    const again = await signer.sign({ ...request, headers: unsigned } as never, { signingDate });
    expect(authorization).toBe(again.headers.authorization);
  });

  it.each([
    ['DynamoDB', dynamoClient],
    ['SQS', sqsClient],
    ['Scheduler', schedulerClient],
  ])('of %s have one signer for all calls', async (_name, make) => {
    const { config } = make(SETTINGS);
    expect(await config.signer()).toBe(await config.signer());
  });

  it('ask that signer for each call', async () => {
    const client = dynamoClient(SETTINGS);
    const asked = vi.spyOn(client.config, 'signer');
    await requestOf(client, new GetItemCommand(GET));
    await requestOf(client, new GetItemCommand(GET));
    const signers = await Promise.all(asked.mock.results.map(({ value }) => value));
    expect(signers).toHaveLength(2);
    expect(signers[1]).toBe(signers[0]);
  });

  it('make a signer again where it could not be made', async () => {
    const region = vi.fn(async () => 'eu-central-1').mockRejectedValueOnce(new Error('no region yet'));
    const { config } = sqsClient({ ...SETTINGS, region } as object);
    await expect(config.signer()).rejects.toThrow('no region yet');
    await expect(config.signer()).resolves.toBe(await config.signer());
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
