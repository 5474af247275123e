import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import { hasResult, type Outcome, outcomeOf, outcomeText } from '../../inbox/outcome.ts';
import { asking, task, URI } from './support.ts';

const question: Message = {
  messageId: 'q-1',
  role: 'ROLE_AGENT',
  parts: [{ text: '?' }, { data: { questionId: 'q-1' } }],
};
const again: Message = {
  messageId: 'q-2',
  role: 'ROLE_AGENT',
  parts: [{ data: { questionId: 'q-2', previousQuestionId: 'q-1' } }],
};
const said = (messageId: string, data: JsonObject): Message => ({ messageId, role: 'ROLE_USER', parts: [{ data }] });
const told = (reason: string): Message => ({
  messageId: 's-1',
  role: 'ROLE_AGENT',
  parts: [{ text: 'no' }],
  metadata: { [URI]: { reason, question: 'q-1' } },
});
const mine = (id: string) => id.startsWith('mine');

describe('what became of a question', () => {
  it.each<[string, Parameters<typeof task>, Outcome]>([
    [
      'my answer',
      ['TASK_STATE_WORKING', [question, said('mine-1', { questionId: 'q-1', a: 1 })]],
      { kind: 'answered', mine: true },
    ],
    [
      'another’s answer',
      ['TASK_STATE_COMPLETED', [question, said('x', { questionId: 'q-1' })]],
      { kind: 'answered', mine: false },
    ],
    [
      'an answer in words',
      ['TASK_STATE_WORKING', [question, { messageId: 'x', role: 'ROLE_USER', parts: [{ text: 'yes' }] }]],
      { kind: 'answered', mine: false },
    ],
    [
      'the first of two answers, the second to another question',
      ['TASK_STATE_WORKING', [question, said('x', { questionId: 'q-1' }), said('mine-2', { questionId: 'q-9' })]],
      { kind: 'answered', mine: false },
    ],
    [
      'a decline',
      ['TASK_STATE_FAILED', [question, said('x', { questionId: 'q-1', decline: {} })]],
      { kind: 'declined', mine: false },
    ],
    [
      'a re-ask after my answer',
      ['TASK_STATE_INPUT_REQUIRED', [question, said('mine-1', { questionId: 'q-1' }), again], again],
      { kind: 'asked-again', mine: true },
    ],
    [
      'expiry, the task ended',
      ['TASK_STATE_FAILED', [question], told('QUESTION_EXPIRED')],
      { kind: 'expired', then: 'ended' },
    ],
    [
      'expiry, the task went on',
      ['TASK_STATE_COMPLETED', [question, told('QUESTION_EXPIRED_RESUMED')]],
      { kind: 'expired', then: 'went-on' },
    ],
    [
      'a default',
      ['TASK_STATE_WORKING', [question, told('QUESTION_DEFAULTED')]],
      { kind: 'expired', then: 'defaulted' },
    ],
    [
      'the last attempt',
      ['TASK_STATE_FAILED', [question, said('mine-3', { questionId: 'q-1' })], told('NO_VALID_ANSWER')],
      { kind: 'no-valid-answer', mine: true },
    ],
    ['a cancel', ['TASK_STATE_CANCELED', [question]], { kind: 'canceled' }],
    ['nothing that the record tells', ['TASK_STATE_FAILED', []], { kind: 'gone' }],
    ['a reason that no agent gives', ['TASK_STATE_FAILED', [question, told('constructor')]], { kind: 'gone' }],
  ])('%s', (_title, [state, history, message], outcome) => {
    expect(outcomeOf(task(state, history, message), 'q-1', mine)).toEqual(outcome);
  });

  it('an open question is open, and there is nothing to tell', () => {
    const outcome = outcomeOf(asking({}), 'q-1', mine);
    expect(outcome).toEqual({ kind: 'open' });
    expect(outcomeText(outcome)).toBeUndefined();
  });

  it('a history that was cut off: the agent’s word on who answered counts', () => {
    const late = { ...task('TASK_STATE_WORKING', []), metadata: { [URI]: { questionId: 'q-1', answeredBy: 'x' } } };
    expect(outcomeOf(late, 'q-1', mine)).toEqual({ kind: 'answered', mine: false });
  });

  it('artifacts are a result only when the task is completed', () => {
    const artifacts = [{ artifactId: 'a-1', parts: [{ text: 'x' }] }];
    const states = [
      'TASK_STATE_WORKING',
      'TASK_STATE_INPUT_REQUIRED',
      'TASK_STATE_FAILED',
      'TASK_STATE_COMPLETED',
    ] as const;
    expect(states.map((state) => hasResult({ ...task(state, []), artifacts }))).toEqual([false, false, false, true]);
  });
});
