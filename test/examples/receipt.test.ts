import { describe, expect, test } from 'vitest';
import type { Message, Part } from '../../core/message.ts';
import { readReceipt } from '../../examples/expense-agent/receipt.ts';

/** A Monday. */
const TODAY = Date.parse('2026-11-30T09:30:00Z');

function read(text: string, ...files: Part[]) {
  const request: Message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text }, ...files] };
  return readReceipt(request, TODAY);
}

test('the worked example: amount, currency, vendor, and the most recent Tuesday', () => {
  expect(read('File my taxi receipt from Tuesday, 42 euros')).toEqual({
    amount: 42,
    currency: 'EUR',
    date: '2026-11-24',
    vendor: 'taxi',
  });
});

describe('one sum of money is read in the usual spellings', () => {
  test.each([
    ['€42', 42, 'EUR'],
    ['€ 42.50', 42.5, 'EUR'],
    ['EUR 42.50', 42.5, 'EUR'],
    ['42,50 €', 42.5, 'EUR'],
    ['42.5 eur', 42.5, 'EUR'],
    ['1.234,56 EUR', 1234.56, 'EUR'],
    ['1,234.56 EUR', 1234.56, 'EUR'],
    ['1 234,56 €', 1234.56, 'EUR'],
    ["CHF 1'250", 1250, 'CHF'],
    ['$12', 12, 'USD'],
    ['12 dollars', 12, 'USD'],
    ['£9.99.', 9.99, 'GBP'],
    ['¥1,200', 1200, 'JPY'],
    ['on 2026-11-24 42 EUR', 42, 'EUR'],
    ['Tuesday 24 42 euros', 42, 'EUR'],
    ['EUR 42 (42 EUR)', 42, 'EUR'],
  ])('%s', (text, amount, currency) => {
    expect(read(text)).toMatchObject({ amount, currency });
  });
});

describe('a sum that is absent, ambiguous or impossible stays unread', () => {
  test.each([
    'my taxi receipt',
    '42',
    '42 km',
    '12 EUR and 30 EUR',
    '12 EUR, 12 USD',
    '0 EUR',
    '-42 EUR',
    'A$42',
    '42 Canadian dollars',
    '1,234,56 EUR',
    '€42.5051',
    '42 european swallows',
  ])('%s', (text) => {
    expect(read(text)).not.toHaveProperty('amount');
    expect(read(text)).not.toHaveProperty('currency');
  });
});

describe('one day is read, relative to today', () => {
  test.each([
    ['today', '2026-11-30'],
    ['yesterday', '2026-11-29'],
    ['Sunday', '2026-11-29'],
    ['last tuesday', '2026-11-24'],
    ['on Monday', '2026-11-23'],
    ['2026-11-24', '2026-11-24'],
    ['2026-11-24T10:00:00Z', '2026-11-24'],
    ['24.11.2026', '2026-11-24'],
    ['24/11/2026', '2026-11-24'],
    ['11/24/2026', '2026-11-24'],
    ['24 November', '2026-11-24'],
    ['24th of November 2025', '2025-11-24'],
    ['Nov 24, 2025', '2025-11-24'],
    ['December 3', '2025-12-03'],
    ['3 May 2026', '2026-05-03'],
    ['Tuesday, 24 November', '2026-11-24'],
  ])('%s', (text, date) => {
    expect(read(`my taxi receipt of ${text}`).date).toBe(date);
  });
});

describe('a day that is absent, ambiguous, impossible or in the future stays unread', () => {
  test.each([
    'my taxi receipt',
    'next Tuesday',
    '2026-12-01',
    '2026-02-30',
    '31.11.2026',
    '04/05/2026',
    'Tuesday or Wednesday',
    'Wednesday, 24 November',
    'at the market 5 times',
  ])('%s', (text) => {
    expect(read(text).date).toBeUndefined();
  });
});

describe('the vendor is a name after "at", or what the receipt is of', () => {
  test.each([
    ['my taxi receipt', 'taxi'],
    ['the hotel bill', 'hotel'],
    ['a train ticket from Friday', 'train'],
    ['Lunch at Chez Luis yesterday, €12', 'Chez Luis'],
    ['my receipt from Blue Bottle Coffee, $4', 'Blue Bottle Coffee'],
    ['File my receipt from Tuesday', undefined],
    ['File my receipt from March', undefined],
    ['File the attached receipt', undefined],
    ['42 euros', undefined],
  ])('%s', (text, vendor) => {
    expect(read(text).vendor).toBe(vendor);
  });
});

describe('a receipt file is kept as a reference, its content is not read', () => {
  test('content that came along: media type, name and size', () => {
    const file = { raw: 'aGVsbG8=', mediaType: 'image/jpeg', filename: 'taxi.jpg' };
    expect(read('my taxi receipt', file).file).toEqual({ mediaType: 'image/jpeg', filename: 'taxi.jpg', bytes: 5 });
  });

  test('an address', () => {
    expect(read('my taxi receipt', { url: 'https://files.example/taxi.pdf' }).file).toEqual({
      mediaType: 'application/octet-stream',
      url: 'https://files.example/taxi.pdf',
    });
  });

  test('a data part is not a file', () => {
    expect(read('my taxi receipt', { data: { amount: 1 } })).toEqual({ vendor: 'taxi' });
  });
});
