/** Task states and roles as A2A 0.3 spells them: lower case in JSON-RPC, its own enumeration on HTTP+JSON. */
import type { Role, TaskState } from '../../message.ts';

export const RPC_STATES: Readonly<Record<TaskState, string>> = {
  TASK_STATE_SUBMITTED: 'submitted',
  TASK_STATE_WORKING: 'working',
  TASK_STATE_INPUT_REQUIRED: 'input-required',
  TASK_STATE_AUTH_REQUIRED: 'auth-required',
  TASK_STATE_COMPLETED: 'completed',
  TASK_STATE_FAILED: 'failed',
  TASK_STATE_CANCELED: 'canceled',
  TASK_STATE_REJECTED: 'rejected',
};

export const RPC_ROLES: Readonly<Record<Role, string>> = { ROLE_USER: 'user', ROLE_AGENT: 'agent' };

/** All but one are spelled as in 1.0. */
export function restState(state: TaskState): string {
  return state === 'TASK_STATE_CANCELED' ? 'TASK_STATE_CANCELLED' : state;
}
