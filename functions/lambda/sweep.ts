/** Lambda entry of the sweep function; the agent is chosen by the package import `#agent`. */
import agent from '#agent';
import { sweepHandler } from '../sweep.ts';
import { wire } from '../wiring.ts';

export const handler = sweepHandler(wire(agent).deps);
