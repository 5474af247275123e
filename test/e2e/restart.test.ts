/** kill -9 at any moment, and a start on the same data: nothing lost, nothing done twice (R14, R07, R66). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import expenseAgent from '../../examples/expense-agent/agent.ts';
import { fileLedger } from '../../examples/expense-agent/ledger.ts';
import { startRuntime } from '../../local/runtime.ts';
import { type ServerProcess, startServer } from '../../local/server-process.ts';
import { QuietLog } from '../fakes/quiet-log.ts';
import { wire } from './support/bindings.ts';
import { answer, expense, history, question, REQUEST, say, taskOf } from './support/expense.ts';
import { ShiftedClock } from './support/shifted-clock.ts';
import { isLocal, until } from './support/target.ts';

describe.runIf(isLocal)('kill and restart', { timeout: 120_000 }, () => {
  let data: string;
  let server: ServerProcess | undefined;
  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), 'askback-restart-'));
  });
  afterEach(async () => {
    await server?.kill();
    await rm(data, { recursive: true, force: true });
  });

  async function start() {
    server = await startServer(data);
    return wire('JSONRPC', server.url);
  }

  test('between question and answer: the task is as it was, and goes on', async () => {
    const asked = taskOf(await (await start()).send(say(REQUEST)));
    await server?.kill();
    const a2a = await start();
    expect(taskOf(await a2a.get(asked.id))).toEqual(asked);
    const done = taskOf(await a2a.send(answer(asked, { costCentre: 'CC-4410' })));
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(await fileLedger(join(data, 'ledger')).entries()).toHaveLength(1);
  });

  test('right after the answer was accepted: the next start finishes the task by itself', async () => {
    for (const delayMs of [0, 5, 20]) {
      const a2a = await start();
      const asked = taskOf(await a2a.send(say(REQUEST)));
      await a2a.send(answer(asked, { costCentre: 'CC-4420' }), { returnImmediately: true });
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      await server?.kill();
      server = undefined;
      const done = await finishLater(asked.id);
      expect(expense(done)).toMatchObject({ costCentre: 'CC-4420' });
      expect(history(done)).toHaveLength(3);
    }
    expect(await fileLedger(join(data, 'ledger')).entries()).toHaveLength(3);
  });

  test('right after the request: the next start asks, once', async () => {
    for (const delayMs of [0, 5, 20]) {
      const a2a = await start();
      const { id } = taskOf(await a2a.send(say(REQUEST), { returnImmediately: true }));
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      await server?.kill();
      server = undefined;
      const asked = await finishLater(id, 'TASK_STATE_INPUT_REQUIRED');
      expect(question(asked).questionId).toMatch(/-1$/);
      expect(history(asked)).toHaveLength(2);
    }
  });

  test('SIGTERM ends the process cleanly, with exit code 0', async () => {
    await start();
    expect(await server?.stop()).toBe(0);
    server = undefined;
  });

  /** A later start, with the time that leases and retries need passed; nobody sends anything but GetTask. */
  async function finishLater(id: string, state = 'TASK_STATE_COMPLETED') {
    const clock = new ShiftedClock();
    const runtime = await startRuntime({ port: 0, data, agent: expenseAgent, clock, log: new QuietLog() });
    try {
      const a2a = wire('JSONRPC', runtime.url);
      return await until(`${id} to be ${state}`, async () => {
        const task = taskOf(await a2a.get(id));
        if (task.status.state === state) return task;
        clock.advance(10_000);
        return undefined;
      });
    } finally {
      await runtime.stop();
    }
  }
});
