/** `askback card`: who an agent says it is, and what it can do. */
import { AgentCard } from '@a2a-js/sdk';
import type { JsonObject } from '../../../core/json.ts';
import { agentUrl, cardOf } from '../agent.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type LoginOptions, loginOf } from '../login.ts';
import type { Output } from '../output.ts';
import { cardLines } from '../render-card.ts';
import type { World } from '../world.ts';

export async function showCard(url: string, options: LoginOptions, world: World, out: Output): Promise<ExitCode> {
  const card = AgentCard.toJSON(await cardOf(agentUrl(url), loginOf(options), world)) as JsonObject;
  out.object({ type: 'card', exitCode: EXIT.completed, card });
  for (const line of cardLines(card, out)) out.result(line);
  return EXIT.completed;
}
