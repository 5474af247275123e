/** Lambda entry of the run-turn function; the agent is chosen by the package import `#agent`. */
import agent from '#agent';
import { runTurnHandler } from '../run-turn.ts';
import { wire } from '../wiring.ts';

export const handler = runTurnHandler(wire(agent).deps);
