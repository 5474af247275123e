/** R76: an answer fits into one Lambda response, oldest history first (A2A 1.0 section 3.2.4 allows fewer messages). */
import { describe, expect, it } from 'vitest';
import type { Message, Task } from '../../../core/message.ts';
import { fitMessage, fitTask } from '../../../core/view/fit.ts';
import { TASK } from './support.ts';

const megabytes = (n: number, messageId: string): Message => ({
  messageId,
  role: 'ROLE_USER',
  parts: [{ text: 'x'.repeat(n * 1_000_000) }],
});

describe('fitTask', () => {
  it('gives a task that fits back as it is', () => {
    expect(fitTask(TASK)).toBe(TASK);
  });

  it('drops the oldest messages and keeps the rest', () => {
    const history = [megabytes(3, 'a'), megabytes(2, 'b'), megabytes(3, 'c')];
    expect(fitTask({ ...TASK, history }).history?.map(({ messageId }) => messageId)).toEqual(['b', 'c']);
  });

  it('leaves the field out when not even the newest message fits', () => {
    const { history: _history, ...rest } = TASK;
    expect(fitTask({ ...TASK, history: [megabytes(7, 'a')] })).toEqual(rest);
  });

  it('counts what escaping adds: quotes in a message travel as four bytes', () => {
    const quotes: Message = { messageId: 'a', role: 'ROLE_USER', parts: [{ text: '"'.repeat(2_000_000) }] };
    expect(fitTask({ ...TASK, history: [quotes] }).history).toBeUndefined();
  });

  it('refuses clearly what does not fit without history', () => {
    const huge: Task = { ...TASK, artifacts: [{ artifactId: 'a', parts: [{ text: 'x'.repeat(7_000_000) }] }] };
    expect(() => fitTask(huge)).toThrow('The task is too large for one response');
    expect(() => fitMessage(megabytes(7, 'a'))).toThrow('The reply is too large for one response');
  });
});
