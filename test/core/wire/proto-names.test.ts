/** ProtoJSON: a field is also taken under its name in the protobuf; what is free-form keeps its names. */
import { describe, expect, it } from 'vitest';
import { withJsonNames } from '../../../core/wire/proto-names.ts';
import { rest, rpc, wired } from './support.ts';

describe('names of fields', () => {
  it('a send in the names of the protobuf, on both bindings', async () => {
    const params = {
      message: {
        message_id: 'm1',
        role: 'ROLE_USER',
        parts: [{ data: { question_id: 'q_1' }, media_type: 'application/json', metadata: { a_b: 1 } }],
        reference_task_ids: ['t_1'],
      },
      configuration: { history_length: 2, return_immediately: true },
      metadata: { c_d: { e_f: 1 } },
    };
    const expected = {
      message: {
        messageId: 'm1',
        role: 'ROLE_USER',
        parts: [{ data: { question_id: 'q_1' }, mediaType: 'application/json', metadata: { a_b: 1 } }],
        referenceTaskIds: ['t_1'],
      },
      configuration: { historyLength: 2, returnImmediately: true },
      metadata: { c_d: { e_f: 1 } },
    };
    const wire = wired();
    await rpc(wire, 'SendMessage', params);
    await rest(wire, 'POST', '/message:send', params);
    expect(wire.calls).toEqual([
      ['sendMessage', expected],
      ['sendMessage', expected],
    ]);
  });

  it('given under both names, the field is the one under its proper name', () => {
    expect(withJsonNames({ task_id: 'a', taskId: 'b' })).toEqual({ taskId: 'b' });
  });

  it('a request that needs nothing is handed on as it is', () => {
    const request = { message: { messageId: 'm', parts: [{ text: 'a_b' }, { data: { a_b: 1 } }] } };
    expect(withJsonNames(request)).toBe(request);
  });

  it('looks no deeper than the protocol goes, whatever is sent', () => {
    let deep: unknown = 'x';
    for (let n = 0; n < 200_000; n += 1) deep = [deep];
    expect(() => withJsonNames({ message: deep as never })).not.toThrow();
  });
});
