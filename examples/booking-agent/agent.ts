/**
 * The booking agent: a hold in one sitting. It keeps a seat for ten minutes, asks once for what it does not know of the
 * passenger, and either books the seat or lets it go. Whatever happens meanwhile (a cancel, a decline, no answer, a
 * crash), the seat comes back by itself.
 */
import { join } from 'node:path';
import { type Agent, defineAgent } from '../../agent/index.ts';
import { fileSeats, type Seat, type Seats } from './seats.ts';

const passengerSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 100, description: 'as in the passport' },
    passport: { type: 'string', pattern: '^[A-Z0-9]{6,9}$', description: 'number of the passport' },
  },
  required: ['name', 'passport'],
  additionalProperties: false,
} as const;

export function createBookingAgent(seats: Seats): Agent {
  return defineAgent({
    card: {
      name: 'Booking agent',
      description: 'Books a seat on the night train to Vienna.',
      version: '1.0.0',
      skills: [
        {
          id: 'book-seat',
          name: 'Book a seat',
          description: 'Keeps a seat for ten minutes while the passenger is asked for, then books it.',
          tags: ['travel', 'booking'],
          examples: ['A seat to Vienna for Ada Lovelace'],
        },
      ],
    },

    // Found by its name, so that a seat is given back without the task's own code: after a cancel, or when its time is up.
    holds: { seat: { release: ({ idempotencyKey }) => seats.release(idempotencyKey) } },

    async run(turn) {
      // Reserved before the question, so that whoever answers is not told afterwards that the seat has gone.
      const seat = await turn.hold<Seat | undefined>('seat', {
        for: { minutes: 10 },
        acquire: ({ idempotencyKey }) => seats.reserve(idempotencyKey),
      });
      if (seat.value === undefined) return void (await turn.reject('The train is full.'));

      const name = /\bfor (.{1,100})$/.exec(turn.text.trim())?.[1];
      const passenger = await turn.collect('passenger', passengerSchema, { name }, { expiresIn: { minutes: 11 } });

      // From here on nobody takes the seat back but this code. Confirmed first, booked second.
      if (!(await seat.tryConfirm()))
        return void (await turn.fail('Your answer came too late: the seat has been let go.'));
      const booked = await turn.step('book', ({ idempotencyKey }) =>
        seats.book(seat.value as Seat, passenger.name, idempotencyKey),
      );
      await turn.artifact({ name: 'ticket', data: { ticket: booked.ticket, seat: booked.seat, name: passenger.name } });
    },
  });
}

/** Keeps the seats in the runtime's data folder. */
export default function bookingAgent(place: { readonly dataFolder: string }): Agent {
  return createBookingAgent(fileSeats(join(place.dataFolder, 'seats')));
}
