/** `askback/cdk`: what an app of your own needs to deploy an agent. */
export type { InvokeOptions } from './agent-api.ts';
export type { AgentFunction, AgentFunctions, Job } from './agent-function.ts';
export { AgentStack, type AgentStackProps } from './agent-stack.ts';
export { AskbackAgent, type AskbackAgentProps, type CardKey } from './askback-agent.ts';
export type { AgentAuth, JwtIssuer } from './auth.ts';
export type { AgentAlarms, AgentLimits, AgentRetention } from './settings.ts';
