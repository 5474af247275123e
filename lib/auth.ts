/**
 * Who may call an agent. The gateway asks and functions/owner.ts reads its answer; the agent card is public in every
 * case.
 *
 * - `iam` (default): callers sign their requests with AWS credentials and need `execute-api:Invoke`.
 * - an authorizer of API Gateway: a Cognito user pool, or a function of yours whose context has `iss` and `sub` (and
 *   `tenant`), or `principal`.
 */
import { AuthorizationType, type IAuthorizer, type MethodOptions } from 'aws-cdk-lib/aws-apigateway';

export type AgentAuth = 'iam' | IAuthorizer;

export function authOptions(auth: AgentAuth): MethodOptions {
  return auth === 'iam' ? { authorizationType: AuthorizationType.IAM } : { authorizer: auth };
}
