/** An agent for the page: what it asks follows from the request, from a small choice to what a stranger might try. */
import { type Agent, defineAgent } from '../../../agent/index.ts';

export const TRIP = {
  type: 'object',
  properties: {
    traveller: { type: 'string', title: 'Traveller', maxLength: 80, description: 'As in the passport' },
    email: { type: 'string', format: 'email', title: 'E-mail' },
    departure: { type: 'string', format: 'date', title: 'Departure' },
    nights: { type: 'integer', minimum: 1, maximum: 14, title: 'Nights' },
    budget: { type: 'number', exclusiveMinimum: 0, title: 'Budget per night' },
    class: { type: 'string', enum: ['economy', 'business'], title: 'Class' },
    meals: { type: 'array', items: { enum: ['breakfast', 'dinner'] }, uniqueItems: true, maxItems: 2, title: 'Meals' },
    visa: { type: 'boolean', title: 'A visa is needed' },
    address: {
      type: 'object',
      title: 'Address',
      properties: { street: { type: 'string', maxLength: 100 }, city: { type: 'string', maxLength: 100 } },
      required: ['city'],
    },
    pin: { type: 'string', writeOnly: true, pattern: '^[0-9]{4}$', title: 'Card PIN' },
    notes: { type: 'string', maxLength: 2000, title: 'Notes' },
    extras: { title: 'Anything else', description: 'Any JSON' },
  },
  required: ['traveller', 'email', 'departure', 'nights', 'class', 'meals', 'visa', 'address', 'pin'],
} as const;

export const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>\u202ejavascript:alert(1)';

export function deskAgent(): Agent {
  return defineAgent({
    card: {
      name: 'Travel desk',
      description: 'Asks in many forms.',
      version: '1.0.0',
      skills: [{ id: 'ask', name: 'Ask', description: 'Asks.', tags: ['test'] }],
    },
    async run(turn) {
      const text = turn.request.parts[0]?.text ?? '';
      if (text === 'trip') {
        const trip = await turn.ask('trip', { text: 'What do you need for your trip to Lisbon?', schema: TRIP });
        const { pin: _pin, ...booked } = trip as { pin: string };
        await turn.artifact({ name: 'trip', data: booked as never });
      } else if (text === 'hostile') {
        const { choice } = await turn.ask('hostile', {
          text: HOSTILE,
          schema: {
            type: 'object',
            properties: { choice: { type: 'string', title: HOSTILE, description: HOSTILE } },
            required: ['choice'],
          },
          options: [{ value: 'javascript:alert(1)', label: HOSTILE, description: HOSTILE }],
          allowOther: true,
        });
        await turn.artifact({ name: HOSTILE, parts: [{ text: choice }, { url: 'javascript:window.hacked=1' }] });
      } else {
        const approved = await turn.ask('approve', {
          text: 'Lisbon in December costs 1,240 euros for four nights. Shall I book it?',
          schema: { type: 'boolean' },
          options: [
            { value: true, label: 'Book it', description: 'The fare is held until the question expires.' },
            { value: false, label: 'Leave it', description: 'Nothing is booked and nothing is charged.' },
          ],
        });
        await turn.artifact({ name: 'decision', data: { approved } });
      }
    },
  });
}
