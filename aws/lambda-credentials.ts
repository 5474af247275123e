/**
 * Credentials as a Lambda environment has them: in its variables, valid for as long as it lives. Deployed bundles get
 * this file in the place of `@aws-sdk/credential-provider-node` (lib/agent-function.ts), whose other sources (profiles,
 * single sign-on, instance metadata) do not exist there and would be a fifth of every bundle.
 */
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';
