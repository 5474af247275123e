/** A local runtime with its inbox page in a headless Chromium. `CHROMIUM` names the browser; run.sh sets it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { Agent } from '../../../core/agent.ts';
import type { Task } from '../../../core/message.ts';
import { type Runtime, startRuntime } from '../../../local/runtime.ts';
import { type Wire, wire } from '../../e2e/support/bindings.ts';
import { say, taskOf } from '../../e2e/support/expense.ts';
import { ShiftedClock } from '../../e2e/support/shifted-clock.ts';
import { QuietLog } from '../../fakes/quiet-log.ts';

export interface Place {
  readonly url: string;
  readonly clock: ShiftedClock;
  readonly a2a: Wire;
  /** Sends a request as the local user, or as whom the headers name; the task that comes back asks. */
  ask(text: string): Promise<Task>;
  stop(): Promise<void>;
}

type AgentSource = Agent | ((place: { readonly dataFolder: string }) => Agent);

export async function openPlace(agent: AgentSource, user: Record<string, string> = {}): Promise<Place> {
  const data = await mkdtemp(join(tmpdir(), 'askback-inbox-'));
  const clock = new ShiftedClock();
  const runtime: Runtime = await startRuntime({ port: 0, data, agent, clock, log: new QuietLog() });
  const a2a = wire('HTTP+JSON', runtime.url, user);
  return {
    url: runtime.url,
    clock,
    a2a,
    ask: async (text) => taskOf(await a2a.send(say(text))),
    async stop() {
      await runtime.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** One browser for a file, and for each test an agent of its own with whose questions the page is filled. */
export interface Stage {
  readonly browser: Browser;
  readonly place: Place;
  /** In a browser window of its own, unless one is given. */
  open(path?: string, context?: BrowserContext): Promise<Tab>;
}

/** To be called at the top of a file: registers the hooks that open and close it all. */
export function stageFor(agent: AgentSource): Stage {
  let browser: Browser | undefined;
  let place: Place | undefined;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    place = await openPlace(agent);
  });
  afterEach(async () => {
    await place?.stop();
    place = undefined;
  });
  const there = <T>(one: T | undefined): T => {
    if (one === undefined) throw new Error('the stage is set up within tests only');
    return one;
  };
  return {
    get browser() {
      return there(browser);
    },
    get place() {
      return there(place);
    },
    async open(path, context) {
      return openTab(context ?? (await there(browser).newContext()), there(place).url, path);
    },
  };
}

export function launch(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM;
  if (!executablePath) throw new Error('CHROMIUM names no browser; start test/inbox/browser/run.sh');
  // Debian's browser needs its sandbox off where tests run as root.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

/** A tab, and all that went wrong in it: refused by the policy, thrown, requested from elsewhere. */
export interface Tab {
  readonly page: Page;
  readonly faults: string[];
}

export async function openTab(context: BrowserContext, url: string, path = '/inbox'): Promise<Tab> {
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    // A refused or cut request is the browser's own line, and part of some scenarios.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(message.text());
  });
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== url) faults.push(request.url());
  });
  await page.goto(`${url}${path}`);
  return { page, faults };
}

/** What an expression is worth in the page; as text, because nothing here knows the DOM's types. */
export function inPage<T>(page: Page, expression: string): Promise<T> {
  return page.evaluate<T>(expression);
}

/** The text of the notice that tells what became of a question, once it says so. */
export async function expectNotice(page: Page, text: string | RegExp): Promise<void> {
  await page.locator('.task .notice').filter({ hasText: text }).waitFor();
}

export async function expectState(page: Page, state: string): Promise<void> {
  await page.locator('.badge').filter({ hasText: state }).waitFor();
}

/** What the caller's messages in the task's history hold. */
export function answersIn(task: Task): readonly unknown[] {
  return (task.history ?? [])
    .filter(({ role }) => role === 'ROLE_USER')
    .slice(1)
    .map(({ parts }) => parts[0]?.data ?? parts[0]?.text);
}

export function expectNoFaults(...tabs: readonly Tab[]): void {
  expect(tabs.flatMap(({ faults }) => faults)).toEqual([]);
}
