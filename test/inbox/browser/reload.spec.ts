/** The page is reloaded at the worst moment: what was sent counts once, and is known as the reader's own. */
import { expect, test } from 'vitest';
import { taskOf } from '../../e2e/support/expense.ts';
import { deskAgent } from './desk-agent.ts';
import { answersIn, expectNoFaults, expectState, inPage, stageFor } from './support.ts';

const stage = stageFor(deskAgent());

test('between the answer and its response: the record says that it was this tab', async () => {
  const { place } = stage;
  const asked = await place.ask('approve');
  const tab = await stage.open(`/inbox#/task/${asked.id}`);
  const { page } = tab;
  // The agent gets the answer; the page never hears of it.
  let arrived: () => void = () => undefined;
  const sent = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  await page.route('**/message:send', async (route) => {
    await route.fetch();
    arrived();
    await new Promise(() => undefined);
  });
  await page.getByRole('button', { name: 'Book it' }).click();
  await sent;
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.reload();
  await expectState(page, 'Completed');
  await page.locator('.history').getByText('You, in this tab').waitFor();
  expect(answersIn(taskOf(await place.a2a.get(asked.id)))).toMatchObject([{ value: true }]);
  expectNoFaults(tab);
});

test('in the middle of a form of which the answer was refused: the other answer counts, and the first is not forgotten', async () => {
  const { place } = stage;
  const asked = await place.ask('approve');
  const tab = await stage.open(`/inbox#/task/${asked.id}`);
  const { page } = tab;
  await page.route('**/message:send', (route) => route.abort());
  await page.getByRole('button', { name: 'Book it' }).click();
  await page.getByText('No answer came from the agent').waitFor();
  await page.unrouteAll();
  await page.reload();
  await page.getByRole('button', { name: 'Leave it' }).click();
  await expectState(page, 'Completed');
  expect(answersIn(taskOf(await place.a2a.get(asked.id)))).toMatchObject([{ value: false }]);
  const kept = await inPage<string>(page, 'Object.values(sessionStorage).join()');
  // Ids and nothing that was typed or chosen.
  expect(kept).toMatch(/^inbox-[0-9a-f-]{36}\ninbox-[0-9a-f-]{36}$/);
  expect(await inPage(page, 'localStorage.length')).toBe(0);
  expectNoFaults(tab);
});

test('another tab does not take the answer for its own', async () => {
  const { place } = stage;
  const asked = await place.ask('approve');
  const context = await stage.browser.newContext();
  const first = await stage.open(`/inbox#/task/${asked.id}`, context);
  await first.page.getByRole('button', { name: 'Book it' }).click();
  await expectState(first.page, 'Completed');
  const second = await stage.open(`/inbox#/task/${asked.id}`, context);
  await expectState(second.page, 'Completed');
  await second.page.locator('.history').getByText('Caller').first().waitFor();
  expect(await second.page.getByText('You, in this tab').count()).toBe(0);
  expectNoFaults(first, second);
});
