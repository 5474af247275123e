/** What an emulator cannot show of lists: how much a search looks at, and keys that DynamoDB leaves unread. */
import { BatchGetItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { DynamoTaskStore } from '../../aws/dynamodb-task-store.ts';
import { encodeHead } from '../../aws/head-item.ts';
import { typedItem } from '../../aws/item.ts';
import { RetryableError } from '../../core/errors.ts';
import { submittedHead } from '../support/heads.ts';
import { mock, mocked, slept } from '../support/mocked-dynamo.ts';

const store = new DynamoTaskStore(mocked);

const owner = '4:acme:user-17';
const filter = { owner, agent: 'Expense agent', state: 'TASK_STATE_REJECTED' } as const;

/** The entry that a page of the index ended at. */
const endedAt = (atMs: number, taskId = `t-${atMs}`) =>
  typedItem({ os: 'O#0#x', at: atMs, pk: `T#${taskId}`, sk: 'HEAD' });

describe('a search in the owner index', () => {
  it('asks each of the four shards for its keys and what is filtered by, newest first, and for no heads', async () => {
    mock.on(QueryCommand).resolves({ Items: [], ScannedCount: 0 });
    expect(await store.ownerTasks({ ...filter, contextId: 'c', sinceMs: 5 }, { atMs: 9, taskId: 't' }, 10)).toEqual({
      found: [],
    });
    const inputs = mock.commandCalls(QueryCommand).map((call) => call.args[0].input);
    expect(inputs.map((input) => input.ExpressionAttributeValues?.[':key']?.S)).toEqual([
      'O#0#-g_XXNhqQtTTEZ26S7QFWSMT',
      'O#1#-g_XXNhqQtTTEZ26S7QFWSMT',
      'O#2#-g_XXNhqQtTTEZ26S7QFWSMT',
      'O#3#-g_XXNhqQtTTEZ26S7QFWSMT',
    ]);
    expect(inputs[0]).toEqual({
      TableName: 'tasks',
      IndexName: 'byOwner',
      KeyConditionExpression: 'os = :key AND #statusAt BETWEEN :since AND :newest',
      FilterExpression: 'ctx = :context AND st = :state',
      ExpressionAttributeNames: {
        '#statusAt': 'at',
      },
      ExpressionAttributeValues: {
        ':key': { S: 'O#0#-g_XXNhqQtTTEZ26S7QFWSMT' },
        ':since': { N: '5' },
        ':newest': { N: '9' },
        ':context': { S: 'c' },
        ':state': { S: 'TASK_STATE_REJECTED' },
      },
      ScanIndexForward: false,
      Limit: 12,
    });
  });

  it('ends after 5,000 entries of a shard with nothing found, and says where to go on', async () => {
    let at = 1_000_000;
    mock.on(QueryCommand).callsFake((input: { Limit: number }) => {
      at -= input.Limit;
      return { Items: [], ScannedCount: input.Limit, LastEvaluatedKey: endedAt(at) };
    });
    const { found, more } = await store.ownerTasks(filter, undefined, 10);
    expect(found).toEqual([]);
    expect(more?.taskId).toBe('');
    const looked = mock.commandCalls(QueryCommand).map((call) => call.args[0].input.Limit ?? 0);
    expect(looked.reduce((sum, one) => sum + one, 0)).toBeLessThan(4 * 10_000);
    expect([...new Set(looked)]).toEqual([12, 48, 192, 768, 3_072, 5_000]);
  });

  it('holds back what another shard, not looked at to its end, may have to put in front', async () => {
    mock.on(QueryCommand).callsFake((input: { ExpressionAttributeValues: Record<string, { S?: string }> }) => {
      const shard = input.ExpressionAttributeValues[':key']?.S?.slice(0, 3);
      if (shard === 'O#0') return { Items: [endedAt(40), endedAt(10)], ScannedCount: 2 };
      if (shard === 'O#1') return { Items: [endedAt(30)], ScannedCount: 5_000, LastEvaluatedKey: endedAt(20) };
      return { Items: [], ScannedCount: 0 };
    });
    expect(await store.ownerTasks(filter, undefined, 10)).toEqual({
      found: [
        { atMs: 40, taskId: 't-40' },
        { atMs: 30, taskId: 't-30' },
      ],
      more: { atMs: 20, taskId: '' },
    });
  });

  it('counts without reading, and stops at its share of the bound', async () => {
    mock.on(QueryCommand).resolves({ Count: 7, ScannedCount: 25, LastEvaluatedKey: endedAt(1) });
    expect(await store.countOwnerTasks(filter, 100)).toBe(28);
    const inputs = mock.commandCalls(QueryCommand).map((call) => call.args[0].input);
    expect(inputs).toHaveLength(4);
    expect(inputs[0]).toMatchObject({ Select: 'COUNT', Limit: 25 });
  });
});

describe('heads read together', () => {
  const heads = ['a', 'b'].map((taskId) => submittedHead(taskId));
  const items = heads.map((head) => typedItem(encodeHead(head, ['w'])));
  const keys = heads.map((head) => ({ pk: { S: `T#${head.taskId}` }, sk: { S: 'HEAD' } }));

  it('are read strongly; what DynamoDB leaves unread is asked for again', async () => {
    mock
      .on(BatchGetItemCommand)
      .resolvesOnce({ Responses: { tasks: [items[0] ?? {}] }, UnprocessedKeys: { tasks: { Keys: [keys[1] ?? {}] } } })
      .resolvesOnce({ Responses: { tasks: [items[1] ?? {}] } });
    expect(await store.loadAll(['a', 'b'])).toEqual(heads);
    expect(mock.commandCalls(BatchGetItemCommand).map((call) => call.args[0].input.RequestItems?.tasks)).toEqual([
      { Keys: keys, ConsistentRead: true },
      { Keys: [keys[1]], ConsistentRead: true },
    ]);
    expect(slept).toEqual([50]);
  });

  it('that are never given are a store that throttles, not tasks that are gone', async () => {
    mock.on(BatchGetItemCommand).resolves({ Responses: {}, UnprocessedKeys: { tasks: { Keys: keys } } });
    await expect(store.loadAll(['a', 'b'])).rejects.toBeInstanceOf(RetryableError);
    expect(slept).toEqual([50, 100, 200, 400, 800, 1_600, 3_200]);
  });

  it('are asked for in batches of 100', async () => {
    mock.on(BatchGetItemCommand).resolves({ Responses: { tasks: [] } });
    await store.loadAll(Array.from({ length: 250 }, (_, n) => `t-${n}`));
    const sizes = mock
      .commandCalls(BatchGetItemCommand)
      .map((call) => call.args[0].input.RequestItems?.tasks?.Keys?.length);
    expect(sizes).toEqual([100, 100, 50]);
  });
});
