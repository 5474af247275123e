/** Lambda entry of the deliver-push function; the agent is chosen by the package import `#agent`. */
import agent from '#agent';
import { deliverPushHandler } from '../deliver-push.ts';
import { wire } from '../wiring.ts';

export const handler = deliverPushHandler(wire(agent).deps);
