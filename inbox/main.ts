/**
 * The inbox page: the list, the opened task, and what moves between them. The address behind `#` says which task is open,
 * so that it can be reloaded and passed on; opening an address only ever reads.
 */
import { a2aClient, type AgentFacts, Refused } from './a2a.ts';
import { accessForm } from './access.ts';
import { byId } from './dom.ts';
import { ListView } from './list-view.ts';
import { createOutbox } from './outbox.ts';
import { byDue, type OpenQuestion, openQuestion } from './question.ts';
import { store, stored } from './tab-storage.ts';
import { TaskSession } from './task-session.ts';

const REFRESH_MS = 20_000;
const OVERDUE_MS = 3_000;

const base = `${location.origin}${location.pathname.replace(/\/inbox\/?$/, '')}`;
const main = byId('main', HTMLElement);
const empty = byId('empty', HTMLElement);
const nothingOpen = byId('nothing-open', HTMLElement);
const problem = byId('problem', HTMLElement);
const news = byId('news', HTMLElement);
const list = new ListView(byId('questions', HTMLElement));
const sentKey = `askback-inbox-sent:${base}`;
const outbox = createOutbox(() => crypto.randomUUID(), {
  load: () => stored(sentKey) ?? '',
  save: (ids) => store(sentKey, ids),
});

let serverAheadMs = 0;
const now = () => Date.now() + serverAheadMs;
let agent: AgentFacts = { name: 'The agent', description: '', streaming: true };
let questions: readonly OpenQuestion[] = [];
let loaded = false;
let session: TaskSession | undefined;
let opened: string | undefined;
let refreshing: Promise<void> | undefined;
let refreshedAtMs = 0;

const access = accessForm(base, () => {
  session?.close();
  session = undefined;
  opened = undefined;
  run(start());
});
const a2a = a2aClient({
  base,
  token: access.token,
  fetch: (input, init) => fetch(input, init),
  onServerTime: (ms) => {
    // The header knows whole seconds; less than two is no difference.
    const ahead = ms - Date.now();
    serverAheadMs = Math.abs(ahead) < 2_000 ? 0 : ahead;
  },
});

async function start(): Promise<void> {
  try {
    agent = await a2a.agent();
  } catch {
    // The list says what is wrong, if it is wrong there too.
  }
  byId('agent', HTMLElement).textContent = agent.name;
  await refresh();
  route();
}

/** One look at a time; whoever asks meanwhile gets the look that runs. */
function refresh(): Promise<void> {
  refreshing ??= look().finally(() => {
    refreshing = undefined;
  });
  return refreshing;
}

async function look(): Promise<void> {
  refreshedAtMs = Date.now();
  try {
    const before = questions;
    questions = (await a2a.waitingTasks()).flatMap((task) => openQuestion(task) ?? []).sort(byDue);
    tell('');
    if (loaded) announce(before);
    loaded = true;
  } catch (error) {
    if (error instanceof Refused && error.status === 401) {
      questions = [];
      tell('The agent wants to know who you are. Enter an access token above.');
      access.ask();
    } else {
      tell(error instanceof Refused ? `${error.message}.` : 'The agent cannot be reached. Trying again.');
    }
  }
  draw();
}

function announce(before: readonly OpenQuestion[]): void {
  const known = new Set(before.map(({ questionId }) => questionId));
  const fresh = questions.filter(({ questionId, taskId }) => !known.has(questionId) && taskId !== opened).length;
  if (fresh > 0) news.textContent = fresh === 1 ? 'There is a new question.' : `There are ${fresh} new questions.`;
}

function draw(): void {
  const count = questions.length;
  document.title = `${count > 0 ? `(${count}) ` : ''}Inbox – ${agent.name}`;
  byId('count', HTMLElement).textContent = loaded ? String(count) : '';
  nothingOpen.hidden = !loaded || count > 0 || problem.textContent !== '';
  list.show(questions, agent.name, opened);
  tick();
}

function tick(): void {
  list.tick(now());
  session?.tick();
  const overdue = questions.some(({ expiresAtMs }) => expiresAtMs <= now());
  if (document.hidden) return;
  if (Date.now() - refreshedAtMs >= (overdue ? OVERDUE_MS : REFRESH_MS)) run(refresh());
}

function tell(text: string): void {
  if (problem.textContent !== text) problem.textContent = text;
  problem.hidden = text === '';
}

/** Opens what the address names. */
function route(): void {
  const taskId = taskIn(location.hash);
  if (taskId === opened) return;
  session?.close();
  session = undefined;
  opened = taskId;
  document.body.dataset.view = taskId === undefined ? 'list' : 'task';
  empty.hidden = taskId !== undefined;
  if (taskId === undefined) {
    main.replaceChildren(empty);
  } else {
    const onRefused = (error: Refused) => {
      if (error.status === 401) access.ask();
    };
    session = new TaskSession({ a2a, agent, taskId, outbox, now, onChange: () => run(refresh()), onRefused });
    main.replaceChildren(session.view.root);
    session.view.focusHeading();
    run(session.run());
  }
  draw();
}

function taskIn(hash: string): string | undefined {
  const [, encoded] = /^#\/task\/([^/]+)$/.exec(hash) ?? [];
  // The skip link moves within what is open.
  if (encoded === undefined) return hash.startsWith('#/') || hash === '' ? undefined : opened;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

function run(work: Promise<void>): void {
  work.catch((error: unknown) => {
    tell('Something went wrong on this page. Reload it; nothing is lost.');
    console.error(error);
  });
}

byId('refresh', HTMLButtonElement).addEventListener('click', () => run(refresh()));
addEventListener('hashchange', route);
addEventListener('online', () => run(refresh()));
document.addEventListener('visibilitychange', tick);
setInterval(tick, 1_000);
run(start());
