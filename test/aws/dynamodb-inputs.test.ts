import { GetItemCommand, PutItemCommand, QueryCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { DynamoTaskStore } from '../../aws/dynamodb-task-store.ts';
import { encodeHead } from '../../aws/head-item.ts';
import { typedItem } from '../../aws/item.ts';
import type { TaskHead } from '../../core/task.ts';
import { answeredHead, next, submittedHead, T0 } from '../support/heads.ts';
import { mock, mocked } from '../support/mocked-dynamo.ts';

const store = new DynamoTaskStore({ ...mocked, writeId: () => 'write-1' });
beforeEach(() => {
  mock.on(QueryCommand).resolves({ Items: [] });
  mock.on(GetItemCommand).resolves({});
  mock.on(PutItemCommand).resolves({});
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
        ExpressionAttributeValues: { ':pk': { S: 'T#t' }, ':sk': { S: 'STEP#' } },
        ConsistentRead: true,
      },
    ],
    [
      'blob',
      () => store.blob(head, 'h'),
      {
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
        ExpressionAttributeValues: { ':pk': { S: 'T#t' }, ':sk': { S: 'BLOB#h#' } },
        ConsistentRead: true,
      },
    ],
    [
      'logBefore',
      () => store.logBefore(head, 41, 20),
      {
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
        ExpressionAttributeValues: { ':pk': { S: 'T#t' }, ':first': { S: 'LOG#000000' }, ':last': { S: 'LOG#000011' } },
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
        ExpressionAttributeValues: { ':pk': { S: 'T#t' }, ':sk': { S: 'SECRET#' } },
        ConsistentRead: true,
      },
    ],
    [
      'due',
      () => store.due(3, T0, 100),
      {
        IndexName: 'due',
        KeyConditionExpression: 'ds = :shard AND due <= :now',
        ExpressionAttributeValues: { ':shard': { S: 'due#3' }, ':now': { N: '1800000000000' } },
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
    expect(mock.commandCalls(GetItemCommand).map((sent) => sent.args[0].input)).toEqual([
      { TableName: 'tasks', Key: { pk: { S: 'T#t' }, sk: { S: 'SECRET#s-1' } }, ConsistentRead: true },
    ]);
  });

  it('create: the whole item, if there is none', async () => {
    await store.create(head, []);
    expect(mock.commandCalls(PutItemCommand).map((sent) => sent.args[0].input)).toEqual([
      {
        TableName: 'tasks',
        Item: typedItem(encodeHead(head, ['write-1'])),
        ConditionExpression: 'attribute_not_exists(pk)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    ]);
  });

  it('save: the whole item, if its version, which counts from the birth, is as read; seq and lease are not asked (section 8)', async () => {
    const read = submittedHead('t');
    await store.save(read, next(read));
    expect(mock.commandCalls(PutItemCommand).map((sent) => sent.args[0].input)).toEqual([
      {
        TableName: 'tasks',
        Item: typedItem(encodeHead(next(head), ['write-1'])),
        ConditionExpression: 'v = :version',
        ExpressionAttributeValues: { ':version': { N: '1800000000001' } },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    ]);
  });

  const claims: [string, number, TaskHead, object][] = [
    [
      'of a task that works: version and the claim, if this turn is requested and due will do for the lease',
      2,
      answeredHead('t'),
      {
        UpdateExpression: 'SET v = v + :one, claim = :claim REMOVE req',
        ConditionExpression: 'req = :requested AND due <= :until',
        ExpressionAttributeValues: {
          ':one': { N: '1' },
          ':requested': { N: '2' },
          ':until': { N: '1800000070000' },
          ':claim': { S: '["token-a",1800000070000]' },
        },
      },
    ],
    [
      'of a new task: its state and its time besides; seq and generation are not asked',
      1,
      submittedHead('t'),
      {
        UpdateExpression: 'SET v = v + :one, claim = :claim, st = :working, #statusAt = :now REMOVE req',
        ConditionExpression: 'req = :requested AND due <= :until',
        ExpressionAttributeNames: { '#statusAt': 'at' },
        ExpressionAttributeValues: {
          ':one': { N: '1' },
          ':requested': { N: '0' },
          ':working': { S: 'TASK_STATE_WORKING' },
          ':now': { N: '1800000000000' },
          ':until': { N: '1800000070000' },
          ':claim': { S: '["token-a",1800000070000,1]' },
        },
      },
    ],
  ];
  it.each(claims)('claim %s', async (_, turn, head, input) => {
    mock.on(UpdateItemCommand).resolves({ Attributes: typedItem(encodeHead(head, ['w'])) });
    await store.claim('t', turn, lease, T0);
    expect(mock.commandCalls(UpdateItemCommand).map((sent) => sent.args[0].input)).toEqual([
      {
        TableName: 'tasks',
        Key: { pk: { S: 'T#t' }, sk: { S: 'HEAD' } },
        ...input,
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    ]);
  });

  it('remove: all keys of the task, strongly consistent', async () => {
    mock.on(GetItemCommand).resolves({ Item: typedItem(encodeHead(head, ['w'])) });
    await store.remove(head).catch(() => undefined);
    expect(mock.commandCalls(QueryCommand).map((sent) => sent.args[0].input)).toEqual([
      {
        TableName: 'tasks',
        KeyConditionExpression: 'pk = :pk',
        ProjectionExpression: 'sk',
        ExpressionAttributeValues: { ':pk': { S: 'T#t' } },
        ConsistentRead: true,
      },
    ]);
  });
});
