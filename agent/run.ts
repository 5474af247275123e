/** Runs the author's code once over a host: what it comes to is the runner's to record. */
import { AgentFault } from '../core/errors.ts';
import type { TurnHost } from '../core/turn-host.ts';
import { DeclinedError, DelegateError, ExpiredError, HoldGoneError, StepError } from './errors.ts';
import { Replay } from './replay.ts';
import { CodeTurn, type Names, type Turn } from './turn.ts';

/**
 * Resolves when the code returned and all it called is done. Rejects with what the code threw, or with the AgentFault
 * or the host's error that ended the turn. Never settles when the turn was ended through the host (ask, fail, ...).
 *
 * An uncaught DeclinedError ends the task as rejected, an uncaught ExpiredError as failed, each with its message for
 * the caller. An uncaught StepError is an AgentFault: it is recorded, so another try would only throw it again.
 */
export function runTurn(host: TurnHost, code: (turn: Turn) => Promise<void> | void, names: Names = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    const replay = new Replay(host, reject);
    const turn = new CodeTurn(replay, names);
    const run = async (): Promise<void> => {
      try {
        await code(turn);
      } catch (error) {
        await replay.threw();
        return ended(host, error);
      }
      if (turn.unfinished !== undefined && !replay.closed) {
        return replay.fault('BAD_CALL', `the code returned before ${turn.unfinished} was ended`);
      }
      return replay.returned();
    };
    run().then(resolve, reject);
  });
}

function ended(host: TurnHost, error: unknown): Promise<never> {
  if (error instanceof DeclinedError) return host.end('TASK_STATE_REJECTED', error.message);
  if (error instanceof ExpiredError || error instanceof HoldGoneError)
    return host.end('TASK_STATE_FAILED', error.message);
  if (error instanceof DelegateError) {
    const rejected = error.state === 'TASK_STATE_REJECTED';
    return host.end(rejected ? 'TASK_STATE_REJECTED' : 'TASK_STATE_FAILED', error.message);
  }
  if (error instanceof StepError) {
    return Promise.reject(
      new AgentFault('STEP_FAILED', `step "${error.step}" failed: ${error.errorName}: ${error.message}`, {
        cause: error,
      }),
    );
  }
  return Promise.reject(error);
}
