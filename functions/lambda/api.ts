/** Lambda entry of the api function; the agent is chosen by the package import `#agent`. */
import agent from '#agent';
import { apiHandler } from '../api.ts';
import { wire } from '../wiring.ts';

const { deps, api } = wire(agent);
export const handler = apiHandler(deps, api);
