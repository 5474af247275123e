/** The cost of one million questions, and of a month without any, as lines of the table (cost.ts, prices.ts). */
import { idleMonth, perMillion } from './cost.ts';
import { countQuestion } from './count-question.ts';
import type { Line } from './line.ts';
import { costLines as usdByLine, costOf, PRICES_OF, type Used } from './prices.ts';

export async function costLines(): Promise<readonly Line[]> {
  return [
    ...lines(`one million questions, ${PRICES_OF.region}, ${PRICES_OF.date}`, perMillion(await countQuestion())),
    ...lines('one month without calls', idleMonth()),
  ];
}

/** The dearest three, and all together. */
function lines(what: string, used: Used): readonly Line[] {
  const dearest = Object.entries(usdByLine(used)).sort(([, one], [, other]) => other - one);
  const line = (name: string, usd: number): Line => ({
    section: 'cost',
    what: `${what}: ${name}`,
    ours: `${usd.toFixed(2)} USD`,
    value: usd,
  });
  return [...dearest.slice(0, 3).map(([name, usd]) => line(name, usd)), line('together', costOf(used))];
}
