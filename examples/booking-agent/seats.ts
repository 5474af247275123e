/**
 * The seats of one small train, a file for each that is taken. What any resource behind `turn.hold` must do: what was
 * reserved under a key is given back under it, twice does no harm, and neither does what never was reserved.
 */
import { mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
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

  /** Who has each seat that is taken. */
  async function taken(): Promise<readonly { readonly seat: string; readonly key: string }[]> {
    await Promise.all([held, booked].map((each) => mkdir(each, { recursive: true })));
    const seats = await readdir(held);
    return Promise.all(
      seats.map(async (seat) => ({ seat, key: await readFile(join(held, seat), 'utf8').catch(() => '') })),
    );
  }

  return {
    async reserve(key) {
      const mine = (await taken()).find((one) => one.key === key);
      if (mine) return { seat: mine.seat };
      for (const seat of ALL) if (await put(join(held, seat), key)) return { seat };
      return undefined;
    },

    async release(key) {
      const mine = (await taken()).filter((one) => one.key === key);
      for (const { seat } of mine) await rm(join(held, seat), { force: true });
    },

    async book({ seat }, name, key) {
      await taken();
      const ticket = `T-${seat}`;
      await writeFile(join(booked, ticket), JSON.stringify({ name, key }));
      return { seat, ticket };
    },
  };
}

/** False: somebody was faster. */
async function put(path: string, text: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx');
    await file.writeFile(text);
    await file.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
