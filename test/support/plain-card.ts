/** The card of an agent in a test whose card does not matter. */
export const PLAIN_CARD = {
  name: 'O',
  description: 'O.',
  version: '1',
  skills: [{ id: 's', name: 'S', description: 'S.', tags: [] }],
};
