/** A small agent for start.test.ts: exported as it is, without a place. */
import { defineAgent } from '../../agent/index.ts';

export default defineAgent({
  card: {
    name: 'Tea agent',
    description: 'Makes tea.',
    version: '1.0.0',
    skills: [
      { id: 'tea', name: 'Tea', description: 'Makes tea.', tags: ['tea'], examples: ["A cup of tea, and don't spill"] },
    ],
  },
  async run(turn) {
    const kind = await turn.ask('kind', { text: 'Which tea?' });
    await turn.artifact({ name: 'tea', data: { kind } });
  },
});
