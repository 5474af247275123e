/** Looks at, and interferes with, what the DynamoDB code sends: for what an emulator cannot show by itself. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

export interface Calls {
  /** Names of the commands that were sent, without repeats by the SDK: `PutItemCommand` and so on. */
  readonly sent: string[];
  /** How often something went over the wire. */
  wire: number;
  /**
   * The next request of this command does its work, then `meanwhile` happens, then its response is lost, and the SDK
   * sends it again.
   */
  lose: { readonly command: string; readonly meanwhile?: () => Promise<void> } | undefined;
}

export function watchCalls(client: DynamoDBClient): Calls {
  const calls: Calls = { sent: [], wire: 0, lose: undefined };
  client.middlewareStack.add(
    (next, context) => (args) => {
      calls.sent.push(String(context.commandName));
      return next(args);
    },
    { step: 'initialize', name: 'watchCalls' },
  );
  client.middlewareStack.add(
    (next, context) => async (args) => {
      calls.wire += 1;
      const result = await next(args);
      const { lose } = calls;
      if (lose && lose.command === context.commandName) {
        calls.lose = undefined;
        await lose.meanwhile?.();
        throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' });
      }
      return result;
    },
    // Inside the SDK's own retry, which is in this step.
    { step: 'finalizeRequest', name: 'loseResponses', priority: 'low' },
  );
  return calls;
}
