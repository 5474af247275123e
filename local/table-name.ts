/** The name of an agent's own table: one table serves one agent, so agents may share a data folder. */
import { shortHash } from '../core/ids.ts';

/** The name is a file's name as well (dynalite.ts), with more around it. */
const READABLE_CHARACTERS = 40;

/** `askback-<the agent's name, readable>-<6 characters that tell alike names apart>`, in DynamoDB's alphabet. */
export function tableNameOf(agentName: string): string {
  const readable = agentName
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, READABLE_CHARACTERS)
    .replace(/^-|-$/g, '');
  return ['askback', readable || 'agent', shortHash(agentName).slice(0, 6)].join('-');
}
