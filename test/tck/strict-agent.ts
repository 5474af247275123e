/** The conformance agent, as the kit's tests of a required extension want it. */
import { conformanceAgent } from './agent.ts';

export default conformanceAgent({ extensions: [{ uri: 'urn:a2a:tck:required-extension', required: true }] });
