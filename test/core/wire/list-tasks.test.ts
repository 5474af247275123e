/** ListTasks on the wire: parameters of both bindings, strictly checked (A2A 1.0 sections 3.1.4 and 11.5). */
import { describe, expect, it } from 'vitest';
import { rest, rpc, TASK, wired } from './support.ts';

const PAGE = { tasks: [TASK], nextPageToken: '', pageSize: 50, totalSize: 1 };

interface Refusal {
  readonly error: { readonly details?: readonly unknown[]; readonly data?: readonly unknown[] };
}

function violations(json: unknown): unknown {
  const { error } = json as Refusal;
  return (error.details ?? error.data ?? []).find(
    (detail) => (detail as { '@type': string })['@type'] === 'type.googleapis.com/google.rpc.BadRequest',
  );
}

describe('ListTasks', () => {
  it('takes every parameter of a query, under a tenant too', async () => {
    const wire = wired();
    const query = {
      contextId: ['trip to Zürich'],
      status: ['TASK_STATE_INPUT_REQUIRED'],
      pageSize: ['10'],
      pageToken: ['abc.def'],
      historyLength: ['0'],
      statusTimestampAfter: ['2026-11-30T10:00:00.5Z'],
      includeArtifacts: ['true'],
      unknown: ['x'],
    };
    const expected = {
      contextId: 'trip to Zürich',
      status: 'TASK_STATE_INPUT_REQUIRED',
      pageSize: 10,
      pageToken: 'abc.def',
      historyLength: 0,
      sinceMs: 1_796_032_800_500,
      includeArtifacts: true,
    };
    expect((await rest(wire, 'GET', '/tasks', undefined, { query })).json).toEqual(PAGE);
    expect((await rest(wire, 'GET', '/acme/tasks', undefined, { query })).json).toEqual(PAGE);
    expect(wire.calls).toEqual([
      ['listTasks', expected],
      ['listTasks', expected],
    ]);
  });

  it('takes the same parameters as JSON', async () => {
    const wire = wired();
    const params = { contextId: 'c', status: 'TASK_STATE_WORKING', pageSize: 100, includeArtifacts: false };
    expect((await rpc(wire, 'ListTasks', params)).json).toEqual({ jsonrpc: '2.0', id: 7, result: PAGE });
    expect(wire.calls).toEqual([['listTasks', params]]);
  });

  it('takes what ProtoJSON calls absent as absent', async () => {
    const wire = wired();
    const absent = { contextId: '', status: 'TASK_STATE_UNSPECIFIED', pageSize: null, pageToken: '', tenant: '' };
    await rpc(wire, 'ListTasks', absent);
    await rpc(wire, 'ListTasks');
    await rest(wire, 'GET', '/tasks');
    await rest(wire, 'GET', '/tasks', undefined, { query: { pageToken: [''], contextId: [''] } });
    expect(wire.calls).toEqual(Array.from({ length: 4 }, () => ['listTasks', {}]));
  });

  const STATES =
    'must be one of TASK_STATE_SUBMITTED, TASK_STATE_WORKING, TASK_STATE_INPUT_REQUIRED, TASK_STATE_AUTH_REQUIRED, ' +
    'TASK_STATE_COMPLETED, TASK_STATE_FAILED, TASK_STATE_CANCELED, TASK_STATE_REJECTED';
  const SIZE = 'must be an integer from 1 to 100';
  const TIME = 'must be an RFC 3339 timestamp such as 2026-01-31T09:30:00Z';
  it.each<[string, unknown, string]>([
    ['status', 'TASK_STATE_RUNNING', STATES],
    ['status', 'working', STATES],
    ['status', 'task_state_working', STATES],
    ['status', 2, STATES],
    ['pageSize', 0, SIZE],
    ['pageSize', 101, SIZE],
    ['pageSize', -1, SIZE],
    ['pageSize', 1.5, SIZE],
    ['pageSize', '10', SIZE],
    ['pageToken', 'x'.repeat(513), 'must not be longer than 512 characters'],
    ['pageToken', 5, 'must be a string'],
    ['historyLength', -5, 'must be a non-negative integer'],
    ['statusTimestampAfter', 'yesterday', TIME],
    ['statusTimestampAfter', '2026-11-30', TIME],
    ['statusTimestampAfter', '2026-11-30T10:00:00', TIME],
    ['statusTimestampAfter', '2026-02-30T10:00:00Z', TIME],
    ['statusTimestampAfter', '2026-11-30T24:00:00Z', TIME],
    ['statusTimestampAfter', '2026-13-01T10:00:00Z', TIME],
    ['statusTimestampAfter', 1_796_032_800_500, TIME],
    ['includeArtifacts', 'yes', 'must be true or false'],
    ['contextId', 'x'.repeat(129), 'must not be longer than 128 characters'],
    ['tenant', 'other', 'is not the tenant of this caller'],
  ])('refuses %s %j', async (field, value, description) => {
    const wire = wired();
    const { json } = await rpc(wire, 'ListTasks', { [field]: value });
    expect(json).toMatchObject({ error: { code: -32602 } });
    expect(violations(json)).toMatchObject({ fieldViolations: [{ field, description }] });
    expect(wire.calls).toEqual([]);
  });

  it('names every wrong parameter of a query at once', async () => {
    const query = { pageSize: ['150'], historyLength: ['-5'], status: ['TASK_STATE_RUNNING'], includeArtifacts: ['1'] };
    const { status, json } = await rest(wired(), 'GET', '/tasks', undefined, { query });
    expect(status).toBe(400);
    const { fieldViolations } = violations(json) as { fieldViolations: { field: string }[] };
    expect(fieldViolations.map(({ field }) => field)).toEqual([
      'status',
      'pageSize',
      'historyLength',
      'includeArtifacts',
    ]);
  });

  it.each([
    ['2026-11-30T10:00:00Z', 1_796_032_800_000],
    ['2026-11-30T11:30:00.25+01:30', 1_796_032_800_250],
    ['2026-11-30T10:00:00.000000001Z', 1_796_032_800_001],
    ['2026-11-30T10:00:00.999999999Z', 1_796_032_801_000],
    ['0001-01-01T00:00:00Z', 0],
    ['2024-02-29T00:00:00Z', 1_709_164_800_000],
  ])('means by %s the first millisecond that is not earlier', async (statusTimestampAfter, sinceMs) => {
    const wire = wired();
    await rpc(wire, 'ListTasks', { statusTimestampAfter });
    expect(wire.calls).toEqual([['listTasks', { sinceMs }]]);
  });
});
