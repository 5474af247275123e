/** An agent that lies in every field, and one that keeps to no form: the page shows text, runs nothing, stays whole. */
import type { BrowserContext } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { deskAgent } from './desk-agent.ts';
import { expectNoFaults, inPage, stageFor, type Tab } from './support.ts';

const stage = stageFor(deskAgent());
const URI = 'https://askback.dev/a2a/extensions/question/v1';

const EVIL = '"><img src=x onerror="window.hacked=1"><script>window.hacked=1</script>\u202e\u200b{{7*7}}';
const evil = (text: string) => `${text}${EVIL}`;

const schema = {
  type: 'object',
  title: evil('t'),
  properties: {
    [evil('text')]: { type: 'string', title: evil('Text'), description: evil('d') },
    __proto__x: { type: 'string' },
    constructor: { enum: [evil('one'), evil('two')], description: evil('d') },
    many: { type: 'array', items: { enum: [evil('a'), evil('b')] } },
    group: { type: 'object', title: evil('G'), properties: { [evil('in')]: { type: 'integer' } } },
    json: { title: evil('J') },
  },
  required: [evil('text'), 'constructor'],
};
const question = {
  questionId: evil('q'),
  answerSchema: schema,
  options: { [evil('text')]: [{ value: evil('v'), label: evil('l'), description: evil('d') }] },
  allowOther: true,
  expires: '2030-01-01T00:00:00Z',
  attempt: 2,
  maxAttempts: 3,
  errors: [
    { pointer: '/constructor', message: evil('e') },
    { pointer: evil('/x'), message: evil('e') },
  ],
  prefill: { json: { [evil('k')]: evil('v') } },
};
const asks = { messageId: evil('m'), role: 'ROLE_AGENT', parts: [{ text: evil('Which?') }, { data: question }] };
const says = {
  messageId: evil('m2'),
  role: evil('ROLE'),
  metadata: { [URI]: { recordedAt: evil('now'), reason: evil('R') } },
  parts: [
    { text: evil('said') },
    { data: { [evil('k')]: evil('v'), deep: { [evil('k')]: [evil('v')] } } },
    { url: 'javascript:window.hacked=1', filename: evil('f') },
    { url: evil('https://example.com/'), filename: evil('f') },
    { url: 'data:text/html,<script>window.hacked=1</script>' },
    { raw: 'aGk=', filename: evil('../f.html'), mediaType: evil('text/html') },
  ],
};
const artifacts = [{ artifactId: evil('a'), name: evil('n'), description: evil('d'), parts: says.parts }];
const card = { name: evil('Agent'), description: evil('d'), capabilities: { streaming: false } };

/** A tab in which the agent's part is played by the test. */
async function openWith(task: object, agentCard: object = card, context?: BrowserContext): Promise<Tab> {
  const window = context ?? (await stage.browser.newContext());
  await window.route('**/.well-known/agent-card.json', (route) => route.fulfill({ json: agentCard }));
  await window.route(/\/tasks\?/, (route) => route.fulfill({ json: { tasks: [task] } }));
  await window.route(/\/tasks\/[^:]+$/, (route) => route.fulfill({ json: task }));
  return stage.open('/inbox#/task/t', window);
}

async function expectHarmless(tab: Tab): Promise<void> {
  const { page } = tab;
  for (const summary of await page.locator('main summary').all()) if (await summary.isVisible()) await summary.click();
  expect(await inPage(page, '"hacked" in window')).toBe(false);
  expect(await page.locator('body img, body script:not([type=module]), iframe, object, embed').count()).toBe(0);
  expect(await page.locator('a:not([href^="#"]):not([href^="http"])').count()).toBe(0);
  const attributes = await inPage<string[]>(
    page,
    '[...document.querySelectorAll("*")].flatMap((one) => [...one.attributes].map(({ name }) => name)).filter((name) => name.startsWith("on") || name === "style" || name === "srcdoc")',
  );
  expect(attributes).toEqual([]);
  const shown = await inPage<string>(page, 'document.body.innerText');
  expect(shown.match(/.{0,40}[\u200b\u202a-\u202e]/g)).toBeNull();
  expectNoFaults(tab);
}

const status = (state: string, message: object) => ({ state: `TASK_STATE_${state}`, message, timestamp: evil('now') });

describe('an agent that lies in every field', () => {
  test('in a question: its words, its schema, its options, its errors', async () => {
    const tab = await openWith({
      id: 't',
      contextId: evil('c'),
      status: status('INPUT_REQUIRED', asks),
      history: [asks, says],
    });
    await tab.page.locator('#question-text').waitFor();
    expect(await tab.page.locator('#question-text').textContent()).toContain('<img src=x onerror="window.hacked=1">');
    await expectHarmless(tab);
  });

  test.each(['COMPLETED', 'FAILED', 'AUTH_REQUIRED', 'WORKING', evil('ODD')])('in a task that is %s', async (state) => {
    const tab = await openWith({ id: 't', status: status(state, says), history: [asks, says], artifacts });
    await tab.page.locator('.history li').first().waitFor();
    await expectHarmless(tab);
  });
});

describe('an agent that keeps to no form', () => {
  const odd = { id: 't', status: status('INPUT_REQUIRED', asks) };
  test.each<[string, object]>([
    ['no history', odd],
    ['a message without parts', { ...odd, history: [{ messageId: 'm', role: 'ROLE_AGENT' }] }],
    ['a status without a message', { ...odd, status: { state: 'TASK_STATE_INPUT_REQUIRED' } }],
    [
      'artifacts without parts',
      { id: 't', status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ artifactId: 'a' }] },
    ],
    ['parts that are none', { ...odd, history: [{ messageId: 'm', role: 'ROLE_USER', parts: [null, 7, 'x', {}] }] }],
    ['history that is no list', { ...odd, history: 'x' }],
    [
      'a schema that is none',
      {
        ...odd,
        status: status('INPUT_REQUIRED', {
          ...asks,
          parts: [
            { text: 'Which?' },
            { data: { questionId: 'q', answerSchema: { properties: 7, required: 'x' }, options: 7, errors: 7 } },
          ],
        }),
      },
    ],
    ['a text that is a number', { ...odd, status: status('INPUT_REQUIRED', { ...asks, parts: [{ text: 7 }] }) }],
  ])('%s: the page stays whole', async (_what, task) => {
    const tab = await openWith(task, { name: 7, capabilities: 'x' });
    await tab.page.locator('#history-heading').waitFor();
    await inPage(tab.page, 'new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
    expect(await tab.page.getByText('Something went wrong on this page').count()).toBe(0);
    expectNoFaults(tab);
  });

  test('what is no task is not shown, and is looked at again', async () => {
    const tab = await openWith({ ...odd, status: { state: 7 } });
    await tab.page.getByText('The connection is lost').waitFor();
    expect(await tab.page.getByText('Something went wrong on this page').count()).toBe(0);
    expectNoFaults(tab);
  });

  test('a list of what is no task shows none of it', async () => {
    const context = await stage.browser.newContext();
    await context.route(/\/tasks\?/, (route) => route.fulfill({ json: { tasks: [null, 7, {}, { id: 't' }, odd] } }));
    const tab = await stage.open('/inbox', context);
    await tab.page.getByRole('link', { name: /Which\?/ }).waitFor();
    expect(await tab.page.locator('#questions li').count()).toBe(1);
    expectNoFaults(tab);
  });

  test('pages of megabytes are shown in part', async () => {
    const big = { ...asks, parts: [{ text: 'x '.repeat(2_000_000) }, { data: question }] };
    const tab = await openWith({ id: 't', status: status('INPUT_REQUIRED', big), history: [big] });
    await tab.page.locator('#question-text').waitFor();
    expect((await tab.page.locator('#question-text').textContent())?.length).toBeLessThan(30_000);
    expectNoFaults(tab);
  });
});
