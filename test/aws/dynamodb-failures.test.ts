import {
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import { DynamoTaskStore } from '../../aws/dynamodb-task-store.ts';
import { encodeHead } from '../../aws/head-item.ts';
import { type Item, typedItem } from '../../aws/item.ts';
import { RetryableError } from '../../core/errors.ts';
import { Conflict } from '../../core/ports.ts';
import type { StepRecord, TaskHead } from '../../core/task.ts';
import { answeredHead, next, submittedHead, T0 } from '../support/heads.ts';
import { mock, mocked, slept } from '../support/mocked-dynamo.ts';

let writes = 0;
const store = new DynamoTaskStore({ ...mocked, writeId: () => `write-${++writes}` });
afterEach(() => {
  writes = 0;
});

const lease = { token: 'token-a', untilMs: T0 + 70_000 };
const head = submittedHead('t');
const record: StepRecord = { call: 1, kind: 'step', name: 's', result: { ok: { value: 1 } } };

function throttled(): Error {
  return Object.assign(new Error('slow down'), { name: 'ProvisionedThroughputExceededException' });
}

/** As DynamoDB answers a failed condition: with the item in its own notation, or without. */
function refused(item?: Item): ConditionalCheckFailedException {
  return new ConditionalCheckFailedException({
    message: 'The conditional request failed',
    $metadata: { httpStatusCode: 400 },
    ...(item ? { Item: typedItem(item) } : {}),
  });
}

describe('throttling and silence are never a lost race (R77)', () => {
  const methods: [string, () => Promise<unknown>][] = [
    ['create', () => store.create(head, [])],
    ['load', () => store.load('t')],
    ['save', () => store.save(head, next(head))],
    ['claim', () => store.claim('t', 1, lease, T0)],
    ['steps', () => store.steps(head)],
    ['putStep', () => store.putStep(head, record)],
    ['logBefore', () => store.logBefore(head, 9, 4)],
    ['blob', () => store.blob(head, 'h')],
    ['secret', () => store.secret(head, 's')],
    ['dropSecrets', () => store.dropSecrets('t')],
    ['due', () => store.due(0, T0, 10)],
    ['remove', () => store.remove(head)],
  ];
  it.each(methods)('%s, throttled', async (_, call) => {
    mock.rejects(throttled());
    await expect(call()).rejects.toMatchObject({ name: 'RetryableError', reason: 'THROTTLED' });
  });
  it.each(methods)('%s, timed out', async (_, call) => {
    mock.rejects(Object.assign(new Error('no response'), { name: 'TimeoutError' }));
    await expect(call()).rejects.toMatchObject({ name: 'RetryableError', reason: 'STORE_UNAVAILABLE' });
  });

  it('a child that cannot be written keeps the head from being written', async () => {
    mock.on(PutItemCommand).rejects(throttled());
    const lost = store.save(head, next(head), [{ kind: 'blob', hash: 'h', json: '1' }]);
    await expect(lost).rejects.toBeInstanceOf(RetryableError);
    expect(mock.commandCalls(PutItemCommand).map((call) => call.args[0].input.Item?.sk?.S)).toEqual(['BLOB#h#000']);
  });

  it('an item that is too large is a bug and surfaces as itself', async () => {
    const invalid = Object.assign(new Error('Item size has exceeded the maximum allowed size'), {
      name: 'ValidationException',
      $metadata: { httpStatusCode: 400 },
    });
    mock.on(PutItemCommand).rejects(invalid);
    await expect(store.save(head, next(head))).rejects.toBe(invalid);
  });
});

describe('a failed condition', () => {
  const winner = next(head, { toldUnread: 9 });

  it('tells the head from the returned item, without a read', async () => {
    mock.on(PutItemCommand).rejects(refused(encodeHead(winner, ['other'])));
    const lost = await store.save(head, next(head)).catch((error: unknown) => error);
    expect(lost).toBeInstanceOf(Conflict);
    expect((lost as Conflict).actual).toEqual(winner);
    expect(mock.commandCalls(GetItemCommand)).toHaveLength(0);
  });

  it('tells it from a strong read where the item is not returned', async () => {
    mock.on(PutItemCommand).rejects(refused());
    mock.on(GetItemCommand).resolves({ Item: typedItem(encodeHead(winner, ['other'])) });
    const lost = await store.save(head, next(head)).catch((error: unknown) => error);
    expect((lost as Conflict).actual).toEqual(winner);
    expect(mock.commandCalls(GetItemCommand).map((call) => call.args[0].input)).toEqual([
      { TableName: 'tasks', Key: { pk: { S: 'T#t' }, sk: { S: 'HEAD' } }, ConsistentRead: true },
    ]);
  });

  it('is a success where the item is our own write', async () => {
    mock.on(PutItemCommand).rejects(refused(encodeHead(next(head), ['write-0', 'write-1'])));
    expect(await store.save(head, next(head))).toEqual(next(head));
    expect(await store.create(head, []).catch(() => 'asked')).toEqual({ exists: next(head) });
  });

  it('of a claim is a success where the lease is ours, and nothing where it is not', async () => {
    const leased = (token: string): TaskHead =>
      answeredHead('t', { turn: { n: 2, phase: 'running', attempts: 1, lease: { ...lease, token } } });
    mock
      .on(UpdateItemCommand)
      .rejectsOnce(refused(encodeHead(leased('token-a'), ['w'])))
      .rejectsOnce(refused(encodeHead(leased('token-b'), ['w'])));
    expect(await store.claim('t', 2, lease, T0)).toEqual(leased('token-a'));
    expect(await store.claim('t', 2, lease, T0)).toBeUndefined();
  });

  it('of a step tells the record that stands from the returned item', async () => {
    const stands = { ...record, result: { ok: { value: 2 } } };
    mock.on(PutItemCommand).rejects(refused({ pk: 'T#t', sk: 'STEP#000001', born: T0, j: JSON.stringify(stands) }));
    expect(await store.putStep(head, record)).toEqual(stands);
    expect(mock.commandCalls(GetItemCommand)).toHaveLength(0);
  });

  it('of a creation whose obstacle has gone meanwhile is tried again', async () => {
    mock.on(PutItemCommand).rejectsOnce(refused()).resolves({});
    mock.on(GetItemCommand).resolves({});
    expect(await store.create(head, [])).toEqual({ created: head });
  });
});

describe('the write ids of a head', () => {
  it('are the newest 4, carried from the head that was read to the next', async () => {
    mock.on(GetItemCommand).resolves({ Item: typedItem(encodeHead(head, ['a', 'b', 'c', 'd'])) });
    mock.on(PutItemCommand).resolves({});
    const read = await store.load('t');
    await store.save(await store.save(read!, next(read!)), next(next(read!)));
    expect(mock.commandCalls(PutItemCommand).map((call) => JSON.parse(call.args[0].input.Item?.j?.S ?? '').w)).toEqual([
      'b c d write-1',
      'c d write-1 write-2',
    ]);
  });

  it('are random: no two writes of a process have the same', async () => {
    mock.on(PutItemCommand).resolves({});
    const random = new DynamoTaskStore(mocked);
    for (let n = 0; n < 300; n++) await random.create(head, []);
    const ids = mock
      .commandCalls(PutItemCommand)
      .map((call) => JSON.parse(call.args[0].input.Item?.j?.S ?? '').w as string);
    expect(new Set(ids).size).toBe(300);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{8}$/);
  });
});

describe('removal', () => {
  it('deletes the children one by one, none that is younger than the task could be, and then the head', async () => {
    const sks = Array.from({ length: 30 }, (_, n) => `STEP#${String(n + 1).padStart(6, '0')}`);
    mock.on(GetItemCommand).resolves({ Item: typedItem(encodeHead(head, ['w'])) });
    mock
      .on(QueryCommand)
      .resolvesOnce({
        Items: ['HEAD', ...sks.slice(0, 20)].map((sk) => ({ sk: { S: sk } })),
        LastEvaluatedKey: { pk: { S: 'p' } },
      })
      .resolvesOnce({ Items: sks.slice(20).map((sk) => ({ sk: { S: sk } })) });
    mock.on(DeleteItemCommand).resolves({});
    await store.remove(head);
    expect(mock.commandCalls(QueryCommand)[1]?.args[0].input.ExclusiveStartKey).toEqual({ pk: { S: 'p' } });
    const deleted = mock.commandCalls(DeleteItemCommand).map((call) => call.args[0].input);
    expect(deleted.map(({ Key }) => Key?.sk?.S)).toEqual([...sks, 'HEAD']);
    expect(deleted[0]).toEqual({
      TableName: 'tasks',
      Key: { pk: { S: 'T#t' }, sk: { S: 'STEP#000001' } },
      ConditionExpression: 'attribute_not_exists(born) OR born <= :until',
      ExpressionAttributeValues: { ':until': { N: '1802592000000' } },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    expect(deleted[30]).toEqual({
      TableName: 'tasks',
      Key: { pk: { S: 'T#t' }, sk: { S: 'HEAD' } },
      ConditionExpression: 'v = :version',
      ExpressionAttributeValues: { ':version': { N: '1800000000001' } },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
  });

  it('keeps the head when a child cannot be deleted', async () => {
    mock.on(GetItemCommand).resolves({ Item: typedItem(encodeHead(head, ['w'])) });
    mock.on(QueryCommand).resolves({ Items: [{ sk: { S: 'LOG#000000' } }] });
    mock.on(DeleteItemCommand).rejects(Object.assign(new Error('slow'), { name: 'ThrottlingException' }));
    await expect(store.remove(head)).rejects.toMatchObject({ name: 'RetryableError', reason: 'THROTTLED' });
    expect(mock.commandCalls(DeleteItemCommand)).toHaveLength(1);
  });
});

describe('secrets', () => {
  it('go in batches, and what was left undone is tried again', async () => {
    const sks = Array.from({ length: 30 }, (_, n) => ({ sk: { S: `SECRET#${n}` } }));
    mock.on(QueryCommand).resolves({ Items: sks });
    const undone = { tasks: [{ DeleteRequest: { Key: { pk: { S: 'T#t' }, sk: { S: 'SECRET#7' } } } }] };
    mock
      .on(BatchWriteItemCommand)
      .resolvesOnce({ UnprocessedItems: undone })
      .resolvesOnce({ UnprocessedItems: undone })
      .resolves({});
    await store.dropSecrets('t');
    const batches = mock
      .commandCalls(BatchWriteItemCommand)
      .map((call) => call.args[0].input.RequestItems?.tasks ?? []);
    expect(batches.map((requests) => requests.length)).toEqual([25, 1, 1, 5]);
    expect(batches[1]).toEqual(undone.tasks);
    expect(slept).toEqual([50, 100]);
  });

  it('give up as throttled when the store never gets it done', async () => {
    mock.on(QueryCommand).resolves({ Items: [{ sk: { S: 'SECRET#7' } }] });
    mock.on(BatchWriteItemCommand).resolves({
      UnprocessedItems: { tasks: [{ DeleteRequest: { Key: { pk: { S: 'T#t' }, sk: { S: 'SECRET#7' } } } }] },
    });
    await expect(store.dropSecrets('t')).rejects.toMatchObject({ name: 'RetryableError', reason: 'THROTTLED' });
    expect(mock.commandCalls(BatchWriteItemCommand)).toHaveLength(8);
  });
});

describe('large values', () => {
  it('go in chunks of 350 KB, all before the head (section 4, R76)', async () => {
    mock.on(PutItemCommand).resolves({});
    const json = 'x'.repeat(800_000);
    await store.save(head, next(head), [{ kind: 'blob', hash: 'h', json }]);
    const items = mock.commandCalls(PutItemCommand).map((call) => call.args[0].input.Item ?? {});
    expect(items.map((item) => item.sk?.S)).toEqual(['BLOB#h#000', 'BLOB#h#001', 'BLOB#h#002', 'HEAD']);
    expect(items.slice(0, 3).map((item) => item.x?.B?.length)).toEqual([358_400, 358_400, 83_200]);
  });

  it('of which a chunk is missing are not there', async () => {
    mock
      .on(QueryCommand)
      .resolves({ Items: [typedItem({ sk: 'BLOB#h#000', born: T0, of: 2, x: new Uint8Array([34]) })] });
    expect(await store.blob(head, 'h')).toBeUndefined();
  });

  it('are written at most 8 at a time', async () => {
    let under = 0;
    let most = 0;
    mock.on(PutItemCommand).callsFake(async () => {
      under += 1;
      most = Math.max(most, under);
      await new Promise((resolve) => setImmediate(resolve));
      under -= 1;
      return {};
    });
    const children = Array.from({ length: 30 }, (_, n) => ({ kind: 'blob' as const, hash: `h${n}`, json: '1' }));
    await store.save(head, next(head), children);
    expect(most).toBe(8);
    expect(mock.commandCalls(PutItemCommand)).toHaveLength(31);
  });
});
