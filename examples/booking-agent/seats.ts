/**
 * The seats of one small train, a file for each that is taken. What any resource behind `turn.hold` must do: what was
 * reserved under a key is given back under it, twice does no harm, and neither does what never was reserved.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Seat {
  readonly seat: string;
}

export interface Booking extends Seat {
  readonly ticket: string;
}

export interface Seats {
  /** The seat that this key has, or the first that is free; undefined: the train is full. */
  reserve(key: string): Promise<Seat | undefined>;
  /** Gives back what this key has, if anything. A seat that is booked stays so. */
  release(key: string): Promise<void>;
  /** Writes the ticket; the same key gives the same ticket. */
  book(seat: Seat, name: string, key: string): Promise<Booking>;
}

const ALL = ['11A', '11B', '12A', '12B'];

export function fileSeats(folder: string): Seats {
  const held = join(folder, 'held');
  const booked = join(folder, 'booked');

  /** One at a time: this process is the only one that has the folder. */
  let last: Promise<unknown> = Promise.resolve();
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = last.then(async () => {
      await Promise.all([held, booked].map((each) => mkdir(each, { recursive: true })));
      return work();
    });
    last = mine.catch(() => undefined);
    return mine;
  }

  async function seatOf(key: string): Promise<string | undefined> {
    for (const seat of await readdir(held)) if ((await readFile(join(held, seat), 'utf8')) === key) return seat;
    return undefined;
  }

  return {
    reserve: (key) =>
      inTurn(async () => {
        const taken = await readdir(held);
        const seat = (await seatOf(key)) ?? ALL.find((one) => !taken.includes(one));
        if (seat === undefined) return undefined;
        await write(folder, join(held, seat), key);
        return { seat };
      }),

    release: (key) =>
      inTurn(async () => {
        const seat = await seatOf(key);
        if (seat === undefined || (await readdir(booked)).includes(ticketOf(seat))) return;
        await rm(join(held, seat), { force: true });
      }),

    book: ({ seat }, name, key) =>
      inTurn(async () => {
        await write(folder, join(booked, ticketOf(seat)), JSON.stringify({ name, key }));
        return { seat, ticket: ticketOf(seat) };
      }),
  };
}

function ticketOf(seat: string): string {
  return `T-${seat}`;
}

/** Whole or not at all: a process may be killed at any moment, and half a seat would be nobody's for ever. */
async function write(folder: string, path: string, text: string): Promise<void> {
  const half = join(folder, `.${randomUUID()}`);
  await writeFile(half, text);
  await rename(half, path);
}
