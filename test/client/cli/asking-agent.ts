/** An agent that does what the first word of its request says: one ending, or one kind of question, for each. */
import { defineAgent } from '../../../agent/index.ts';

export const askingAgent = defineAgent({
  card: {
    name: 'Asking \u001b[31magent',
    description: 'Asks whatever a test wants to be asked.',
    version: '1.0.0',
    skills: [{ id: 'ask', name: 'Ask', description: 'Asks.', tags: ['test'] }],
  },

  async run(turn) {
    switch (turn.request.parts[0]?.text) {
      case 'reject':
        return turn.reject('not what I do');
      case 'fail':
        return turn.fail('the printer is on fire');
      case 'forever':
        for (let n = 1; ; n += 1) await turn.ask(`again-${n}`, { text: `Question ${n}?` });
      case 'soon':
        await turn.ask('soon', { text: 'Quick, which one?', expiresIn: { minutes: 5 } });
        return;
      case 'credential': {
        const length = await turn.requireAuth('calendar', {
          text: 'Sign in to your calendar.',
          expiresIn: { hours: 1 },
          use: (credential) => String(credential).length,
        });
        await turn.artifact({ name: 'used', data: { length } });
        return;
      }
      case 'secret': {
        const { pin } = await turn.ask('pin', {
          text: 'What is the PIN?',
          schema: {
            type: 'object',
            properties: { pin: { type: 'string', pattern: '^[0-9]{4}$', writeOnly: true } },
            required: ['pin'],
          },
        });
        await turn.artifact({ name: 'digits', data: { count: pin.length } });
        return;
      }
      case 'form': {
        const trip = await turn.ask('trip', {
          text: 'What do you need for the trip?',
          schema: {
            type: 'object',
            properties: {
              city: { type: 'string', title: 'City' },
              nights: { type: 'integer', minimum: 1 },
              flight: { type: 'boolean', description: 'Do you need a flight?' },
              notes: { type: 'string' },
            },
            required: ['city', 'nights', 'flight'],
          },
          options: {
            city: [
              { value: 'LIS', label: 'Lisbon' },
              { value: 'OPO', label: 'Porto' },
            ],
          },
          check: ({ nights }) =>
            nights > 7 ? [{ pointer: '/nights', message: 'at most 7 nights are paid for' }] : undefined,
        });
        await turn.artifact({ name: 'trip', data: trip });
        return;
      }
      default:
        turn.progress('one moment \u001b[2J');
        await turn.artifact({ name: 'echo', parts: [{ text: 'heard \u001b]0;title\u0007you' }] });
    }
  },
});
