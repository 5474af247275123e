/** The conformance agent, as the kit's tests of refusals want it: it requires an extension and has no extended card. */
import { conformanceAgent } from './agent.ts';

export default conformanceAgent({
  hasExtendedCard: false,
  extensions: [{ uri: 'urn:a2a:tck:required-extension', required: true }],
});
