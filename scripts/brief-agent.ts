/** For `npm run verify:deploy`: an agent whose question expires after as many seconds as the request says. */
import { defineAgent } from '../agent/index.ts';

export default defineAgent({
  card: {
    name: 'Brief agent',
    description: 'Asks a question that expires soon.',
    version: '1.0.0',
    skills: [{ id: 'ask', name: 'Ask', description: 'Asks one question.', tags: ['test'] }],
  },
  async run(turn) {
    const seconds = Number(turn.request.parts[0]?.text);
    await turn.ask('still-there', { text: 'Are you still there?', expiresIn: { seconds } });
  },
});
