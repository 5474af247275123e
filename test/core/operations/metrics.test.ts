/** What is counted and measured, by a clock that the test moves (docs/operations.md, "Metrics"). */
import { describe, expect, it } from 'vitest';
import { doDue } from '../../../core/operations/do-due.ts';
import { runTurn } from '../../../core/operations/run-turn.ts';
import { Conflict } from '../../../core/ports.ts';
import type { AskSpec } from '../../../core/question/types.ts';
import { tinyAgent } from './tiny-agent.ts';
import { AMPLE, answerTo, request, text, world } from './world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A world whose agent has asked; what was counted on the way there is forgotten. */
async function asked(spec: Partial<AskSpec> = {}) {
  const all = world(tinyAgent({ spec }));
  await all.send(request);
  await all.deliver();
  const task = await all.send(request);
  const { log } = all.deps;
  log.metrics.length = 0;
  log.times.length = 0;
  return { ...all, task, log };
}

describe('questions', () => {
  it('asked is counted once for each question that the agent asks', async () => {
    const { deps, send, deliver } = world();
    await send(request);
    await deliver();
    expect(deps.log.metrics).toEqual(['QuestionsAsked']);
  });

  it('answered, with the time since the question; and the time until a worker goes on with it', async () => {
    const { deps, send, deliver, task, log } = await asked();
    await deps.clock.advance(90_000);
    await send(answerTo(task, { costCentre: 'CC-4410' }));
    expect([log.metrics, log.times]).toEqual([['QuestionsAnswered'], [{ metric: 'TimeToAnswer', ms: 90_000 }]]);
    await deps.clock.advance(1_250);
    await deliver();
    expect(log.times.slice(1)).toEqual([{ metric: 'AnswerToResume', ms: 1_250 }]);
  });

  it('asked again is counted apart, and an answer is measured from the question that it answers', async () => {
    const { deps, send, task, log } = await asked();
    await deps.clock.advance(10 * MINUTE);
    const again = await send({ messageId: 'm-2', taskId: task.id, parts: [text('engineering')] });
    expect([log.metrics, log.times]).toEqual([['QuestionsReasked'], []]);
    await deps.clock.advance(20_000);
    await send(answerTo(again, { costCentre: 'CC-4410' }, 'm-3'));
    expect(log.times).toEqual([{ metric: 'TimeToAnswer', ms: 20_000 }]);
  });

  it('declined is no answer, but a worker goes on with it as well', async () => {
    const { deps, send, deliver, task, log } = await asked();
    const questionId = task.status.message?.messageId as string;
    await send({ messageId: 'm-2', taskId: task.id, parts: [{ data: { questionId, decline: {} } }] });
    await deps.clock.advance(400);
    await deliver();
    expect([log.metrics, log.times]).toEqual([['QuestionsDeclined'], [{ metric: 'AnswerToResume', ms: 400 }]]);
  });

  it.each([
    ['at its time', 0, ['QuestionsExpired']],
    ['three minutes late, as late as two sweeps can be', 3 * MINUTE, ['QuestionsExpired']],
    ['later than that', 3 * MINUTE + 1, ['QuestionsExpired', 'QuestionsOverdue']],
  ])('expired %s', async (_when, lateMs, counted) => {
    const { deps, task, log } = await asked({ expiresInMs: HOUR });
    await deps.clock.advance(HOUR + lateMs);
    await doDue(deps, task.id);
    expect([log.metrics, log.times]).toEqual([counted, []]);
  });

  it('an expiry that the agent goes on after is no answer, and no time is measured', async () => {
    const { deps, deliver, task, log } = await asked({ expiresInMs: HOUR, onExpire: { then: 'resume' } });
    await deps.clock.advance(HOUR);
    await doDue(deps, task.id);
    await deliver();
    expect([log.metrics, log.times]).toEqual([['QuestionsExpired'], []]);
  });
});

describe('recovery', () => {
  it('a repeated answer is a duplicate', async () => {
    const { send, task, log } = await asked();
    await send(answerTo(task, { costCentre: 'CC-4410' }));
    log.metrics.length = 0;
    await send(answerTo(task, { costCentre: 'CC-4410' }));
    expect([log.metrics, log.times.length]).toEqual([['DuplicatesDropped'], 1]);
  });

  it('a repeated queue message measures nothing again', async () => {
    const { deps, send, deliver, task, log } = await asked();
    await send(answerTo(task, { costCentre: 'CC-4410' }));
    await deliver();
    await runTurn(deps, { taskId: task.id, turn: 2 }, AMPLE);
    expect(log.times.map(({ metric }) => metric)).toEqual(['TimeToAnswer', 'AnswerToResume']);
  });

  it('who finds the task changed has lost a race, and only who wins has answered', async () => {
    const { deps, send, task, log } = await asked();
    const { store } = deps;
    const save = store.save.bind(store);
    store.save = async (previous, next, children) => {
      store.save = save;
      await send(answerTo(task, { costCentre: 'CC-4420' }, 'm-other'));
      return save(previous, next, children);
    };
    await send(answerTo(task, { costCentre: 'CC-4410' })).catch((error: unknown) => {
      if (error instanceof Conflict) throw error;
    });
    expect([log.counted('QuestionsAnswered'), log.counted('RacesLost')]).toEqual([1, 1]);
    expect(log.times).toEqual([{ metric: 'TimeToAnswer', ms: 0 }]);
  });

  it('a lease that ran out is taken over; the second attempt measures no answer', async () => {
    const { deps, send, task, log } = await asked();
    await send(answerTo(task, { costCentre: 'CC-4410' }));
    // A worker that dies: it claims, and is never heard of again.
    await deps.store.claim(task.id, 2, { token: 'dead', untilMs: deps.clock.now() + MINUTE }, deps.clock.now());
    await deps.clock.advance(MINUTE);
    await doDue(deps, task.id);
    expect(log.counted('LeasesTakenOver')).toBe(1);
    await deps.clock.advance(5_000);
    await runTurn(deps, { taskId: task.id, turn: 2 }, AMPLE);
    expect(log.times).toEqual([{ metric: 'TimeToAnswer', ms: 0 }]);
  });
});
