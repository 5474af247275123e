/** Text of strangers as this page shows it: cleaned (core/clean-text.ts), and of the page's own lengths. */
import { cleanLine, cleanText } from '../core/clean-text.ts';

/** @param most characters that are kept, the ellipsis for the rest among them */
export function plainText(text: unknown, most = 20_000): string {
  return typeof text === 'string' ? cleanText(text, most) : '';
}

/** One line of it, for labels and lists. */
export function oneLine(text: unknown, most = 300): string {
  return typeof text === 'string' ? cleanLine(text, most) : '';
}

/** A property name as a label: `costCentre` and `cost_centre` become "Cost centre". */
export function labelOf(name: string): string {
  const words = oneLine(name, 100)
    .replace(
      /([\p{Ll}\d])(\p{Lu})(?=\p{Ll}|$)/gu,
      (_whole, before: string, after: string) => `${before} ${after.toLowerCase()}`,
    )
    .replace(/[_-]+/g, ' ')
    .trim();
  return words === '' ? oneLine(name, 100) : words[0]?.toUpperCase() + words.slice(1);
}
