/** Lambda entry of the api function; the agent is chosen by the package import `#agent`. */
import agent from '#agent';
import { apiHandler } from '../api.ts';
import { streamResponses } from '../stream-response.ts';
import { wire } from '../wiring.ts';

const { deps, api } = wire(agent);
const answer = apiHandler(deps, api);
export const handler = api.streaming ? streamResponses(deps, answer) : answer;
