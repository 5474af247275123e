/** Text of strangers, made fit to be shown: nothing in it can hide, reorder or overflow what stands around it. */

/**
 * Controls other than tab and line feed, marks that turn the direction of what follows, lone surrogates, invisible and
 * tag characters. As in client/clean-text.ts, which a browser has no use for otherwise.
 */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|\p{Cs}|\u034f|\u17b4|\u17b5|[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** @param most characters kept; an ellipsis stands for the rest */
export function plainText(text: unknown, most = 20_000): string {
  if (typeof text !== 'string') return '';
  const clean = text
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(UNSEEN, '')
    .trim();
  return clean.length > most ? `${clean.slice(0, most).trimEnd()}…` : clean;
}

/** One line of it, for labels and lists. */
export function oneLine(text: unknown, most = 300): string {
  return plainText(text, most).replace(/\s+/g, ' ');
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
