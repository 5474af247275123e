/** Where the metrics of all agents stand in CloudWatch; lib/metrics.ts reads what functions/lambda-log.ts writes there. */
export const METRICS_NAMESPACE = 'Askback';
/** The dimension `service`; `agent` beside it tells one deployed agent from another. */
export const SERVICE = 'askback';
