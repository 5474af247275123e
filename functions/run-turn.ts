/** The run-turn function: SQS records to turns, one by one, with partial batch failures. */
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { RetryableError } from '../core/errors.ts';
import { isJsonObject } from '../core/json.ts';
import { runTurn } from '../core/operations/run-turn.ts';
import type { Deps, TurnMessage } from '../core/ports.ts';
import { eventStack, type Handler } from './middleware.ts';

export function runTurnHandler(deps: Deps, run: typeof runTurn = runTurn): Handler<SQSEvent, SQSBatchResponse> {
  return eventStack(deps.log, async (event, context) => {
    const budget = { remainingMs: () => context.getRemainingTimeInMillis() };
    const batchItemFailures: SQSBatchResponse['batchItemFailures'] = [];
    for (const record of event.Records) {
      const message = turnMessage(record.body);
      if (message === undefined) {
        // Another delivery would not mend it, and what stands in it is not ours to show.
        deps.log.error('dropped a queue message that is not a turn', { messageId: record.messageId });
        continue;
      }
      try {
        await run(deps, message, budget);
      } catch (error) {
        logFailure(deps, record, message, error);
        batchItemFailures.push({ itemIdentifier: record.messageId });
      }
    }
    return { batchItemFailures };
  });
}

function logFailure({ log }: Deps, record: SQSRecord, { taskId, turn }: TurnMessage, error: unknown): void {
  const fields = { messageId: record.messageId, taskId, turn, error };
  if (error instanceof RetryableError) log.warn('turn will be delivered again', fields);
  else log.error('turn failed and will be delivered again', fields);
}

function turnMessage(body: string): TurnMessage | undefined {
  try {
    const message: unknown = JSON.parse(body);
    if (!isJsonObject(message)) return undefined;
    const { taskId, turn } = message;
    if (typeof taskId !== 'string' || taskId === '') return undefined;
    return typeof turn === 'number' && Number.isSafeInteger(turn) && turn > 0 ? { taskId, turn } : undefined;
  } catch {
    return undefined;
  }
}
