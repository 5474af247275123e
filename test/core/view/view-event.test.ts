/** Log entries as events (A2A 3.2.3, 4.2), and events within what readers of streams take. */
import { describe, expect, it } from 'vitest';
import type { Artifact } from '../../../core/message.ts';
import type { LogEntry } from '../../../core/task.ts';
import { append, keep } from '../../../core/transition/draft.ts';
import { fitEvent } from '../../../core/view/fit.ts';
import { isEvent, viewEvent } from '../../../core/view/view-event.ts';
import { write } from '../operations/streaming.ts';
import { request, world } from '../operations/world.ts';

const URI = 'https://askback.dev/a2a/extensions/question/v1';
const OMITTED = {
  text: 'This part of the artifact is too large for one event. Get the task to read it.',
  metadata: { [URI]: { omitted: 'TOO_LARGE' } },
};

/** A task at generation 1, and the event that an entry makes of it. */
async function eventOf(entry: Partial<LogEntry>, artifact?: Artifact) {
  const { deps, send } = world();
  const { id } = await send(request);
  const head = await write(deps.store, id, (draft) => {
    const chunk = artifact && { artifact: keep(draft, { artifact, append: true, lastChunk: false }) };
    append(draft, { ...entry, ...chunk }, true);
  });
  const last = head.log.at(-1);
  if (!last || !isEvent(last)) throw new Error('no event');
  return { event: await viewEvent(deps.store, head, last), id, contextId: head.contextId };
}

describe('an event', () => {
  it('of a status names task, context, state, time and generation', async () => {
    const { event, id, contextId } = await eventOf({ state: 'TASK_STATE_WORKING' });
    expect(event).toEqual({
      statusUpdate: {
        taskId: id,
        contextId,
        status: { state: 'TASK_STATE_WORKING', timestamp: '2027-01-15T08:00:00.000Z' },
        metadata: { [URI]: { generation: 2 } },
      },
    });
  });

  it('does not repeat what the caller said: that is the history’s', async () => {
    const received = { value: { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'secret' }] } };
    const { event } = await eventOf({ state: 'TASK_STATE_WORKING', received });
    expect(JSON.stringify(event)).not.toContain('secret');
  });

  it('of an artifact says what is so, and leaves out what is not; content comes from its blob', async () => {
    const artifact = { artifactId: 'a', parts: [{ text: 'x'.repeat(2_000) }] };
    const { event, id, contextId } = await eventOf({}, artifact);
    expect(event).toEqual({
      artifactUpdate: { taskId: id, contextId, artifact, append: true, metadata: { [URI]: { generation: 2 } } },
    });
  });

  it('of a part that no reader would take whole says so instead', async () => {
    const { event } = await eventOf({}, { artifactId: 'a', name: 'big', parts: [{ text: 'x'.repeat(4_000_000) }] });
    expect(event).toMatchObject({
      artifactUpdate: { artifact: { artifactId: 'a', name: 'big', parts: [OMITTED] }, append: true },
    });
  });
});

describe('the first event of a stream', () => {
  const status = { state: 'TASK_STATE_WORKING' as const, timestamp: '2027-01-15T08:00:00.000Z' };
  const big = (artifactId: string) => ({ artifactId, parts: [{ text: 'x'.repeat(2_500_000) }] });
  const said = (messageId: string) => ({ messageId, role: 'ROLE_USER' as const, parts: [{ text: 'y'.repeat(1_000) }] });

  it('is the task, its oldest history left out where it does not fit', () => {
    const task = { id: 't', contextId: 'c', status, artifacts: [big('a')], history: [said('m-1'), said('m-2')] };
    expect(fitEvent({ task })).toEqual({ task });
    const fitted = fitEvent({ task }, 2_501_500);
    expect(fitted).toMatchObject({ task: { artifacts: [{ artifactId: 'a' }], history: [{ messageId: 'm-2' }] } });
    expect('task' in fitted && fitted.task.history).toHaveLength(1);
  });

  it('without the content of artifacts that are too large together, and each says so', () => {
    const task = { id: 't', contextId: 'c', status, artifacts: [big('a'), big('b')], history: [said('m-1')] };
    expect(fitEvent({ task })).toEqual({
      task: {
        ...task,
        artifacts: [
          { artifactId: 'a', parts: [OMITTED] },
          { artifactId: 'b', parts: [OMITTED] },
        ],
      },
    });
  });
});
