/** The deliver-push function: SQS records to deliveries, side by side, with partial batch failures. */
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { RetryableError } from '../core/errors.ts';
import { isJsonObject } from '../core/json.ts';
import { deliverPush } from '../core/operations/deliver-push.ts';
import type { Deps } from '../core/ports.ts';
import type { PushPoke } from '../core/push/ports.ts';
import { eventStack, type Handler } from './middleware.ts';

export function deliverPushHandler(
  deps: Deps,
  run: typeof deliverPush = deliverPush,
): Handler<SQSEvent, SQSBatchResponse> {
  return eventStack(deps.log, async (event, context) => {
    const budget = { remainingMs: () => context.getRemainingTimeInMillis() };
    // Side by side: a receiver that is slow keeps nobody else's notifications waiting.
    const failed = await Promise.all(event.Records.map((record) => deliver(deps, run, record, budget)));
    return { batchItemFailures: failed.flat().map((itemIdentifier) => ({ itemIdentifier })) };
  });
}

/** The ids of records that are to come again: this one, or none. */
async function deliver(
  deps: Deps,
  run: typeof deliverPush,
  { messageId, body }: SQSRecord,
  budget: { remainingMs(): number },
): Promise<readonly string[]> {
  const poke = pushPoke(body);
  if (poke === undefined) {
    // Another delivery would not mend it, and what stands in it is not ours to show.
    deps.log.error('dropped a queue message that is not a poke', { messageId });
    return [];
  }
  try {
    await run(deps, poke, budget);
    return [];
  } catch (error) {
    const fields = { messageId, taskId: poke.taskId, configId: poke.configId, error };
    if (error instanceof RetryableError) deps.log.warn('a delivery will be tried again', fields);
    else deps.log.error('a delivery failed and will be tried again', fields);
    return [messageId];
  }
}

function pushPoke(body: string): PushPoke | undefined {
  try {
    const message: unknown = JSON.parse(body);
    if (!isJsonObject(message)) return undefined;
    const { taskId, configId, again } = message;
    if (typeof taskId !== 'string' || taskId === '' || typeof configId !== 'string' || configId === '')
      return undefined;
    return { taskId, configId, ...(again === true ? { again } : {}) };
  } catch {
    return undefined;
  }
}
