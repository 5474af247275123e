/** Forms on the page: many fields, the keyboard alone, hostile words, whose questions are whose. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { wire } from '../../e2e/support/bindings.ts';
import { question, taskOf } from '../../e2e/support/expense.ts';
import { deskAgent, HOSTILE } from './desk-agent.ts';
import { answersIn, expectNoFaults, expectNotice, expectState, inPage, stageFor } from './support.ts';

const stage = stageFor(deskAgent());

const focused = (page: Page) => inPage<string>(page, 'document.activeElement?.id ?? ""');

describe('a form of many fields', () => {
  test('errors stand beside their fields and are described to them; what is right stays after a re-ask', async () => {
    const asked = await stage.place.ask('trip');
    const tab = await stage.open(`/inbox#/task/${asked.id}`);
    const { page } = tab;
    await page.getByRole('button', { name: 'Send answer' }).click();
    const traveller = page.getByLabel('Traveller');
    expect(await focused(page)).toBe(await traveller.getAttribute('id'));
    expect(await traveller.getAttribute('aria-invalid')).toBe('true');
    const described = (await traveller.getAttribute('aria-describedby'))?.split(' ') ?? [];
    const texts = await Promise.all(described.map((id) => page.locator(`#${id}`).textContent()));
    expect(texts).toEqual(['As in the passport', 'Fill this in']);
    // A slip costs no attempt: nothing was sent.
    expect(answersIn(taskOf(await stage.place.a2a.get(asked.id)))).toEqual([]);

    await traveller.fill('Ana Sousa');
    await page.getByLabel('E-mail').fill('ana@example.com');
    await page.getByLabel('Departure').fill('2026-12-14');
    await page.getByLabel('Nights').fill('15');
    await page.getByLabel('Class').selectOption('business');
    await page.getByLabel('dinner').check();
    await page.getByLabel('No', { exact: true }).check();
    await page.getByLabel('City').fill('Lisbon');
    const pin = page.getByLabel('Card PIN');
    expect([await pin.getAttribute('type'), await pin.getAttribute('autocomplete')]).toEqual(['password', 'off']);
    await pin.fill('12345');
    await page.getByLabel('Anything else').fill('{seat: 1}');
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.getByText('Enter 14 or less').waitFor();
    await page.getByText('This is not valid JSON').waitFor();
    await page.getByLabel('Nights').fill('4');
    await page.getByLabel('Anything else').fill('{"seat": 1}');
    await page.getByRole('button', { name: 'Send answer' }).click();

    // The pattern of the PIN is the agent's to check: it asks again.
    await expectNotice(page, 'Your answer could not be accepted');
    expect(await page.getByLabel('Traveller').inputValue()).toBe('Ana Sousa');
    expect(await page.getByLabel('Nights').inputValue()).toBe('4');
    expect(await page.getByLabel('dinner').isChecked()).toBe(true);
    expect(await page.getByLabel('Card PIN').inputValue()).toBe('');
    expect(await page.getByLabel('Card PIN').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Card PIN').fill('4321');
    await page.getByRole('button', { name: 'Send answer' }).click();
    await expectState(page, 'Completed');
    const done = taskOf(await stage.place.a2a.get(asked.id));
    expect(done.artifacts?.[0]?.parts[0]?.data).toEqual({
      traveller: 'Ana Sousa',
      email: 'ana@example.com',
      departure: '2026-12-14',
      nights: 4,
      class: 'business',
      meals: ['dinner'],
      visa: false,
      address: { city: 'Lisbon' },
      extras: { seat: 1 },
    });
    expect(JSON.stringify(done)).not.toMatch(/12345|4321/);
    expect(await page.content()).not.toMatch(/12345|4321/);
    expectNoFaults(tab);
  });

  test('after a reload a re-ask is filled in from what the agent took as right', async () => {
    const asked = await stage.place.ask('trip');
    const { questionId } = question(asked);
    const data = { questionId, traveller: 'Ana Sousa', nights: 99, class: 'economy' };
    await stage.place.a2a.send({ messageId: 'm-2', role: 'ROLE_USER', taskId: asked.id, parts: [{ data }] });
    const { page } = await stage.open(`/inbox#/task/${asked.id}`);
    await page.getByRole('button', { name: 'Send answer' }).waitFor();
    expect(await page.getByLabel('Traveller').inputValue()).toBe('Ana Sousa');
    expect(await page.getByLabel('Class').inputValue()).toBe('0');
    expect(await page.getByLabel('Nights').inputValue()).toBe('');
    expect(await page.getByLabel('Nights').getAttribute('aria-invalid')).toBe('true');
  });
});

describe('the keyboard alone', () => {
  test('finds the question, answers it, and is taken to what became of it', async () => {
    await stage.place.ask('approve');
    const tab = await stage.open();
    const { page } = tab;
    await page.getByRole('link', { name: /Shall I book it/ }).waitFor();
    const press = async (key: string, until: (what: string) => boolean) => {
      for (let presses = 0; presses < 15; presses += 1) {
        await page.keyboard.press(key);
        const what = await inPage<string>(page, 'document.activeElement?.textContent ?? ""');
        if (until(what)) return;
      }
      throw new Error('the focus never came there');
    };
    await press('Tab', (what) => what.includes('Shall I book it'));
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Book it' }).waitFor();
    expect(await inPage(page, 'document.activeElement?.tagName')).toBe('H2');
    await press('Tab', (what) => what.startsWith('Book it'));
    const outline = await inPage(page, 'getComputedStyle(document.activeElement).outlineStyle');
    expect(outline).toBe('solid');
    await page.keyboard.press('Space');
    await expectState(page, 'Completed');
    expect(await inPage(page, 'document.activeElement?.getAttribute("role")')).toBe('status');
    expectNoFaults(tab);
  });

  test('landmarks, one first heading, a name for every control', async () => {
    await stage.place.ask('trip');
    const { page } = await stage.open();
    await page.getByRole('link', { name: /trip to Lisbon/ }).click();
    await page.getByRole('button', { name: 'Send answer' }).waitFor();
    for (const role of ['banner', 'navigation', 'main'] as const) expect(await page.getByRole(role).count()).toBe(1);
    expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual(['Inbox']);
    const nameless = await inPage(
      page,
      '[...document.querySelectorAll("input, select, textarea")].filter(({ labels }) => labels.length === 0).map(({ id }) => id)',
    );
    expect(nameless).toEqual([]);
    const wide = await inPage(page, 'document.documentElement.scrollWidth > innerWidth');
    expect(wide).toBe(false);
  });

  test('on a phone nothing is wider than the screen', async () => {
    await stage.place.ask('trip');
    const context = await stage.browser.newContext({ viewport: { width: 320, height: 640 } });
    const { page } = await stage.open('/inbox', context);
    await page.getByRole('link', { name: /trip to Lisbon/ }).click();
    await page.getByRole('button', { name: 'Send answer' }).waitFor();
    expect(await inPage(page, 'document.documentElement.scrollWidth')).toBe(320);
    await page.getByRole('link', { name: /All questions/ }).click();
    await page.getByRole('link', { name: /trip to Lisbon/ }).waitFor();
  });
});

describe('words of strangers', () => {
  test('a hostile question is shown as text, answered as data, and runs nothing', async () => {
    const asked = await stage.place.ask('hostile');
    const tab = await stage.open(`/inbox#/task/${asked.id}`);
    const { page } = tab;
    const shown = HOSTILE.replace('\u202e', '');
    await page.locator('#question-text').waitFor();
    expect(await page.locator('#question-text').textContent()).toBe(shown);
    await page.locator('button.option').click();
    await expectState(page, 'Completed');
    await page.locator('.results').getByText('javascript:window.hacked=1').waitFor();
    expect(await page.locator('main img, main script, main a[href^="javascript"]').count()).toBe(0);
    expect(await inPage(page, '"hacked" in window')).toBe(false);
    expect(answersIn(taskOf(await stage.place.a2a.get(asked.id)))).toMatchObject([{ choice: 'javascript:alert(1)' }]);
    // No line of the console: the policy had nothing to refuse.
    expectNoFaults(tab);
  });

  test('another value than the options can be given where that is allowed', async () => {
    const asked = await stage.place.ask('hostile');
    const { page } = await stage.open(`/inbox#/task/${asked.id}`);
    await page.getByLabel('Another answer').fill('by train');
    await page.getByRole('button', { name: 'Send answer' }).click();
    await expectState(page, 'Completed');
    expect(answersIn(taskOf(await stage.place.a2a.get(asked.id)))).toMatchObject([{ choice: 'by train' }]);
  });
});

describe('who reads', () => {
  test('a token shows that user’s questions; it is kept for the tab only if the reader says so', async () => {
    const alice = wire('HTTP+JSON', stage.place.url, { Authorization: 'Bearer alice-token' });
    await alice.send({ messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'approve' }] });
    const tab = await stage.open();
    const { page } = tab;
    await page.getByText('Nothing waits for you').waitFor();
    const use = async (token: string, keep: boolean) => {
      if (!(await inPage(page, 'document.getElementById("access").open'))) await page.locator('#access-state').click();
      await page.getByLabel('Access token', { exact: true }).fill(token);
      await page.getByLabel('Keep it until this tab is closed').setChecked(keep);
      await page.getByRole('button', { name: 'Use token' }).click();
    };
    await use('alice-token', false);
    await page.getByRole('link', { name: /Shall I book it/ }).waitFor();
    expect(await inPage(page, 'sessionStorage.length + localStorage.length')).toBe(0);
    await page.reload();
    await page.getByText('Nothing waits for you').waitFor();
    await use('alice-token', true);
    await page.getByRole('link', { name: /Shall I book it/ }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: /Shall I book it/ }).waitFor();
    expect(await inPage(page, '[sessionStorage.length, localStorage.length]')).toEqual([1, 0]);

    await use('nobody', false);
    await page.getByText('The agent wants to know who you are').waitFor();
    expect(await page.getByRole('link', { name: /Shall I book it/ }).count()).toBe(0);
    expect(await inPage(page, 'sessionStorage.length')).toBe(0);
    expectNoFaults(tab);
  });
});
