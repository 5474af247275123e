/**
 * The finance assistant as bin/ deploys it: it calls the expense agent by IAM, with the rights of its own functions.
 * Where that agent knows its callers by JWT, give `remoteAgent` a token in `headers` instead.
 */
import { type Agent, remoteAgent } from '../../agent/index.ts';
import { awsSignedFetch } from '../../aws/signed-fetch.ts';
import { createFinanceAssistant } from './agent.ts';
import { staffOf } from './staff.ts';
import staff from './staff.json' with { type: 'json' };

/** Throws when the deployment has named no expense agent. */
export default function deployedFinanceAssistant({
  env,
}: {
  readonly env: Readonly<Record<string, string | undefined>>;
}): Agent {
  const { EXPENSE_AGENT_URL: url, AWS_REGION: region } = env;
  if (!url || !region) throw new Error('EXPENSE_AGENT_URL is missing: the address of the expense agent');
  const expenses = remoteAgent(url, { fetch: awsSignedFetch({ region, origins: [url] }) });
  return createFinanceAssistant({ expenses, staff: staffOf(staff) });
}
