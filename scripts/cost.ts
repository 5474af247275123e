/** Prints what a deployed agent costs: one idle month, and one million questions, in US dollars. */
import { costTable, idleMonth, perMillion } from '../bench/cost.ts';
import { countQuestion } from '../bench/count-question.ts';
import { PRICES_OF, prices } from '../bench/prices.ts';

const counted = await countQuestion();
const byOthers = Object.entries(prices).filter(([, { by }]) => by === 'others');
const print = (...lines: readonly string[]) => console.log(lines.join('\n'));

print('One question, from the first message to its deletion a month later:', JSON.stringify(counted), '');
print(
  `List prices of ${PRICES_OF.region}, ${PRICES_OF.date}, without free tiers; assumptions are in bench/cost.ts.`,
  '',
);
print('One million questions in a month, US dollars:', ...costTable(perMillion(counted)), '');
print('One month without calls, US dollars:', ...costTable(idleMonth()), '');
print(
  `Read in texts of others than AWS, so look them up before you rely on them: ${byOthers.map(([name]) => name).join(', ')}.`,
);
