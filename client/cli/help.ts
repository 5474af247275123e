/** What help says after the options: examples that can be pasted, and the exit codes. */

const examples = (...lines: readonly string[]) => `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;

const AGENT = 'http://localhost:3000';

/** By command. */
export const HELP_EXAMPLES: Readonly<Record<string, string>> = {
  askback: examples(
    `askback card ${AGENT}`,
    `askback send ${AGENT} "File my taxi receipt from Tuesday, 42 euros"`,
    'askback inbox',
    'askback answer y62czepf CC-4410',
  ),
  card: examples(`askback card ${AGENT}`, `askback card ${AGENT} --json | jq .card.skills`),
  send: examples(
    `askback send ${AGENT} "File my taxi receipt from Tuesday, 42 euros"`,
    `askback send ${AGENT} "File this" --file receipt.png`,
    `askback send ${AGENT} "File this" --policy rules.json --detach --json`,
    `TOKEN=... askback send ${AGENT} "File this" --bearer-env TOKEN`,
    'askback send https://a1b2c3d4e5.execute-api.eu-west-1.amazonaws.com/a2a "File this" --aws-region eu-west-1',
  ),
  inbox: examples('askback inbox', `askback inbox ${AGENT}`),
  answer: examples(
    'askback answer y62czepf            (asks here)',
    'askback answer y62czepf CC-4410    (a value, a label, or the number of an option)',
    `askback answer y62czepf --data '{"amount": 42, "currency": "EUR"}'`,
  ),
  decline: examples('askback decline y62czepf --reason "not my expense"'),
  cancel: examples('askback cancel y62czepf'),
  history: examples('askback history y62czepf', `askback history y62czepf4u2wmvkrrrmxwt5idg --url ${AGENT}`),
  watch: examples('askback watch y62czepf', 'askback watch y62czepf --json'),
};

export const HELP_EXITS = `
A task is named by its id, or by the first characters of it (six or more).

Ends with: 0 completed, 1 failed, 2 wrong command line or answer, 3 waits for an answer, 4 expired, 5 declined or
rejected, 6 canceled, 7 gave up, 8 agent not reached, 9 refused by the agent, 130 interrupted (the task goes on).`;
