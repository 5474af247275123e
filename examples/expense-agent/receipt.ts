/**
 * Reads an expense out of the words of a request: amount, currency, date and vendor, and notes a receipt file that
 * came along. It never guesses: what is absent, ambiguous or impossible stays undefined, and the agent asks for it.
 *
 * Left out on purpose: looking into the receipt file. The file is kept as a reference (name, media type, size or
 * address); reading its pixels is a job for a model or an OCR service, as one more step of the agent.
 */
import type { Message, Part } from '../../agent/index.ts';

export interface Receipt {
  readonly amount?: number;
  /** ISO 4217. */
  readonly currency?: string;
  /** ISO 8601 calendar date. */
  readonly date?: string;
  readonly vendor?: string;
  readonly file?: ReceiptFile;
}

export interface ReceiptFile {
  readonly mediaType: string;
  readonly filename?: string;
  /** Size of the content that was sent along. */
  readonly bytes?: number;
  /** Where the content is, when only an address was sent. */
  readonly url?: string;
}

const DAY_MS = 86_400_000;
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

/** Signs and words by which people name a currency. A bare "$" is read as US dollars. */
const CURRENCY_NAMES: Readonly<Record<string, string>> = {
  '€': 'EUR',
  euro: 'EUR',
  euros: 'EUR',
  eur: 'EUR',
  $: 'USD',
  dollar: 'USD',
  dollars: 'USD',
  usd: 'USD',
  '£': 'GBP',
  pound: 'GBP',
  pounds: 'GBP',
  gbp: 'GBP',
  '¥': 'JPY',
  yen: 'JPY',
  jpy: 'JPY',
  chf: 'CHF',
  francs: 'CHF',
  sek: 'SEK',
  nok: 'NOK',
  dkk: 'DKK',
  pln: 'PLN',
  czk: 'CZK',
  cad: 'CAD',
  aud: 'AUD',
};
const CURRENCY = Object.keys(CURRENCY_NAMES)
  .sort((a, b) => b.length - a.length)
  .map((name) => (/^[a-z]+$/.test(name) ? `${name}\\b` : `\\${name}`))
  .join('|');
const NUMBER = String.raw`\d{1,3}(?:[.,' ]\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d{1,2})?`;
const CURRENCY_FIRST = new RegExp(String.raw`(?<![\w$€£¥])(${CURRENCY})\s*(${NUMBER})(?![.,]?\d|[\w%])`, 'gi');
const NUMBER_FIRST = new RegExp(String.raw`(?<![\w.,$€£¥-])(${NUMBER})\s*(${CURRENCY})`, 'gi');

const MONTH = `(${MONTHS.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?`).join('|')})\\.?`;
const DATES: readonly {
  readonly pattern: RegExp;
  readonly read: (found: RegExpMatchArray, today: Date) => Date | undefined;
}[] = [
  { pattern: /\b(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)/g, read: ([, y, m, d]) => calendarDate(y, m, d) },
  { pattern: /\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b/g, read: ([, d, m, y]) => calendarDate(y, m, d) },
  { pattern: /\b(\d{1,2})\/(\d{1,2})\/(\d{4})\b/g, read: ([, a, b, y]) => slashDate(Number(a), Number(b), y) },
  {
    pattern: new RegExp(String.raw`\b(\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?${MONTH}(?:,?\s+(\d{4}))?\b`, 'gi'),
    read: ([, d, month, y], today) => namedMonth(d, month, y, today),
  },
  {
    pattern: new RegExp(String.raw`\b${MONTH}\s+(\d{1,2})(?:st|nd|rd|th)?\b(?:,?\s+(\d{4})\b)?`, 'gi'),
    read: ([, month, d, y], today) => namedMonth(d, month, y, today),
  },
  { pattern: /\btoday\b/gi, read: (_found, today) => today },
  { pattern: /\byesterday\b/gi, read: (_found, today) => daysBefore(today, 1) },
  {
    pattern: new RegExp(String.raw`\b(next\s+)?(${WEEKDAYS.join('|')})\b`, 'gi'),
    read: ([, next, weekday], today) => (next ? undefined : weekdayBefore(today, weekday ?? '')),
  },
];

/** Reads what can be read with certainty. `nowMs` is the server's time; days are those of UTC. */
export function readReceipt(request: Message, nowMs: number): Receipt {
  const text = request.parts
    .map((part) => part.text ?? '')
    .join('\n')
    .trim();
  const money = readMoney(text);
  const date = readDate(text, nowMs);
  const vendor = readVendor(text);
  const file = readFile(request.parts);
  return {
    ...money,
    ...(date === undefined ? {} : { date }),
    ...(vendor === undefined ? {} : { vendor }),
    ...(file === undefined ? {} : { file }),
  };
}

/** Amount and currency, if the text names exactly one sum of money. */
function readMoney(text: string): { amount?: number; currency?: string } {
  const sums = new Map<string, { amount: number; currency: string }>();
  const note = (digits = '', name = '') => {
    const amount = readNumber(digits);
    const currency = CURRENCY_NAMES[name.toLowerCase()];
    if (amount !== undefined && currency !== undefined) sums.set(`${amount} ${currency}`, { amount, currency });
  };
  for (const [, digits, name] of text.matchAll(NUMBER_FIRST)) note(digits, name);
  // "42 EUR 17" would read as two sums: what stands after a number and its currency belongs to neither.
  const rest = text.replace(NUMBER_FIRST, ' ');
  for (const [, name, digits] of rest.matchAll(CURRENCY_FIRST)) note(digits, name);
  const [only, another] = [...sums.values()];
  return only !== undefined && another === undefined ? only : {};
}

/** The last separator followed by one or two digits is the decimal point; any other must group thousands. */
function readNumber(digits: string): number | undefined {
  const found = /^(\d+|\d{1,3}(?:([.,' ])\d{3})(?:\2\d{3})*)(?:([.,])(\d{1,2}))?$/.exec(digits);
  if (!found) return undefined;
  const [, whole = '', group, point, decimals = '0'] = found;
  if (group !== undefined && group === point) return undefined;
  const amount = Number(`${whole.replace(/\D/g, '')}.${decimals}`);
  return amount > 0 && amount < 1e9 ? amount : undefined;
}

/** The one day the text names, if it is not in the future. */
function readDate(text: string, nowMs: number): string | undefined {
  const today = new Date(Math.floor(nowMs / DAY_MS) * DAY_MS);
  const days = new Set<string | undefined>();
  for (const { pattern, read } of DATES) {
    for (const found of text.matchAll(pattern)) {
      const day = read(found, today);
      days.add(day !== undefined && day <= today ? day.toISOString().slice(0, 10) : undefined);
    }
  }
  return days.size === 1 ? [...days][0] : undefined;
}

function calendarDate(year = '', month = '', day = ''): Date | undefined {
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day) ? date : undefined;
}

/** 24/11/2026 and 11/24/2026 are certain, 04/05/2026 is not. */
function slashDate(a: number, b: number, year = ''): Date | undefined {
  if (a > 12) return calendarDate(year, String(b), String(a));
  if (b > 12 || a === b) return calendarDate(year, String(a), String(b));
  return undefined;
}

/** Without a year: the latest such day that is not in the future. */
function namedMonth(
  day: string | undefined,
  name: string | undefined,
  year: string | undefined,
  today: Date,
): Date | undefined {
  const month = String(MONTHS.findIndex((month) => month.startsWith((name ?? '').slice(0, 3).toLowerCase())) + 1);
  if (year !== undefined) return calendarDate(year, month, day);
  const date = calendarDate(String(today.getUTCFullYear()), month, day);
  return date !== undefined && date > today ? calendarDate(String(today.getUTCFullYear() - 1), month, day) : date;
}

function daysBefore(today: Date, days: number): Date {
  return new Date(today.getTime() - days * DAY_MS);
}

/** The most recent such weekday before today; on a Tuesday, "Tuesday" is a week ago. */
function weekdayBefore(today: Date, name: string): Date {
  const weekday = WEEKDAYS.indexOf(name.toLowerCase() as (typeof WEEKDAYS)[number]);
  return daysBefore(today, (today.getUTCDay() - weekday + 7) % 7 || 7);
}

/** "at Blue Bottle", or the word that says what the receipt is of: "my taxi receipt". */
function readVendor(text: string): string | undefined {
  const at =
    /\b(?:at|from|by)\s+((?:(?!(?:Sun|Mon|Tues|Wednes|Thurs|Fri|Satur)day\b)\p{Lu}[\p{L}\p{N}&'’.-]*\s?)+)/u.exec(text);
  const named = at?.[1]?.trim().replace(/[.,]$/, '');
  if (named && !new RegExp(`^${MONTH}$`, 'i').test(named)) return named;
  const kind =
    /\b(?:my|the|a|an|this)\s+((?:\p{L}[\p{L}&'’-]*\s+){1,2})(?:receipt|bill|invoice|ticket|expenses?|fare|ride)\b/iu.exec(
      text,
    );
  const words = kind?.[1]?.trim();
  return words && !/^(?:attached|new|last|expense|receipt)\b/i.test(words) ? words : undefined;
}

/** The first part that carries a file. */
function readFile(parts: readonly Part[]): ReceiptFile | undefined {
  const part = parts.find(({ raw, url }) => raw !== undefined || url !== undefined);
  if (!part) return undefined;
  return {
    mediaType: part.mediaType ?? 'application/octet-stream',
    ...(part.filename === undefined ? {} : { filename: part.filename }),
    ...(part.raw === undefined ? {} : { bytes: Buffer.byteLength(part.raw, 'base64') }),
    ...(part.url === undefined ? {} : { url: part.url }),
  };
}
