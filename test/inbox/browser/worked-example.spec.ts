/** The inbox page in a real browser, against the local runtime with the expense agent (issue 6, item 6). */
import { describe, expect, test } from 'vitest';
import expenseAgent from '../../../examples/expense-agent/agent.ts';
import { expense, question, REQUEST, taskOf } from '../../e2e/support/expense.ts';
import { answersIn, expectNoFaults, expectNotice, expectState, inPage, stageFor } from './support.ts';

const HOUR = 3_600_000;
const stage = stageFor(expenseAgent);

describe('the worked example', () => {
  test('two tasks that ask the same are told apart by what they were asked to do', async () => {
    await stage.place.ask(REQUEST);
    await stage.place.ask('File my taxi receipt from Monday, 12 euros\nwith guests');
    const { page } = await stage.open();
    await page.getByRole('link', { name: /Which cost centre.*“File my taxi receipt from Monday, 12 euros”/ }).waitFor();
    await page
      .getByRole('link', { name: /Which cost centre.*“File my taxi receipt from Tuesday, 42 euros”/ })
      .waitFor();
  });

  test('both rounds: a refused answer is asked again, a good one completes the task, and the record is shown', async () => {
    const asked = await stage.place.ask(REQUEST);
    const tab = await stage.open();
    const { page } = tab;
    await page.getByRole('link', { name: /Which cost centre/ }).click();
    await page.getByRole('button', { name: 'CC-4410' }).waitFor();
    expect(await page.locator('.question time').textContent()).toMatch(/^23 h 59 min left$/);

    // The first answer comes from elsewhere, as in the worked example; the page follows.
    await stage.place.a2a.send({
      messageId: 'elsewhere',
      role: 'ROLE_USER',
      taskId: asked.id,
      parts: [{ text: 'engineering' }],
    });
    await expectNotice(page, 'Somebody else answered, and the agent asks again. This is the new question.');
    await page.locator('.question').getByText('attempt 2 of 3').waitFor();
    await page.locator('.answer .error').filter({ hasText: 'expected one of CC-4410, CC-4420' }).waitFor();

    await page.getByRole('button', { name: 'CC-4410' }).click();
    await expectState(page, 'Completed');
    await page.getByRole('heading', { name: 'Result' }).waitFor();
    await page.locator('.results').getByText('EXP-000001').waitFor();
    const senders = await page.locator('.history .sender strong').allTextContents();
    expect(senders).toEqual(['Caller', 'Expense agent', 'Caller', 'Expense agent', 'You, in this tab']);
    await page.getByText('Nothing waits for you').waitFor({ state: 'attached' });
    const done = taskOf(await stage.place.a2a.get(asked.id));
    expect(expense(done)).toMatchObject({ expenseId: 'EXP-000001', costCentre: 'CC-4410' });
    expect(answersIn(done)).toEqual([
      'engineering',
      { questionId: `${question(asked).questionId.slice(0, -1)}2`, costCentre: 'CC-4410' },
    ]);
    expectNoFaults(tab);
  });

  test('no result is shown while the task is not completed', async () => {
    await stage.place.ask(REQUEST);
    const { page } = await stage.open();
    await page.getByRole('link', { name: /Which cost centre/ }).click();
    await page.getByRole('button', { name: 'CC-4410' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Result' }).count()).toBe(0);
  });

  test('two tabs answer at once: one wins, the other is told', async () => {
    const asked = await stage.place.ask(REQUEST);
    const address = `/inbox#/task/${asked.id}`;
    const [first, second] = [await stage.open(address), await stage.open(address)];
    const one = first.page.getByRole('button', { name: 'CC-4410' });
    const other = second.page.getByRole('button', { name: 'CC-4420' });
    await Promise.all([one.waitFor(), other.waitFor()]);
    // Neither hears of the other until both have sent: what counts is what the server makes of it.
    const held: (() => Promise<void>)[] = [];
    const bothSent = new Promise<void>((resolve) => {
      for (const { page } of [first, second]) {
        void page.route('**/message:send', (route) => {
          held.push(() => route.continue());
          if (held.length === 2) resolve();
        });
      }
    });
    await Promise.all([one.click(), other.click()]);
    await bothSent;
    await Promise.all(held.map((go) => go()));
    await Promise.all([expectState(first.page, 'Completed'), expectState(second.page, 'Completed')]);
    const lost = 'Somebody else answered this question first';
    await Promise.any([expectNotice(first.page, lost), expectNotice(second.page, lost)]);
    const notices = await Promise.all([first, second].map(({ page }) => page.locator('.task .notice').textContent()));
    expect(notices.filter((notice) => notice?.includes(lost))).toHaveLength(1);
    expect(answersIn(taskOf(await stage.place.a2a.get(asked.id)))).toHaveLength(1);
    expectNoFaults(first, second);
  });

  test('an answer in one tab closes the form in the other', async () => {
    const asked = await stage.place.ask(REQUEST);
    const watching = await stage.open(`/inbox#/task/${asked.id}`);
    await watching.page.getByRole('button', { name: 'CC-4420' }).focus();
    const acting = await stage.open(`/inbox#/task/${asked.id}`);
    await acting.page.getByRole('button', { name: 'CC-4410' }).click();
    await expectNotice(watching.page, 'Somebody else answered this question first');
    expect(await watching.page.getByRole('button', { name: 'CC-4420' }).count()).toBe(0);
    // Whoever was in the form is taken to what became of it.
    expect(await inPage(watching.page, 'document.activeElement?.textContent')).toContain('Somebody else');
    expectNoFaults(watching, acting);
  });

  test('the question expires while the form is open: the page says so, and sends nothing', async () => {
    const asked = await stage.place.ask(REQUEST);
    const tab = await stage.open(`/inbox#/task/${asked.id}`);
    await tab.page.getByRole('button', { name: 'CC-4410' }).waitFor();
    stage.place.clock.advance(24 * HOUR);
    await expectNotice(
      tab.page,
      'The time for an answer is up, and the task has ended. Nothing was taken from this form.',
    );
    await expectState(tab.page, 'Failed');
    expect(await tab.page.getByRole('button', { name: 'CC-4410' }).count()).toBe(0);
    expect(answersIn(taskOf(await stage.place.a2a.get(asked.id)))).toEqual([]);
    expectNoFaults(tab);
  });

  test('the time left counts down; at the end the server is asked, and its clock decides', async () => {
    const asked = await stage.place.ask(REQUEST);
    const context = await stage.browser.newContext();
    await context.clock.install();
    // The server's time does not move with the page's, and a page that is told it goes by it.
    await context.route('**/*', async (route) => {
      const response = await route.fetch();
      const { date: _, ...headers } = response.headers();
      await route.fulfill({ response, headers });
    });
    // The stream says nothing: only the page's own clock can bring it to look.
    await context.route('**/*:subscribe', () => {});
    const tab = await stage.open(`/inbox#/task/${asked.id}`, context);
    const time = tab.page.locator('.question time');
    await tab.page.getByRole('button', { name: 'CC-4410' }).waitFor();
    await context.clock.fastForward('01:00:00');
    await time.filter({ hasText: /^22 h 59 min left$/ }).waitFor();
    await context.clock.fastForward('22:30:00');
    await time.filter({ hasText: /^29 min \d+ s left$/ }).waitFor();
    expect(await time.getAttribute('class')).toBe('soon');
    stage.place.clock.advance(24 * HOUR);
    await context.clock.fastForward('00:30:00');
    await expectNotice(tab.page, 'The time for an answer is up, and the task has ended.');
    expectNoFaults(tab);
  });

  test('a task that asks for more goes on in the same place', async () => {
    const asked = await stage.place.ask('File my receipt');
    const tab = await stage.open(`/inbox#/task/${asked.id}`);
    const { page } = tab;
    const fields = page.locator('.answer form');
    await fields.getByLabel('Amount').fill('12.5');
    await fields.getByLabel('Currency').fill('EUR');
    await fields.getByLabel('Date').fill('2026-11-24');
    await fields.getByLabel('Vendor').fill('Blue Bottle');
    await page.getByRole('button', { name: 'Send answer' }).click();
    await expectNotice(page, 'The agent has another question.');
    await page.getByRole('button', { name: 'CC-4420' }).click();
    await expectState(page, 'Completed');
    await page.locator('.results').getByText('Blue Bottle').waitFor();
    expectNoFaults(tab);
  });

  test('an answer that comes too late is refused, and the page says why', async () => {
    const asked = await stage.place.ask(REQUEST);
    const tab = await stage.open(`/inbox#/task/${asked.id}`);
    const option = tab.page.getByRole('button', { name: 'CC-4410' });
    await option.waitFor();
    await tab.page.route('**/message:send', async (route) => {
      stage.place.clock.advance(24 * HOUR);
      await route.continue();
    });
    await option.click();
    await expectNotice(tab.page, 'The time for an answer is up, and the task has ended.');
    expect(taskOf(await stage.place.a2a.get(asked.id)).status.state).toBe('TASK_STATE_FAILED');
    expectNoFaults(tab);
  });

  test('the network fails after the answer has arrived: sending again counts once', async () => {
    const asked = await stage.place.ask(REQUEST);
    const tab = await stage.open(`/inbox#/task/${asked.id}`);
    const { page } = tab;
    const ids: string[] = [];
    // The stream is held back, so that only the sending can tell.
    await page.getByRole('button', { name: 'CC-4410' }).waitFor();
    await page.route('**/message:send', async (route) => {
      const { message } = route.request().postDataJSON() as { message: { messageId: string } };
      ids.push(message.messageId);
      if (ids.length === 1) await route.abort('connectionreset');
      else if (ids.length === 2) await route.fetch().then(() => route.abort('connectionreset'));
      else await route.continue();
    });
    await page.getByRole('button', { name: 'CC-4410' }).click();
    await expectNotice(page, 'No answer came from the agent. Send again when you are connected');
    await page.getByRole('button', { name: 'CC-4410' }).click();
    await expectState(page, 'Completed');
    expect(new Set(ids).size).toBe(1);
    expect(answersIn(taskOf(await stage.place.a2a.get(asked.id)))).toHaveLength(1);
    expectNoFaults(tab);
  });

  test('declines with a reason, and cancels', async () => {
    const asked = await stage.place.ask(REQUEST);
    const tab = await stage.open(`/inbox#/task/${asked.id}`);
    await tab.page.getByText('Decline to answer').click();
    await tab.page.getByLabel(/Reason/).fill('not my expense');
    await tab.page.getByRole('button', { name: 'Decline' }).click();
    await expectNotice(tab.page, 'You declined to answer.');
    await tab.page.getByText('Declined to answer: not my expense').waitFor();
    expect(answersIn(taskOf(await stage.place.a2a.get(asked.id)))).toEqual([
      { questionId: question(asked).questionId, decline: { reason: 'not my expense' } },
    ]);

    const other = await stage.place.ask(`${REQUEST} and cents`);
    await tab.page.goto(`${stage.place.url}/inbox#/task/${other.id}`);
    await tab.page.getByText('Cancel the task').click();
    await tab.page.getByRole('button', { name: 'Cancel this task' }).click();
    await expectNotice(tab.page, 'The task was canceled.');
    expect(taskOf(await stage.place.a2a.get(other.id)).status.state).toBe('TASK_STATE_CANCELED');
    expectNoFaults(tab);
  });
});
