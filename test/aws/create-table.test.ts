/** A table is made before anybody uses it: DynamoDB answers CreateTable while it still cannot be written to. */
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, expect, it } from 'vitest';
import { createTable } from '../../aws/create-table.ts';
import { localClient } from '../support/dynalite.ts';

const dynalite = createRequire(import.meta.url)('dynalite') as (options: { createTableMs: number }) => Server;

let server: Server | undefined;
afterEach(() => server?.closeAllConnections());
afterEach(() => server?.close());

it('a table that was made can be written to at once, by whoever finds it there as well', async () => {
  server = dynalite({ createTableMs: 150 });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const client = localClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const put = (pk: string) =>
    client.send(new PutItemCommand({ TableName: 'tasks', Item: { pk: { S: pk }, sk: { S: 'HEAD' } } }));
  const made = createTable(client, 'tasks').then((is) => put('T#a').then(() => is));
  const found = createTable(client, 'tasks').then((is) => put('T#b').then(() => is));
  expect((await Promise.all([made, found])).toSorted()).toEqual([false, true]);
  client.destroy();
});
