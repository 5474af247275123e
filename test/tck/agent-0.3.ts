/**
 * The conformance agent for the kit of A2A 0.3: the same behaviours, also spoken to in 0.3. That kit goes on with any task
 * it has made, so one that nothing else is said about asks for ever. It has no extended card, which that kit wants kept
 * from callers without credentials: here they are the local user.
 */
import type { Turn } from '../../agent/index.ts';
import { conformanceAgent } from './agent.ts';

async function askingOn(turn: Turn) {
  for (let n = 1; ; n += 1) await turn.ask(`more-${n}`, { text: 'What more is there to say?' });
}

export default conformanceAgent({ protocolVersions: ['1.0', '0.3'], extendedCard: false, otherwise: askingOn });
