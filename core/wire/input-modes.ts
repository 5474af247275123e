/**
 * Media types of what a message brings (A2A 1.0 section 3.1.1). Files are held against the card: its default input modes
 * and those of every skill, since a message does not say which skill it is for. Texts and data are the protocol's own
 * content, readable by every agent whatever their media type says.
 */
import { ProtocolError } from '../errors.ts';
import type { Message } from '../message.ts';
import type { AgentCardSpec } from '../agent.ts';
import { DEFAULT_MODES } from './card.ts';

/** Throws `CONTENT_TYPE_NOT_SUPPORTED` for a file whose stated media type the card does not name. */
export function requireInputModes({ parts }: Message, spec: AgentCardSpec): void {
  const files = parts.filter(({ raw, url, mediaType }) => (raw !== undefined || url !== undefined) && mediaType);
  if (files.length === 0) return;
  const modes = [
    ...(spec.defaultInputModes ?? DEFAULT_MODES),
    ...spec.skills.flatMap(({ inputModes = [] }) => inputModes),
  ];
  const accepted = [...new Set(modes)];
  for (const { mediaType = '' } of files) {
    if (accepted.some((mode) => matches(mode, mediaType))) continue;
    throw new ProtocolError(
      'CONTENT_TYPE_NOT_SUPPORTED',
      `Files of the media type ${JSON.stringify(mediaType)} are not supported; the agent takes ${accepted.join(', ')}`,
      { metadata: { mediaType, accepted: accepted.join(', ') } },
    );
  }
}

/** A card may name a whole family of types, as in `image/*`. Parameters do not matter. */
function matches(mode: string, mediaType: string): boolean {
  const [wanted, given] = [mode, mediaType].map((type) => (type.split(';', 1)[0] ?? '').trim().toLowerCase());
  if (wanted === undefined || given === undefined) return false;
  if (wanted === '*/*' || wanted === given) return true;
  return wanted.endsWith('/*') && given.startsWith(wanted.slice(0, -1));
}
