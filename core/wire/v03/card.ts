/**
 * The agent card for readers of A2A 0.3. The one card serves both: what 0.3 wants to see is added beside the fields of
 * 1.0, which readers of 1.0 leave alone, and security schemes say the same in both forms.
 */
import type { Json, JsonObject } from '../../json.ts';
import type { AgentCard, SecurityRequirement } from '../card.ts';
import { OLD_PROTOCOL_VERSION } from '../version.ts';

/** As 0.3's cards spell it. */
const CARD_VERSION = '0.3.0';

/** To be laid over the card of 1.0. */
export function oldCardFields(card: AgentCard): JsonObject {
  const { securitySchemes, securityRequirements, capabilities } = card;
  const [preferred, ...others] = card.supportedInterfaces
    .filter(({ protocolVersion }) => protocolVersion === OLD_PROTOCOL_VERSION)
    .map(({ url, protocolBinding }) => ({ url, transport: protocolBinding }));
  return {
    protocolVersion: CARD_VERSION,
    ...(preferred ? { url: preferred.url, preferredTransport: preferred.transport } : {}),
    ...(preferred ? { additionalInterfaces: [preferred, ...others] } : {}),
    supportsAuthenticatedExtendedCard: capabilities.extendedAgentCard,
    ...(securitySchemes ? { securitySchemes: mapValues(securitySchemes, bothForms) } : {}),
    ...(securityRequirements ? { security: securityRequirements.map(oldRequirement) } : {}),
  };
}

function oldRequirement({ schemes }: SecurityRequirement): JsonObject {
  return mapValues(schemes, ({ list = [] }) => list);
}

/** 1.0 puts a scheme under the name of its type, 0.3 says the type in a field (OpenAPI 3). */
function bothForms(scheme: JsonObject): JsonObject {
  const [[name, content] = []] = Object.entries(scheme);
  const inner = (content ?? {}) as JsonObject;
  switch (name) {
    case 'apiKeySecurityScheme':
      return { ...scheme, type: 'apiKey', ...described(inner), in: inner.location ?? 'header', name: inner.name ?? '' };
    case 'httpAuthSecurityScheme': {
      const { bearerFormat } = inner;
      const format = bearerFormat === undefined ? {} : { bearerFormat };
      return { ...scheme, type: 'http', ...described(inner), scheme: inner.scheme ?? '', ...format };
    }
    case 'oauth2SecurityScheme':
      return { ...scheme, type: 'oauth2', ...described(inner), flows: inner.flows ?? {} };
    case 'openIdConnectSecurityScheme': {
      const { openIdConnectUrl = '' } = inner;
      return { ...scheme, type: 'openIdConnect', ...described(inner), openIdConnectUrl };
    }
    case 'mtlsSecurityScheme':
      return { ...scheme, type: 'mutualTLS', ...described(inner) };
    default:
      return scheme;
  }
}

function described({ description }: JsonObject): JsonObject {
  return description === undefined ? {} : { description };
}

function mapValues<From, To extends Json>(
  record: { readonly [name: string]: From },
  map: (value: From) => To,
): { [name: string]: To } {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
