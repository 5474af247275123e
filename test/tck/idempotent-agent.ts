/** The conformance agent with repeats recognised, as agents do unless they say otherwise: what the kit makes of that. */
import { conformanceAgent } from './agent.ts';

export default conformanceAgent({ idempotency: 'on' });
