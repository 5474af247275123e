/** The api function over the fakes, called as a test user calls it. */
import type { JsonObject } from '../../core/json.ts';
import type { Message, Task } from '../../core/message.ts';
import { runTurn } from '../../core/operations/run-turn.ts';
import type { Agent } from '../../core/agent.ts';
import { apiHandler } from '../../functions/api.ts';
import { tinyAgent } from '../core/operations/tiny-agent.ts';
import { AMPLE } from '../core/operations/world.ts';
import { fakeDeps } from '../fakes/deps.ts';
import { gatewayEvent, lambdaContext } from './events.ts';

export const KIB = 1_024;

export interface Answer {
  readonly status: number;
  readonly task?: Task;
  readonly error?: { readonly message: string; readonly details: readonly JsonObject[] };
}

export function system(agent: Agent = tinyAgent()) {
  const deps = fakeDeps({ agent });
  const handler = apiHandler(deps);
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    authorizer: JsonObject = ALICE,
  ): Promise<Answer> => {
    const text = typeof body === 'string' ? body : body === undefined ? null : JSON.stringify(body);
    const result = await handler(gatewayEvent({ method, path, body: text, authorizer }), lambdaContext());
    const json = JSON.parse(String(result.body)) as { task?: Task; error?: Answer['error'] } & Task;
    const task = json.error ? undefined : (json.task ?? json);
    return { status: result.statusCode, ...(task ? { task } : {}), ...(json.error ? { error: json.error } : {}) };
  };
  const send = (message: Partial<Message> & JsonObject, more: JsonObject = {}) =>
    call('POST', '/message:send', { ...more, message: { messageId: 'm-1', ...HELLO, ...message }, configuration: NOW });
  const deliver = async () => {
    for (let turn = deps.queue.take(); turn; turn = deps.queue.take()) await runTurn(deps, turn, AMPLE);
  };
  return { deps, call, send, deliver };
}

export const ALICE = { tenant: 'local', principal: 'alice' };
export const NOW = { returnImmediately: true };
export const HELLO = { role: 'ROLE_USER', parts: [{ text: 'File my taxi receipt' }] } as const;
