/**
 * The page for those who do not see it, hear it or point at it (WCAG 2.2 AA, as far as a program can tell): contrast,
 * names, roles, what is required and what is wrong, the way of the focus.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { deskAgent } from './desk-agent.ts';
import { expectNoFaults, expectState, inPage, stageFor } from './support.ts';

const stage = stageFor(deskAgent());

/** Texts whose colour is too near to what lies behind them, with the ratio (1.4.3). Runs in the page. */
const PALE = `(() => {
  const channels = (colour) => (colour.match(/[0-9.]+/g) ?? []).map(Number);
  const over = ([r, g, b, a = 1], [r2, g2, b2]) => [r * a + r2 * (1 - a), g * a + g2 * (1 - a), b * a + b2 * (1 - a)];
  const behind = (element) => {
    if (!element) return [255, 255, 255];
    const colour = channels(getComputedStyle(element).backgroundColor);
    return colour[3] === 0 ? behind(element.parentElement) : over(colour, behind(element.parentElement));
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (one, other) => {
    const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const pale = [];
  let checked = 0;
  while (texts.nextNode()) {
    const { textContent, parentElement } = texts.currentNode;
    if (textContent.trim() === '' || !parentElement.checkVisibility() || parentElement.closest('script, style, noscript')) continue;
    checked += 1;
    const { color, fontSize, fontWeight } = getComputedStyle(parentElement);
    const large = parseFloat(fontSize) >= 24 || (parseFloat(fontSize) >= 18.66 && Number(fontWeight) >= 700);
    const ground = behind(parentElement);
    const found = ratio(over(channels(color), ground), ground);
    if (found < (large ? 3 : 4.5)) pale.push(textContent.trim().slice(0, 40) + ' ' + found.toFixed(2));
  }
  return { checked, pale };
})()`;

/** What can be operated and has no name, is smaller than it may be (2.5.8), or has a name without its text (2.5.3). */
const UNFIT = `(() => {
  const words = (text) => text.toLowerCase().replace(/\\s+/g, ' ').trim();
  return [...document.querySelectorAll('a[href], button, input, select, textarea, summary')]
    // The skip link is seen once it has the focus.
    .filter((element) => element.checkVisibility() && !element.matches('.skip'))
    .flatMap((element) => {
      const labels = [...(element.labels ?? [])].map(({ textContent }) => textContent).join(' ');
      const name = words(element.getAttribute('aria-label') ?? (labels || element.textContent));
      const { width, height } = element.getBoundingClientRect();
      const target = element.closest('label')?.getBoundingClientRect() ?? { width, height };
      const inText = element.matches('p a');
      return [
        ...(name === '' ? ['no name: ' + element.outerHTML.slice(0, 80)] : []),
        ...(!inText && (target.width < 24 || target.height < 24) ? ['small: ' + element.outerHTML.slice(0, 80)] : []),
        ...(element.matches('button') && !name.includes(words(element.textContent)) ? ['other words: ' + name] : []),
      ];
    });
})()`;

/** References of one element to another that lead nowhere, and ids that are there twice (4.1.1). */
const BROKEN = `(() => {
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
  const missing = ['for', 'aria-describedby', 'aria-labelledby', 'aria-controls'].flatMap((name) =>
    [...document.querySelectorAll('[' + name + ']')].flatMap((element) =>
      element.getAttribute(name).split(' ').filter((id) => !document.getElementById(id)),
    ),
  );
  return [...twice, ...missing];
})()`;

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core has against the page, its best practices included: each rule with the elements that break it. */
const FOUND = `axe.run(document).then(({ passes, violations }) => ({
  passed: passes.length,
  violations: violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html.slice(0, 100))]),
}))`;

async function expectAccessible(page: Page, where: string): Promise<void> {
  const { checked, pale } = await inPage<{ checked: number; pale: string[] }>(page, PALE);
  expect({ where, pale }).toEqual({ where, pale: [] });
  expect(checked).toBeGreaterThan(5);
  expect({ where, unfit: await inPage(page, UNFIT) }).toEqual({ where, unfit: [] });
  expect({ where, broken: await inPage(page, BROKEN) }).toEqual({ where, broken: [] });
  await inPage(page, `${AXE}; 0`);
  const { passed, violations } = await inPage<{ passed: number; violations: string[][] }>(page, FOUND);
  expect({ where, violations }).toEqual({ where, violations: [] });
  expect(passed).toBeGreaterThan(20);
}

describe.each(['light', 'dark'] as const)('in %s colours', (colorScheme) => {
  test('every view can be read and operated', async () => {
    const { place } = stage;
    const [trip, approve, hostile] = [await place.ask('trip'), await place.ask('approve'), await place.ask('hostile')];
    const tab = await stage.open('/inbox', await stage.browser.newContext({ colorScheme }));
    const { page } = tab;
    await page.getByRole('link', { name: /trip to Lisbon/ }).waitFor();
    await expectAccessible(page, 'the list');
    await page.locator('#access-state').click();
    await expectAccessible(page, 'the access token');
    await page.locator('#access-state').click();

    const open = (taskId: string) => page.goto(`${place.url}/inbox#/task/${taskId}`);
    await open(trip.id);
    const send = page.getByRole('button', { name: 'Send answer' });
    await send.waitFor();
    for (const more of await page.locator('main summary').all()) await more.click();
    await expectAccessible(page, 'a form');
    await send.click();
    await expectAccessible(page, 'a form with errors');
    await open(hostile.id);
    await page.locator('button.option').waitFor();
    await expectAccessible(page, 'words of strangers');
    await open(approve.id);
    await page.getByRole('button', { name: 'Book it' }).waitFor();
    await expectAccessible(page, 'options');
    await page.getByRole('button', { name: 'Leave it' }).click();
    await expectState(page, 'Completed');
    await expectAccessible(page, 'a result');
    expectNoFaults(tab);
  });
});

describe('for a screen reader', () => {
  test('fields tell what they are, what must be filled in, and what is wrong with them', async () => {
    const asked = await stage.place.ask('trip');
    const { page } = await stage.open(`/inbox#/task/${asked.id}`);
    const question = page.getByRole('group', { name: 'What do you need for your trip to Lisbon?' });
    await question.getByRole('button', { name: 'Send answer' }).click();
    const required = (name: string) => question.getByRole('textbox', { name }).getAttribute('required');
    expect([await required('Traveller'), await required('Notes')]).toEqual(['', null]);
    const visa = question.getByRole('radiogroup', { name: 'A visa is needed' });
    expect([await visa.getAttribute('aria-required'), await visa.getAttribute('aria-invalid')]).toEqual([
      'true',
      'true',
    ]);
    expect(await visa.getByRole('radio').count()).toBe(2);
    const described = (await visa.getAttribute('aria-describedby')) ?? '';
    expect(await page.locator(`#${described}`).textContent()).toBe('Choose one');
    expect(await question.getByRole('group', { name: 'Meals' }).getByRole('checkbox').count()).toBe(2);
    await question.getByRole('group', { name: 'Address' }).getByRole('textbox', { name: 'City' }).waitFor();
    await question.getByRole('spinbutton', { name: 'Nights' }).waitFor();
    await question.getByRole('combobox', { name: 'Class' }).waitFor();
  });

  test('headings go down one step at a time; the language and the title are there', async () => {
    const asked = await stage.place.ask('approve');
    const { page } = await stage.open(`/inbox#/task/${asked.id}`);
    await page.getByRole('button', { name: 'Book it' }).click();
    await expectState(page, 'Completed');
    const levels = await inPage<number[]>(
      page,
      '[...document.querySelectorAll("h1, h2, h3, h4")].filter((one) => one.checkVisibility()).map(({ tagName }) => Number(tagName[1]))',
    );
    expect(levels[0]).toBe(1);
    expect(levels.every((level, index) => index === 0 || level <= (levels[index - 1] as number) + 1)).toBe(true);
    expect(await inPage(page, 'document.documentElement.lang')).toBe('en');
    expect(await page.title()).toBe('Inbox – Travel desk');
    expect(await page.locator('[role=status], [role=alert]').count()).toBeGreaterThanOrEqual(2);
  });
});

test('the focus goes through the page as it is read, and never to what cannot be seen', async () => {
  const asked = await stage.place.ask('approve');
  const { page } = await stage.open(`/inbox#/task/${asked.id}`);
  await page.getByRole('button', { name: 'Book it' }).waitFor();
  const seen: string[] = [];
  await inPage(page, '(document.querySelector(".skip").focus(), 0)');
  for (let presses = 0; presses < 12; presses += 1) {
    const what = await inPage<string>(
      page,
      '(document.activeElement.checkVisibility() ? "" : "hidden: ") + document.activeElement.textContent.trim().slice(0, 18)',
    );
    seen.push(what);
    await page.keyboard.press('Tab');
  }
  expect(seen.slice(0, 8)).toEqual([
    'Skip to the questi',
    'No access token',
    'Refresh',
    'Travel deskLisbon ',
    'Book it The fare i',
    'Leave it Nothing i',
    'Decline to answer',
    'Cancel the task',
  ]);
});
