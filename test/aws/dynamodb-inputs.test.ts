import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { DynamoTaskStore } from '../../aws/dynamodb-task-store.ts';
import { encodeHead } from '../../aws/head-item.ts';
import type { TaskHead } from '../../core/task.ts';
import { answeredHead, next, submittedHead, T0 } from '../support/heads.ts';

const mock = mockClient(DynamoDBDocumentClient);
const store = new DynamoTaskStore({
  client: DynamoDBDocumentClient.from(new DynamoDBClient({ region: 'us-east-1' })),
  tableName: 'tasks',
  writeId: () => 'write-1',
});
beforeEach(() => {
  mock.reset();
  mock.on(QueryCommand).resolves({ Items: [] });
  mock.on(GetCommand).resolves({});
  mock.on(PutCommand).resolves({});
});

const head = submittedHead('t');
const lease = { token: 'token-a', untilMs: T0 + 70_000 };

describe('what is asked of DynamoDB', () => {
  const reads: [string, () => Promise<unknown>, object][] = [
    [
      'steps',
      () => store.steps(head),
      {
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
        ExpressionAttributeValues: { ':pk': 'T#t', ':sk': 'STEP#' },
        ConsistentRead: true,
      },
    ],
    [
      'blob',
      () => store.blob(head, 'h'),
      {
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
        ExpressionAttributeValues: { ':pk': 'T#t', ':sk': 'BLOB#h#' },
        ConsistentRead: true,
      },
    ],
    [
      'logBefore',
      () => store.logBefore(head, 41, 20),
      {
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
        ExpressionAttributeValues: { ':pk': 'T#t', ':first': 'LOG#000000', ':last': 'LOG#000011' },
        ScanIndexForward: false,
        ConsistentRead: true,
        Limit: 7,
      },
    ],
    [
      'dropSecrets',
      () => store.dropSecrets('t'),
      {
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
        ProjectionExpression: 'sk',
        ExpressionAttributeValues: { ':pk': 'T#t', ':sk': 'SECRET#' },
        ConsistentRead: true,
      },
    ],
    [
      'due',
      () => store.due(3, T0, 100),
      {
        IndexName: 'due',
        KeyConditionExpression: 'ds = :shard AND due <= :now',
        ExpressionAttributeValues: { ':shard': 'due#3', ':now': 1_800_000_000_000 },
        Limit: 100,
      },
    ],
  ];
  it.each(reads)('%s: one query, strongly consistent where the table is asked', async (_, call, input) => {
    await call();
    expect(mock.commandCalls(QueryCommand).map((sent) => sent.args[0].input)).toEqual([
      { TableName: 'tasks', ...input },
    ]);
  });

  it('secret: one strongly consistent read', async () => {
    await store.secret(head, 's-1');
    expect(mock.commandCalls(GetCommand).map((sent) => sent.args[0].input)).toEqual([
      { TableName: 'tasks', Key: { pk: 'T#t', sk: 'SECRET#s-1' }, ConsistentRead: true },
    ]);
  });

  it('create: the whole item, if there is none', async () => {
    await store.create(head, []);
    expect(mock.commandCalls(PutCommand).map((sent) => sent.args[0].input)).toEqual([
      {
        TableName: 'tasks',
        Item: encodeHead(head, ['write-1']),
        ConditionExpression: 'attribute_not_exists(pk)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    ]);
  });

  it('save: the whole item, if version and birth are as read; seq and lease are not asked (section 8)', async () => {
    const read = submittedHead('t');
    await store.save(read, next(read));
    expect(mock.commandCalls(PutCommand).map((sent) => sent.args[0].input)).toEqual([
      {
        TableName: 'tasks',
        Item: encodeHead(next(head), ['write-1']),
        ConditionExpression: 'v = :version AND born = :born',
        ExpressionAttributeValues: { ':version': 1, ':born': 1_800_000_000_000 },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    ]);
  });

  const claims: [string, number, TaskHead, object][] = [
    [
      'of a task that works: version, due and the claim, if this turn is requested',
      2,
      answeredHead('t'),
      {
        UpdateExpression: 'SET v = v + :one, due = :until, claim = :claim REMOVE req',
        ConditionExpression: 'req = :requested',
        ExpressionAttributeValues: {
          ':one': 1,
          ':requested': 2,
          ':until': 1_800_000_070_000,
          ':claim': '["token-a"]',
        },
      },
    ],
    [
      'of a new task: its state and its time besides; seq and generation are not asked',
      1,
      submittedHead('t'),
      {
        UpdateExpression: 'SET v = v + :one, due = :until, claim = :claim, st = :working, #statusAt = :now REMOVE req',
        ConditionExpression: 'req = :requested',
        ExpressionAttributeNames: { '#statusAt': 'at' },
        ExpressionAttributeValues: {
          ':one': 1,
          ':requested': 0,
          ':working': 'TASK_STATE_WORKING',
          ':now': 1_800_000_000_000,
          ':until': 1_800_000_070_000,
          ':claim': '["token-a",1]',
        },
      },
    ],
  ];
  it.each(claims)('claim %s', async (_, turn, head, input) => {
    mock.on(UpdateCommand).resolves({ Attributes: encodeHead(head, ['w']) });
    await store.claim('t', turn, lease, T0);
    expect(mock.commandCalls(UpdateCommand).map((sent) => sent.args[0].input)).toEqual([
      {
        TableName: 'tasks',
        Key: { pk: 'T#t', sk: 'HEAD' },
        ...input,
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    ]);
  });

  it('remove: all keys of the task, strongly consistent', async () => {
    mock.on(GetCommand).resolves({ Item: encodeHead(head, ['w']) });
    await store.remove(head).catch(() => undefined);
    expect(mock.commandCalls(QueryCommand).map((sent) => sent.args[0].input)).toEqual([
      {
        TableName: 'tasks',
        KeyConditionExpression: 'pk = :pk',
        ProjectionExpression: 'sk',
        ExpressionAttributeValues: { ':pk': 'T#t' },
        ConsistentRead: true,
      },
    ]);
  });
});
