/** What the bundled functions must find in their environment to load. */
export const FUNCTION_SETTINGS = {
  AWS_REGION: 'eu-west-1',
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
  ASKBACK_TABLE: 'tasks',
  ASKBACK_TURN_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/111122223333/turns',
  ASKBACK_TIMER_GROUP: 'timers',
  ASKBACK_TIMER_ROLE_ARN: 'arn:aws:iam::111122223333:role/timers',
  ASKBACK_TIMER_TARGET_ARN: 'arn:aws:lambda:eu-west-1:111122223333:function:deadline',
  ASKBACK_TIMER_DLQ_ARN: 'arn:aws:sqs:eu-west-1:111122223333:dead',
  ASKBACK_PUSH_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/111122223333/push',
  ASKBACK_SECRET_KEY_SECRET: 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:key-AbCdEf',
  ASKBACK_STREAMING: 'off',
  EXPENSE_LEDGER_TABLE: 'ledger',
};
