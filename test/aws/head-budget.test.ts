import { describe, expect, it } from 'vitest';
import { encodeHead } from '../../aws/head-item.ts';
import type { Item } from '../../aws/item.ts';
import { messageDigest, ownerKey, shortHash } from '../../core/ids.ts';
import type { Message } from '../../core/message.ts';
import type { TaskHead } from '../../core/task.ts';
import type { Command } from '../../core/transition/command.ts';
import { createTask } from '../../core/transition/create.ts';
import { transition } from '../../core/transition/transition.ts';
import { T0 } from '../support/heads.ts';

/** DynamoDB's rule: names and text in UTF-8, a number 1 byte and 1 per two digits, a list 3 and 1 per element. */
function itemBytes(item: Item): number {
  const valueBytes = (value: unknown): number => {
    if (typeof value === 'string') return Buffer.byteLength(value);
    if (typeof value === 'number') return 1 + Math.ceil(String(value).length / 2);
    if (Array.isArray(value)) return 3 + value.reduce((sum: number, one) => sum + 1 + valueBytes(one), 0);
    return 1;
  };
  return Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);
}

const taskId = 'k3vq7m2zr5tbw8xj4nf6ya2cde';
const owner = ownerKey({
  tenant: 'https://login.acme-travel.example/|acme',
  principal: '7f6d2c1a-90b4-4d5e-8a31-6c2f',
});
const token = 'Zm9vYmFyYmF6cXV4MTIzNDU2';

function received(messageId: string, parts: Message['parts'], more: Partial<Message> = {}) {
  const message: Message = { messageId, role: 'ROLE_USER', parts, ...more };
  return { message, mark: { id: shortHash(messageId), digest: messageDigest(message) } };
}

function move(head: TaskHead, command: Command): TaskHead {
  const moved = transition(head, command, T0);
  if (!moved.ok) throw new Error(moved.rejection);
  return moved.head;
}

/** Every head that the worked example writes, through the code's own moves. */
function writtenHeads(): TaskHead[] {
  const first = received('5b0f3f5e-3f0c-4b43-9d6e-0a9f6f2b7c11', [
    { text: 'File my taxi receipt from Tuesday, 42 euros' },
  ]);
  const created = createTask({
    taskId,
    contextId: 'ctx-p2c5h7k3vq7m2zr5tbw8xj4nf6',
    agent: 'Expense agent',
    owner,
    nowMs: T0,
    ...first,
  }).head;
  const claimed = move(created, { type: 'claim', turn: 1, token, untilMs: T0 + 60_000 });
  const asked = move(claimed, {
    type: 'ask',
    token,
    call: 4,
    events: [],
    spec: {
      name: 'cost-centre',
      text: 'Which cost centre should this expense be charged to?',
      schema: {
        type: 'object',
        properties: { costCentre: { type: 'string', pattern: '^CC-[0-9]{4}$' } },
        required: ['costCentre'],
      },
      options: ['CC-4410', 'CC-4420'],
    },
  });
  const questionId = asked.ask?.questionId ?? '';
  const answered = move(asked, {
    type: 'answer',
    questionId,
    accepted: { value: { costCentre: 'CC-4410' } },
    ...received('0b1f6c5e-3c57-4a55-9f0e-6f9d1c5d7a10', [{ data: { questionId, costCentre: 'CC-4410' } }], { taskId }),
  });
  const resumed = move(answered, { type: 'claim', turn: 2, token, untilMs: T0 + 60_000 });
  const artifact = { artifactId: 'expense', name: 'expense', parts: [{ data: { expenseId: 'EXP-000001' } }] };
  const completed = move(resumed, {
    type: 'end',
    token,
    state: 'TASK_STATE_COMPLETED',
    events: [{ kind: 'artifact', calls: [{ call: 6, name: 'expense' }], artifact, append: false, lastChunk: true }],
  });
  return [created, claimed, asked, answered, resumed, completed];
}

const WRITES = ['AAAAAAAA', 'BBBBBBBB', 'CCCCCCCC', 'DDDDDDDD'];

describe('the head budget (sections 4 and 13)', () => {
  it('every head of the reference question fits 2 KB, which is 2 write units', () => {
    const heads = writtenHeads();
    expect(heads.map((head) => head.status.state.slice('TASK_STATE_'.length))).toEqual([
      'SUBMITTED',
      'WORKING',
      'INPUT_REQUIRED',
      'WORKING',
      'WORKING',
      'COMPLETED',
    ]);
    expect(heads.map((head) => itemBytes(encodeHead(head, WRITES))).filter((bytes) => bytes > 2_048)).toEqual([]);
  });
});
