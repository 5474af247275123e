import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeHead, encodeHead } from '../../aws/head-item.ts';
import {
  blobSk,
  contextKey,
  dueKey,
  dueShardOf,
  logSk,
  ownerKeys,
  headIndexKeys,
  secretSk,
  stepSk,
  tableDefinition,
  taskIdOf,
  taskPk,
} from '../../aws/table-keys.ts';
import type { TaskHead } from '../../core/task.ts';
import { fullHead, submittedHead } from '../support/heads.ts';

function source(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
}

describe('the numbered access patterns', () => {
  const rows = source('aws/table-keys.ts')
    .split('\n')
    .map((line) => /^ \* \| +([0-9]+) \|(.*)\|$/.exec(line))
    .filter((row) => row !== null)
    .map((row) => ({ number: Number(row[1]), cells: (row[2] ?? '').split('|').map((cell) => cell.trim()) }));

  it('are numbered from 1 without gaps, and each says all there is to say', () => {
    expect(rows.map((row) => row.number)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
    ]);
    for (const row of rows) {
      expect(row.cells).toHaveLength(6);
      expect(row.cells.every((cell) => cell.length > 0)).toBe(true);
    }
  });

  it('are served by the store method that names them, and by no other', () => {
    const stores = source('aws/dynamodb-task-store.ts') + source('aws/dynamodb-push-store.ts');
    const found = [...stores.matchAll(/\* Access pattern ([0-9]+)\.(?:.|\n)*?\*\/\n {2}(?:async )?(\w+)\(/g)].map(
      (match) => [Number(match[1]), match[2]],
    );
    const served = found.sort(([a], [b]) => Number(a) - Number(b));
    expect(served).toEqual([
      [1, 'create'],
      [2, 'load'],
      [3, 'save'],
      [4, 'claim'],
      [5, 'steps'],
      [6, 'putStep'],
      [7, 'logBefore'],
      [8, 'blob'],
      [9, 'secret'],
      [10, 'dropSecrets'],
      [11, 'due'],
      [12, 'remove'],
      [13, 'ownerTasks'],
      [14, 'contextTasks'],
      [15, 'loadAll'],
      [16, 'countOwnerTasks'],
      [17, 'mark'],
      [18, 'get'],
      [19, 'list'],
      [20, 'put'],
      [21, 'delete'],
      [22, 'dropSecret'],
    ]);
    const unserved = rows.filter((row) => row.cells.some((cell) => cell.includes('(not served)')));
    expect([...served.map(([number]) => number), ...unserved.map((row) => row.number)]).toEqual(
      rows.map((row) => row.number),
    );
  });

  it('need no Scan: none is imported', () => {
    for (const file of ['table', 'dynamodb-task-store', 'dynamodb-push-store', 'child-items', 'list-index'].map(
      (name) => `aws/${name}.ts`,
    )) {
      expect(source(file)).not.toContain('ScanCommand');
    }
  });
});

describe('keys', () => {
  it('are as section 4 says, and sort as their numbers do', () => {
    expect(taskPk('abc')).toBe('T#abc');
    expect(taskIdOf('T#abc')).toBe('abc');
    expect(stepSk(7)).toBe('STEP#000007');
    expect(logSk(12)).toBe('LOG#000012');
    expect(blobSk('hash', 3)).toBe('BLOB#hash#003');
    expect(secretSk('s-1')).toBe('SECRET#s-1');
    expect(dueKey(5)).toBe('due#5');
    expect([stepSk(10_000), stepSk(9), stepSk(10)].sort()).toEqual([stepSk(9), stepSk(10), stepSk(10_000)]);
  });

  it('keep two owners apart, whatever their names contain (invariant 10)', () => {
    expect(contextKey('1:a:b', 'c')).toBe('C#WkwF8iReRWdB5f4pvQ4MHxFM#c');
    expect(contextKey('1:a:b', 'c')).not.toBe(contextKey('1:a', 'b:c'));
    const keys = { agent: 'A', owner: '1:a:b' };
    expect(headIndexKeys({ ...keys, taskId: 't', contextId: 'c' }).os).toBe('O#1#IxcJeXOXmZNiqhrVpVPtbQjP');
    expect(ownerKeys(keys)).toContain('O#1#IxcJeXOXmZNiqhrVpVPtbQjP');
    expect(ownerKeys({ agent: 'A1', owner: ':a:b' })).not.toContain('O#1#IxcJeXOXmZNiqhrVpVPtbQjP');
    expect(ownerKeys({ agent: 'B', owner: '1:a:b' })).not.toContain('O#1#IxcJeXOXmZNiqhrVpVPtbQjP');
  });

  it('spread tasks over all 8 shards of the due index and all 4 of an owner', () => {
    const ids = Array.from({ length: 400 }, (_, n) => `task-${n}`);
    const shards = ids.map(dueShardOf);
    expect([...new Set(shards)].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(Math.max(...[0, 1, 2, 3, 4, 5, 6, 7].map((n) => shards.filter((shard) => shard === n).length))).toBeLessThan(
      80,
    );
    expect(
      new Set(ids.map((taskId) => headIndexKeys({ agent: 'A', owner: '1:a:b', taskId, contextId: 'c' }).os)).size,
    ).toBe(4);
  });

  it('leave a task out of byContext whose context was made for it', () => {
    const taskId = 'abcdefghijklmnopqrstuvwxyz';
    const keyOf = (contextId: string) => headIndexKeys({ agent: 'A', owner: '1:a:b', taskId, contextId }).ck;
    expect(keyOf(`ctx-${taskId}`)).toBe(undefined);
    expect(keyOf('ctx-bbcdefghijklmnopqrstuvwxyz')).toBe('C#WkwF8iReRWdB5f4pvQ4MHxFM#ctx-bbcdefghijklmnopqrstuvwxyz');
    expect(keyOf(taskId)).toBe('C#WkwF8iReRWdB5f4pvQ4MHxFM#abcdefghijklmnopqrstuvwxyz');
  });

  it('of the indexes change as rarely as they can: byOwner with the status alone, byContext never', () => {
    const keysOf = (head: TaskHead) => {
      const { os, at, ck, pk, ctx, st } = encodeHead(head, ['w']);
      return { os, at, ck, pk, ctx, st };
    };
    const head = fullHead('task-1');
    const keys = keysOf(head);
    const touched: TaskHead = {
      ...head,
      version: 42,
      seq: 24,
      generation: 20,
      dueMs: 1,
      turn: { n: 8, phase: 'idle', attempts: 0 },
    };
    expect(keysOf(touched)).toEqual(keys);
    const moved = keysOf({ ...head, status: { state: 'TASK_STATE_WORKING', atMs: 1_800_000_099_000, seq: 24 } });
    expect(moved).toEqual({ ...keys, at: 1_800_000_099_000, st: 'TASK_STATE_WORKING' });
  });
});

describe('the head item', () => {
  it('has a time to live once the task has ended, 60 days after, and none before (section 4)', () => {
    const ended = submittedHead('t', { status: { state: 'TASK_STATE_COMPLETED', atMs: 1_800_000_000_001, seq: 1 } });
    expect(encodeHead(ended, ['w']).ttl).toBe(1_805_184_001);
    expect(encodeHead(submittedHead('t'), ['w'])).not.toHaveProperty('ttl');
  });

  it('has an attribute for what keys, conditions and indexes need, and one for the rest, without what is empty', () => {
    expect(encodeHead(submittedHead('task-1'), ['a', 'b'])).toEqual({
      pk: 'T#task-1',
      sk: 'HEAD',
      v: 1_800_000_000_001,
      ctx: 'ctx-task-1',
      st: 'TASK_STATE_SUBMITTED',
      at: 1_800_000_000_000,
      req: 0,
      due: 1_800_000_050_000,
      ds: 'due#6',
      os: 'O#2#-g_XXNhqQtTTEZ26S7QFWSMT',
      ck: 'C#fnIbQv2PB2HS2fVzImzMcvpY#ctx-task-1',
      j: [
        '{"ag":"Expense agent","own":"4:acme:user-17","seq":[1,1,1,1],"turn":[1,"requested"],"disp":[1800000050000,50000],"log":[{"s":1,"t":0,"g":1,"st":"SUBMITTED",',
        '"r":{"messageId":"m-1","parts":[{"text":"File my taxi receipt"}]},"o":4}],',
        '"marks":"message-id-1digest-1","used":[1,0,0,0,0],"w":"a b"}',
      ].join(''),
    });
  });

  it.each([
    ['j', undefined],
    ['j', '{"own":'],
    ['j', 7],
    ['v', '1800000000001'],
    ['claim', 1],
  ])('of which %s is %j is damaged, and says so', (name, value) => {
    const item = { ...encodeHead(submittedHead('task-1'), ['w']), [name]: value };
    expect(() => decodeHead(item)).toThrow(new RegExp(`^item T#task-1: attribute ${name} `));
  });

  it('of which a claim lies over a turn that nobody could claim is damaged, and says so', () => {
    const idle = submittedHead('task-1', { turn: { n: 1, phase: 'idle', attempts: 0 } });
    const item = { ...encodeHead(idle, ['w']), claim: '["token-a",1800000070000]' };
    expect(() => decodeHead(item)).toThrow('task task-1: a claim lies over a turn that is idle');
  });
});

describe('the table', () => {
  it('is paid per request, with three indexes that hold keys, and byOwner what lists are filtered by', () => {
    expect(tableDefinition('tasks')).toEqual({
      TableName: 'tasks',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
        { AttributeName: 'os', AttributeType: 'S' },
        { AttributeName: 'at', AttributeType: 'N' },
        { AttributeName: 'ck', AttributeType: 'S' },
        { AttributeName: 'ds', AttributeType: 'S' },
        { AttributeName: 'due', AttributeType: 'N' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'byOwner',
          KeySchema: [
            { AttributeName: 'os', KeyType: 'HASH' },
            { AttributeName: 'at', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['ctx', 'st'] },
        },
        {
          IndexName: 'byContext',
          KeySchema: [
            { AttributeName: 'ck', KeyType: 'HASH' },
            { AttributeName: 'pk', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
        {
          IndexName: 'due',
          KeySchema: [
            { AttributeName: 'ds', KeyType: 'HASH' },
            { AttributeName: 'due', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    });
  });
});
