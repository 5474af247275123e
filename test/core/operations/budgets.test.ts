/** Design, section 13: what each operation costs in calls to the store, counted. */
import { describe, expect, it } from 'vitest';
import { getTask } from '../../../core/operations/get-task.ts';
import { alice, answerTo, request, text, world } from './world.ts';

describe('calls to the store', () => {
  it('create: 1 write, then 1 queue send', async () => {
    const { deps, send } = world();
    await send(request);
    expect(deps.store.calls.map((call) => call.op)).toEqual(['create']);
    expect(deps.queue.sent.map(({ message }) => message.turn)).toEqual([1]);
  });

  it('GetTask: 1 read', async () => {
    const { deps, send, deliver } = world();
    const task = await send(request);
    await deliver();
    deps.store.calls.length = 0;
    await getTask(deps, alice, { id: task.id });
    expect(deps.store.calls.map((call) => call.op)).toEqual(['load']);
  });

  it('accept an answer: 1 strong read and 1 conditional write, then 1 queue send', async () => {
    const { deps, send, deliver } = world();
    await send(request);
    await deliver();
    const asking = await send(request);
    deps.store.calls.length = 0;
    deps.queue.sent.length = 0;
    await send(answerTo(asking, { costCentre: 'CC-4410' }));
    expect(deps.store.calls.map((call) => call.op)).toEqual(['load', 'save']);
    expect(deps.queue.sent.map(({ message }) => message.turn)).toEqual([2]);
  });

  it('duplicate message: 1 read, 0 writes', async () => {
    const { deps, send, deliver } = world();
    await send(request);
    await deliver();
    const asking = await send(request);
    const answer = answerTo(asking, { costCentre: 'CC-4410' });
    await send(answer);
    await deliver();
    deps.store.calls.length = 0;
    await send(answer);
    expect(deps.store.calls.map((call) => call.op)).toEqual(['load']);
  });

  it('refused answer: 1 read and 1 write', async () => {
    const { deps, send, deliver } = world();
    await send(request);
    await deliver();
    const asking = await send(request);
    deps.store.calls.length = 0;
    await send({ messageId: 'm-9', taskId: asking.id, parts: [text('engineering')] });
    expect(deps.store.calls.map((call) => call.op)).toEqual(['load', 'save']);
  });

  it('whole cycle with k recorded steps: at most 8 + k calls', async () => {
    const { deps, send, deliver } = world();
    await send(request);
    await deliver();
    const asking = await getTask(deps, alice, { id: deps.store.heads()[0]?.taskId ?? '' });
    deps.store.calls.splice(
      deps.store.calls.findIndex((call) => call.op === 'load'),
      1,
    );
    await send(answerTo(asking, { costCentre: 'CC-4410' }));
    await deliver();
    expect(deps.store.heads()[0]?.status.state).toBe('TASK_STATE_COMPLETED');
    expect(deps.store.calls.map((call) => call.op)).toEqual([
      'create',
      'claim',
      'putStep',
      'save',
      'load',
      'save',
      'claim',
      'steps',
      'putStep',
      'save',
    ]);
  });
});
