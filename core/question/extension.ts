/** Names the question convention (docs/question-extension.md) on agent cards and on the messages that follow it. */
export const QUESTION_EXTENSION_URI = 'https://askback.dev/a2a/extensions/question/v1';
