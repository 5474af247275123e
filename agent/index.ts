/** The package's entry `askback/agent`: all that an agent's author imports. */
export type { Json, JsonObject } from '../core/json.ts';
export type { Owner } from '../core/ids.ts';
export type { Artifact, Message, Part } from '../core/message.ts';
export type { Agent, AgentCardSpec, AgentExtensionSpec, AgentSkillSpec, ProtocolVersion } from '../core/agent.ts';
export type { AnswerError, Option } from '../core/question/types.ts';
export { AgentFault } from '../core/errors.ts';
export type { ArtifactContent, ArtifactDescription, ArtifactSpec, ArtifactStream } from './artifact.ts';
export type { AskResult } from './ask.ts';
export type { CollectOptions, Known } from './collect.ts';
export {
  type AgentSpec,
  defineAgent,
  type ExtendedCard,
  type MessagePolicy,
  type ReplyResult,
} from './define-agent.ts';
export {
  DeclinedError,
  DelegateError,
  ExpiredError,
  HoldGoneError,
  type Refusal,
  RefuseAnswer,
  StepError,
} from './errors.ts';
export type {
  DelegatedAuth,
  DelegatedMessage,
  DelegatedQuestion,
  DelegateOptions,
  DelegateResult,
  RestatedAuth,
  RestatedQuestion,
} from './delegate.ts';
export type { HoldHandle, HoldOptions, HoldSpec, ReleasedHold } from './hold.ts';
export type { AuthOptions } from './require-auth.ts';
export type { AskOptions, CheckResult, Duration, QuestionOptions } from './question.ts';
export type { AnswerInputOf, AnswerOf, AnswerSchema, JsonSchema, StandardJson } from './schema.ts';
export { type RemoteAgentOptions, remoteAgent } from './remote-agent.ts';
export type { StepContext, StepOptions } from './step.ts';
export { type Reply, type SendOptions, type SubAgent, SubAgentError } from './sub-agent.ts';
export type { Turn } from './turn.ts';
