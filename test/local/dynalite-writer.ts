/** Run as a child process by dynalite.test.ts: puts items until it is killed, and prints each that is confirmed. */
import { attr, HEAD_SK } from '../../aws/table-keys.ts';
import { startDynalite } from '../../local/dynalite.ts';
import { dynamoCall } from '../../local/repair-indexes.ts';

const { endpoint, tableName } = await startDynalite(process.argv[2] ?? '', 'askback-test');
const call = dynamoCall(endpoint);
for (let n = 1; ; n += 1) {
  await call('PutItem', {
    TableName: tableName,
    Item: {
      [attr.pk]: { S: `T#${n}` },
      [attr.sk]: { S: HEAD_SK },
      [attr.dueShard]: { S: 'due#0' },
      [attr.due]: { N: '7' },
    },
  });
  process.stdout.write(`${n}\n`);
}
