/**
 * What a notification says. In A2A 1.0 the event itself (4.3.3). In 0.3 the task as it is now, whatever brought it there:
 * so for several events one of these is enough, that of the newest.
 */
import { limits } from '../limits.ts';
import type { TaskStore } from '../ports.ts';
import type { TaskHead } from '../task.ts';
import { fitEvent } from '../view/fit.ts';
import { type EventEntry, viewEvent } from '../view/view-event.ts';
import { viewTask } from '../view/view-task.ts';
import type { PushConfig } from './config.ts';

export interface Payload {
  readonly mediaType: 'application/a2a+json' | 'application/json';
  readonly json: object;
}

export async function payloadOf(
  store: TaskStore,
  head: TaskHead,
  event: EventEntry,
  { protocol }: Pick<PushConfig, 'protocol'>,
): Promise<Payload> {
  if (protocol === undefined) return { mediaType: 'application/a2a+json', json: await viewEvent(store, head, event) };
  const { writeResponse } = await import('../wire/v03/rpc-write.ts');
  // What is too large goes without the content of its artifacts: nobody could send what cannot be written.
  const told = fitEvent({ task: await viewTask(store, head) }, limits.responseBytes);
  return { mediaType: 'application/json', json: writeResponse(told) };
}

/** Whether an event of this generation is left to the ones after it. */
export function isCovered({ protocol }: Pick<PushConfig, 'protocol'>, generation: number, head: TaskHead): boolean {
  return protocol !== undefined && generation < head.generation;
}
