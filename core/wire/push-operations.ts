/**
 * The four operations on push notification configs (A2A 1.0 sections 3.1.7 to 3.1.10) as rows of the table of
 * operations. An agent without push notifications refuses them before it looks at the request (section 3.3.4).
 */
import type { Owner } from '../ids.ts';
import type { JsonObject } from '../json.ts';
import { createPushConfig } from '../operations/create-push-config.ts';
import { deletePushConfig } from '../operations/delete-push-config.ts';
import { getPushConfig } from '../operations/get-push-config.ts';
import { listPushConfigs } from '../operations/list-push-configs.ts';
import { pushPorts } from '../operations/register-push.ts';
import type { ProtocolVersion } from '../agent.ts';
import type { Deps } from '../ports.ts';
import type { SendMessageRequest } from '../requests.ts';
import { checkCreatePushConfig, checkListPushConfigs, checkPushConfigName } from './check-push.ts';
import type { Route, WireOperation } from './operations.ts';

const CONFIGS = '/tasks/{taskId}/pushNotificationConfigs';

export const pushOperations: readonly WireOperation[] = [
  row('CreateTaskPushNotificationConfig', { method: 'POST', path: CONFIGS }, checkCreatePushConfig, createPushConfig),
  row('GetTaskPushNotificationConfig', { method: 'GET', path: `${CONFIGS}/{id}` }, checkPushConfigName, getPushConfig),
  row('ListTaskPushNotificationConfigs', { method: 'GET', path: CONFIGS }, checkListPushConfigs, listPushConfigs, {
    pageSize: 'integer',
    pageToken: 'string',
  }),
  row(
    'DeleteTaskPushNotificationConfig',
    { method: 'DELETE', path: `${CONFIGS}/{id}` },
    checkPushConfigName,
    async (deps, owner, request) => {
      await deletePushConfig(deps, owner, request);
      // google.protobuf.Empty
      return {};
    },
  ),
];

/** A send whose config, if it brings one, is told in the protocol of the call. */
export function withProtocol(request: SendMessageRequest, version: ProtocolVersion): SendMessageRequest {
  const receiver = request.configuration?.taskPushNotificationConfig;
  if (!receiver) return request;
  const told = { ...receiver, ...protocolOf(version) };
  return { ...request, configuration: { ...request.configuration, taskPushNotificationConfig: told } };
}

function protocolOf(version: ProtocolVersion): { protocol?: '0.3' } {
  return version === '0.3' ? { protocol: version } : {};
}

function row<Request extends object>(
  name: string,
  route: Route,
  check: (raw: JsonObject, owner: Owner) => Request,
  run: (deps: Deps, owner: Owner, request: Request) => Promise<object>,
  query: WireOperation['query'] = {},
): WireOperation {
  return {
    name,
    routes: [route],
    query: { tenant: 'string', ...query },
    invoke: async ({ deps, owner, version }, raw) => {
      pushPorts(deps, name);
      return { json: await run(deps, owner, { ...check(raw, owner), ...protocolOf(version) }) };
    },
  };
}
