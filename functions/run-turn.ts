/** The run-turn function: SQS records to turns and to what is to be undone, one by one, with partial batch failures. */
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { RetryableError } from '../core/errors.ts';
import { runTurn } from '../core/operations/run-turn.ts';
import { runUndo } from '../core/operations/undo.ts';
import type { Deps } from '../core/ports.ts';
import { parseQueueMessage, type QueueMessage } from '../core/queue-message.ts';
import { eventStack, type Handler } from './middleware.ts';

export function runTurnHandler(
  deps: Deps,
  run: typeof runTurn = runTurn,
  undo: typeof runUndo = runUndo,
): Handler<SQSEvent, SQSBatchResponse> {
  return eventStack(deps.log, async (event, context) => {
    const budget = { remainingMs: () => context.getRemainingTimeInMillis() };
    const batchItemFailures: SQSBatchResponse['batchItemFailures'] = [];
    for (const record of event.Records) {
      const message = parseQueueMessage(record.body);
      if (message === undefined) {
        // Another delivery would not mend it, and what stands in it is not ours to show.
        deps.log.error('dropped a queue message that is not a turn', { messageId: record.messageId });
        continue;
      }
      try {
        if (message.turn === undefined) await undo(deps, message);
        else await run(deps, message, budget);
      } catch (error) {
        logFailure(deps, record, message, error);
        batchItemFailures.push({ itemIdentifier: record.messageId });
      }
    }
    return { batchItemFailures };
  });
}

function logFailure({ log }: Deps, record: SQSRecord, message: QueueMessage, error: unknown): void {
  const fields = { messageId: record.messageId, ...message, error };
  const what = message.turn === undefined ? 'undoing' : 'turn';
  if (error instanceof RetryableError) log.warn(`${what} will be delivered again`, fields);
  else log.error(`${what} failed and will be delivered again`, fields);
}
