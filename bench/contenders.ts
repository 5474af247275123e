/** Who can be measured, by name: what the process of a contender is started with. */
import { DynamoTaskStore } from '../aws/dynamodb-task-store.ts';
import { localClient } from '../test/support/dynalite.ts';
import { a2aJsInMemory } from './a2a-js.ts';
import { a2aJsOnDynamo, a2aJsOnDynamoUnlisted, a2aJsOnOurClient } from './a2a-js-dynamo.ts';
import { a2aJsOnSqlite } from './a2a-js-sqlite.ts';
import { askbackInMemory, askbackOn, benchDeps } from './askback.ts';
import type { Contender } from './contender.ts';
import type { Place } from './dynalite-process.ts';
import { MemoryTaskStore } from './memory-task-store.ts';
import { askingAgent } from './question.ts';

/** Those that look read question and result with GetTask. */
export type ContenderName =
  | 'askback-memory'
  | 'askback-memory-looking'
  | 'askback-memory-cloning'
  | 'askback-dynamo'
  | 'askback-dynamo-looking'
  | 'a2a-js-memory'
  | 'a2a-js-sqlite'
  | 'a2a-js-dynamo'
  | 'a2a-js-dynamo-unlisted'
  | 'a2a-js-dynamo-our-client';

/** @param place the table that those on DynamoDB share */
export async function contender(name: ContenderName, place: Place): Promise<Contender> {
  switch (name) {
    case 'askback-memory':
      return askbackInMemory();
    case 'askback-memory-looking':
      return askbackInMemory({ looks: true });
    case 'askback-memory-cloning':
      return askbackInMemory({ store: new MemoryTaskStore(structuredClone) });
    case 'a2a-js-memory':
      return a2aJsInMemory();
    case 'a2a-js-sqlite':
      return a2aJsOnSqlite();
    case 'askback-dynamo':
      return askbackOnDynamo(place);
    case 'askback-dynamo-looking':
      return askbackOnDynamo(place, true);
    case 'a2a-js-dynamo':
      return a2aJsOnDynamo(place);
    case 'a2a-js-dynamo-unlisted':
      return a2aJsOnDynamoUnlisted(place);
    case 'a2a-js-dynamo-our-client':
      return a2aJsOnOurClient(place);
    default:
      throw new Error(`no contender ${String(name satisfies never)}`);
  }
}

function askbackOnDynamo({ endpoint, tableName }: Place, looks = false): Contender {
  const client = localClient(endpoint);
  const deps = benchDeps(askingAgent(), new DynamoTaskStore({ client, tableName }));
  return askbackOn({ deps, rounds: 1, looks, stop: async () => client.destroy() });
}
