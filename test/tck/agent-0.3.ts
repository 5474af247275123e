/** The conformance agent for the kit of A2A 0.3: the same behaviours, also spoken to in 0.3. */
import { conformanceAgent } from './agent.ts';

export default conformanceAgent({ protocolVersions: ['1.0', '0.3'] });
