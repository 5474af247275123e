/** The three commands that a newcomer can paste, one after the other, with the ids that they will meet. */
import { deriveTaskId, ownerKey } from '../core/ids.ts';
import type { Agent } from '../core/agent.ts';
import { localUser } from './users.ts';

export interface Attempt {
  readonly title: string;
  readonly command: string;
}

const SEVERAL = 'one with several fields wants a data part: "parts":[{"data":{"<field>":"<value>", ...}}]';

/**
 * @param messageId names the first message and so its task: a new one for each start
 * @param answer what to answer to the agent's question, where that is known
 */
export function tryIt(url: string, agent: Agent, messageId: string, answer?: string): readonly Attempt[] {
  const request = agent.card.skills[0]?.examples?.[0] ?? 'Hello';
  const known = agent.settings.idempotency === 'on';
  const taskId = known ? deriveTaskId(agent.name, ownerKey(localUser), messageId) : '<the id in the first answer>';
  return [
    { title: 'Send a request', command: send(url, { messageId, role: 'ROLE_USER', parts: [{ text: request }] }) },
    { title: 'Look at the task', command: `curl -s ${url}/tasks/${taskId} -H 'A2A-Version: 1.0'` },
    {
      title: answer === undefined ? `Answer its question (${SEVERAL})` : 'Answer its question',
      command: send(url, {
        messageId: `${messageId}-answer`,
        taskId,
        role: 'ROLE_USER',
        parts: [{ text: answer ?? '<your answer>' }],
      }),
    },
  ];
}

function send(url: string, message: object): string {
  const body = JSON.stringify({ message }).replaceAll("'", String.raw`'\''`);
  return `curl -s ${url}/message:send -H 'A2A-Version: 1.0' -H 'Content-Type: application/json' -d '${body}'`;
}
