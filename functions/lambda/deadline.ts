/** Lambda entry of the deadline function; the agent is chosen by the package import `#agent`. */
import agent from '#agent';
import { deadlineHandler } from '../deadline.ts';
import { wire } from '../wiring.ts';

export const handler = deadlineHandler(wire(agent).deps);
