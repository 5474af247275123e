/** Extensions of the protocol: which the card declares, which a request activates, which it must (A2A 1.0 section 4.6). */
import { ProtocolError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { AgentCardSpec, AgentExtensionSpec } from '../agent.ts';
import { QUESTION_EXTENSION_URI } from '../question/extension.ts';
import type { HttpRequest } from './http.ts';

/** What a caller may want to know of the question convention before it meets a question. */
const QUESTION_EXTENSION: AgentExtensionSpec = {
  uri: QUESTION_EXTENSION_URI,
  description:
    'A task in TASK_STATE_INPUT_REQUIRED carries its question as a data part with a JSON Schema for the answer, options, ' +
    'an id and an expiry; answers are data parts that name the question.',
  params: {
    expiresInDefaultSeconds: limits.questionExpiryDefaultMs / 1_000,
    expiresInMaxSeconds: limits.questionExpiryMaxMs / 1_000,
    attemptsDefault: limits.questionAttemptsDefault,
    answerMaxBytes: limits.answerBytes,
    answerMaxDepth: limits.answerDepth,
  },
};

/** As the card shows them: `required` only where it is true, since ProtoJSON leaves out what is false. */
export function extensionsOf({ extensions = [] }: AgentCardSpec): readonly AgentExtensionSpec[] {
  const ownQuestions = extensions.find(({ uri }) => uri === QUESTION_EXTENSION_URI);
  const others = extensions.filter((extension) => extension !== ownQuestions);
  return [{ ...QUESTION_EXTENSION, ...(ownQuestions?.required ? { required: true } : {}) }, ...others].map(
    ({ required, ...extension }) => ({ ...extension, ...(required ? { required } : {}) }),
  );
}

/** Those of the agent's extensions that the request asks for, in the card's order. */
export function activeExtensions(request: HttpRequest, spec: AgentCardSpec): readonly string[] {
  const asked = new Set(
    [request.headers['a2a-extensions'], request.headers['x-a2a-extensions']].flatMap(
      (header) => header?.split(',').map((uri) => uri.trim()) ?? [],
    ),
  );
  return extensionsOf(spec)
    .map(({ uri }) => uri)
    .filter((uri) => asked.has(uri));
}

/** Throws `EXTENSION_SUPPORT_REQUIRED` when the request lacks an extension that the card requires (section 3.3.4). */
export function requireExtensions(request: HttpRequest, spec: AgentCardSpec): void {
  // Almost no agent requires one: those must not pay for the rest of them.
  if (!spec.extensions?.some(({ required }) => required)) return;
  const active = activeExtensions(request, spec);
  const missing = extensionsOf(spec).filter(({ uri, required }) => required && !active.includes(uri));
  if (missing.length === 0) return;
  const uris = missing.map(({ uri }) => uri).join(', ');
  throw new ProtocolError(
    'EXTENSION_SUPPORT_REQUIRED',
    `This agent requires ${uris}. Name what you support in the header A2A-Extensions.`,
    { metadata: { missingExtensions: uris } },
  );
}
