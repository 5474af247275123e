/**
 * What deployed bundles get in the place of packages that are loaded but never run there (lib/agent-function.ts), 40 KB
 * of them: `fast-uri`, which Ajv would resolve references with (they are expanded before, core/question/load-ajv.ts);
 * `@smithy/core/event-streams`, which no service of ours answers with; `@aws-sdk/middleware-endpoint-discovery`, a
 * setting of the DynamoDB client that nothing reads unless it is switched on.
 */
const unset = () => undefined;

/** Of the DynamoDB client: endpoint discovery stays off. */
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: unset,
  configFileSelector: unset,
  default: unset,
};

/** Of the DynamoDB client: the configuration as it came. */
export function resolveEndpointDiscoveryConfig<Config>(config: Config): Config {
  return config;
}
