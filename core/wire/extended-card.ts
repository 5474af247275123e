/**
 * GetExtendedAgentCard (A2A 1.0 sections 3.1.11 and 13.3): the card as this caller is to see it. A row of operations.ts.
 */
import { ProtocolError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { decide } from '../operations/decide.ts';
import type { AgentCardSpec } from '../agent.ts';
import { signedCard } from './card.ts';
import { FieldCheck } from './fields.ts';
import type { Call, WireOperation } from './operations.ts';

/**
 * Throws `UNSUPPORTED_OPERATION` when the agent has no extended card at all, `EXTENDED_AGENT_CARD_NOT_CONFIGURED` when it
 * has none for this caller.
 */
export const extendedAgentCard: WireOperation = {
  name: 'GetExtendedAgentCard',
  routes: [{ method: 'GET', path: '/extendedAgentCard' }],
  query: { tenant: 'string' },
  discovery: true,
  async invoke(call, raw) {
    requireTenant(call, raw);
    const { agent } = call.deps;
    if (agent.extendedCard === undefined) {
      throw new ProtocolError('UNSUPPORTED_OPERATION', 'This agent has no extended agent card', {
        metadata: { operation: 'GetExtendedAgentCard' },
      });
    }
    const extension = await decide(call.deps, agent.extendedCard(call.owner), 'extendedCard');
    if (extension === undefined) {
      throw new ProtocolError('EXTENDED_AGENT_CARD_NOT_CONFIGURED', 'There is no extended agent card for this caller');
    }
    const spec: AgentCardSpec = { ...agent.card, ...extension };
    return { json: await signedCard(spec, call.baseUrl, call.facts) };
  },
};

function requireTenant({ owner }: Call, raw: JsonObject): void {
  const check = new FieldCheck();
  check.tenant(raw.tenant, owner);
  check.accept({});
}
