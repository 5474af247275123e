/** Lambda entry of the api function where it serves the inbox page as well; otherwise as api.ts. */
import agent from '#agent';
import { apiHandler } from '../api.ts';
import { inboxResponse } from '../inbox.ts';
import { streamResponses } from '../stream-response.ts';
import { wire } from '../wiring.ts';

const { deps, api } = wire(agent);
const answer = apiHandler(deps, { ...api, inbox: inboxResponse });
export const handler = api.streaming ? streamResponses(deps, answer) : answer;
