/** What an idle stream reads (design, sections 9 and 13), by a clock that is moved by hand. */
import { subscribeToTask } from '../../core/operations/stream-task.ts';
import { fakeDeps } from '../../test/fakes/deps.ts';
import { OWNER, taskThatWaits } from '../askback.ts';
import { counted, type Line } from '../line.ts';
import { askingAgent } from '../question.ts';

const MINUTE_MS = 60_000;

export async function streamLines(): Promise<readonly Line[]> {
  const deps = fakeDeps({ agent: askingAgent() });
  const { id } = await taskThatWaits(deps);
  await deps.clock.advance(MINUTE_MS);
  const stop = new AbortController();
  const reading = drain(await subscribeToTask(deps, OWNER, { id }, { signal: stop.signal }));
  const before = deps.store.calls.length;
  await deps.clock.advance(MINUTE_MS);
  const reads = deps.store.calls.length - before;
  stop.abort();
  await reading;
  return [counted('idle stream: reads a minute', reads, '', 'stream.reads')];
}

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _item of stream);
}
