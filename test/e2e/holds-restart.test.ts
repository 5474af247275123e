/**
 * kill -9 in a hold: between reserving and confirming, at the moment of either, and before its own time; and a start on the
 * same data. A seat is kept for who answers in time, and comes back otherwise (design 12; R14, R85).
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import bookingAgent from '../../examples/booking-agent/agent.ts';
import type { Task } from '../../core/message.ts';
import { startRuntime } from '../../local/runtime.ts';
import { type ServerProcess, startServer } from '../../local/server-process.ts';
import { QuietLog } from '../fakes/quiet-log.ts';
import { type Wire, wire } from './support/bindings.ts';
import { answer, say, statusText, taskOf } from './support/expense.ts';
import { ShiftedClock } from './support/shifted-clock.ts';
import { isLocal, until } from './support/target.ts';

const BOOKING = fileURLToPath(new URL('../../examples/booking-agent/agent.ts', import.meta.url));
const REQUEST = 'A seat to Vienna for Ada Lovelace';
const PASSPORT = { passport: 'P1234567' };
const MINUTE_MS = 60_000;

describe.runIf(isLocal)('a hold, and whoever keeps it is killed', { timeout: 120_000 }, () => {
  let data: string;
  let server: ServerProcess | undefined;
  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), 'askback-holds-'));
  });
  afterEach(async () => {
    await server?.kill();
    await rm(data, { recursive: true, force: true });
  });

  async function start(): Promise<Wire> {
    server = await startServer(data, 0, { args: ['--agent', BOOKING] });
    return wire('JSONRPC', server.url);
  }

  async function kill(): Promise<void> {
    await server?.kill();
    server = undefined;
  }

  const held = async (): Promise<string[]> => (await readdir(join(data, 'seats', 'held')).catch(() => [])).sort();
  const booked = async (): Promise<string[]> => (await readdir(join(data, 'seats', 'booked')).catch(() => [])).sort();

  /** A later start on the same data in this process, where time can be set forward. */
  async function later<T>(play: (a2a: Wire, clock: ShiftedClock) => Promise<T>, aheadMs = 0): Promise<T> {
    const clock = new ShiftedClock();
    clock.advance(aheadMs);
    const runtime = await startRuntime({ port: 0, data, agent: bookingAgent, clock, log: new QuietLog() });
    try {
      return await play(wire('JSONRPC', runtime.url), clock);
    } finally {
      await runtime.stop();
    }
  }

  /** Time goes on, ten seconds at a time, until the task is so: leases end, what is owed is sent again. */
  function becomes(a2a: Wire, clock: ShiftedClock, id: string, state: string): Promise<Task> {
    return until(
      `${id} to be ${state}`,
      async () => {
        const task = taskOf(await a2a.get(id));
        if (task.status.state === state) return task;
        clock.advance(10_000);
        return undefined;
      },
      60_000,
    );
  }

  test('between reserving and confirming: the seat is kept, and is the one that is booked', async () => {
    const asked = taskOf(await (await start()).send(say(REQUEST)));
    expect(await held()).toEqual(['11A']);
    await kill();
    const done = taskOf(await (await start()).send(answer(asked, PASSPORT)));
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(done.artifacts?.[0]?.parts[0]?.data).toEqual({ ticket: 'T-11A', seat: '11A', name: 'Ada Lovelace' });
    expect([await held(), await booked()]).toEqual([['11A'], ['T-11A']]);
  });

  test('before its time, and nobody is there when that passes: the next start gives the seat back', async () => {
    const asked = taskOf(await (await start()).send(say(REQUEST)));
    await kill();
    await later(async (a2a) => {
      await until('the seat to be given back', async () => (await held()).length === 0);
      // The question has a minute left, and its answer comes too late for the seat.
      const done = taskOf(await a2a.send(answer(asked, PASSPORT)));
      expect(done.status.state).toBe('TASK_STATE_FAILED');
      expect(statusText(done)).toBe('Your answer came too late: the seat has been let go.');
    }, 10.5 * MINUTE_MS);
    expect([await held(), await booked()]).toEqual([[], []]);
  });

  test('right after a cancel: the seat is given back all the same', async () => {
    const a2a = await start();
    const { id } = taskOf(await a2a.send(say(REQUEST)));
    expect(taskOf(await a2a.cancel(id)).status.state).toBe('TASK_STATE_CANCELED');
    await kill();
    await later(async () => {
      await until('the seat to be given back', async () => (await held()).length === 0);
    });
  });

  test('around the moment of reserving: one task has one seat, and gives it back when it ends', async () => {
    for (const delayMs of [0, 10, 25, 50, 90]) {
      const a2a = await start();
      const { id } = taskOf(await a2a.send(say(REQUEST), { returnImmediately: true }));
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      await kill();
      await later(async (again, clock) => {
        await becomes(again, clock, id, 'TASK_STATE_INPUT_REQUIRED');
        expect(await held(), `killed after ${delayMs} ms`).toEqual(['11A']);
        await again.cancel(id);
        await until('the seat to be given back', async () => (await held()).length === 0);
      });
    }
  });

  test('around the moment of confirming: a seat is booked once, or given back, and never both', async () => {
    let tickets = 0;
    for (const delayMs of [0, 10, 25, 50]) {
      const a2a = await start();
      const asked = taskOf(await a2a.send(say(REQUEST)));
      await a2a.send(answer(asked, PASSPORT), { returnImmediately: true });
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      await kill();
      await later(async (again, clock) => {
        const done = await becomes(again, clock, asked.id, 'TASK_STATE_COMPLETED');
        const { seat } = (done.artifacts?.[0]?.parts[0]?.data ?? {}) as { readonly seat: string };
        expect(await readFile(join(data, 'seats', 'held', seat), 'utf8')).toBe(`${asked.id}-hold-1`);
        // Long after, nothing that ran late has let it go.
        clock.advance(15 * MINUTE_MS);
        await again.get(asked.id);
      });
      tickets += 1;
      expect((await booked()).length, `killed after ${delayMs} ms`).toBe(tickets);
      expect((await held()).length, `killed after ${delayMs} ms`).toBe(tickets);
    }
  });
});
