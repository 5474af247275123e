/**
 * What `#agent` is to the published form of the entries, which are built before there is an agent: lib/agent-function.ts
 * puts yours in its place when it bundles them. In this repository `imports` of package.json names a real one.
 */
import type { Agent } from '../../core/agent.ts';

declare const agent: Agent;
export default agent;
