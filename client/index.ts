/** What a caller of A2A agents imports: the loop that answers their questions, and what goes with it. */
export { type Ask, type AskHumanContext, askHuman } from './ask-human.ts';
export { type CheckedAnswer, checkAnswer, checkText } from './check-answer.ts';
export { cleanLine, cleanText } from '../core/clean-text.ts';
export { type ConnectOptions, connect } from './connect.ts';
export {
  AgentMisbehavedError,
  AgentUnreachableError,
  AgentUnsupportedError,
  GaveUpError,
  InvalidAnswerError,
  NotPendingError,
} from './errors.ts';
export { type ContextOptions, type ContextValues, fromContext } from './from-context.ts';
export { fromPolicy, type PolicyOptions, type RuleUsed } from './from-policy.ts';
export { FilePendingStore } from './pending-file.ts';
export type { PendingStore, PendingTask, StoredTask } from './pending-store.ts';
export { PolicyError, type PolicyRule, readPolicy } from './policy-rules.ts';
export { readQuestion } from './read-question.ts';
export { type ResumeAnswer, type ResumeOptions, resumeTask } from './resume-task.ts';
export { type RunOptions, runTask } from './run-task.ts';
export type * from './types.ts';
export { type ReceivedRequest, type VerifyOptions, verifyWebhook, WebhookRefusedError } from './verify-webhook.ts';
export { type Secret, type Wake, type WebhookOptions, webhookHandler } from './webhook-handler.ts';
