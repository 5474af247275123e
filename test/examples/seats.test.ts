/** The seats of the booking example: what any resource behind `turn.hold` must do (design, section 12). */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileSeats, type Seats } from '../../examples/booking-agent/seats.ts';

let folder = '';
let seats: Seats;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'askback-seats-'));
  seats = fileSeats(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const held = async (): Promise<string[]> => (await readdir(join(folder, 'held'))).sort();

describe('seats', () => {
  it('a key has one seat, however often and at once it asks', async () => {
    const given = await Promise.all(Array.from({ length: 8 }, () => seats.reserve('k-1')));
    expect(new Set(given.map((one) => one?.seat))).toEqual(new Set(['11A']));
    expect(await held()).toEqual(['11A']);
    // Another process on the same folder, after the first was killed.
    expect(await fileSeats(folder).reserve('k-1')).toEqual({ seat: '11A' });
  });

  it('each key has another, until the train is full', async () => {
    const given = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((key) => seats.reserve(key)));
    expect(given).toEqual([{ seat: '11A' }, { seat: '11B' }, { seat: '12A' }, { seat: '12B' }, undefined]);
  });

  it('what is given back is free again; twice, or never reserved, does no harm', async () => {
    await seats.reserve('a');
    await seats.reserve('b');
    await Promise.all([seats.release('a'), seats.release('a'), seats.release('never')]);
    expect(await held()).toEqual(['11B']);
    expect(await seats.reserve('c')).toEqual({ seat: '11A' });
  });

  it('a seat that is booked stays so, whoever gives it back late', async () => {
    const seat = await seats.reserve('a');
    if (!seat) throw new Error('no seat');
    expect(await seats.book(seat, 'Ada', 'b-1')).toEqual({ seat: '11A', ticket: 'T-11A' });
    expect(await seats.book(seat, 'Ada', 'b-1')).toEqual({ seat: '11A', ticket: 'T-11A' });
    await seats.release('a');
    expect(await held()).toEqual(['11A']);
    expect(await readdir(join(folder, 'booked'))).toEqual(['T-11A']);
  });
});
