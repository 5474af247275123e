/** What the task produces: an artifact at once, or chunk by chunk. One that is recorded is not sent again. */
import { AgentFault } from '../core/errors.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { Artifact, Part } from '../core/message.ts';
import { toJson } from './json-value.ts';
import { optionsProblem } from './options.ts';
import type { Replay } from './replay.ts';

/** What is in an artifact, or in one chunk of it. */
export type ArtifactContent =
  | { readonly text: string; readonly mediaType?: string; readonly filename?: string }
  /** Any JSON except null. */
  | { readonly data: unknown }
  /** Bytes, or their base64. */
  | { readonly raw: Uint8Array | string; readonly mediaType: string; readonly filename?: string }
  | { readonly url: string; readonly mediaType?: string; readonly filename?: string }
  | { readonly parts: readonly Part[] };

export interface ArtifactDescription {
  readonly description?: string;
  /** Unique within the task; made from the call's number when it is not given, and so the same on every run. */
  readonly artifactId?: string;
  readonly metadata?: JsonObject;
}

export type ArtifactSpec = ArtifactContent &
  ArtifactDescription & {
    readonly name: string;
    /** Adds to the artifact of this name (or id) that an earlier call began. */
    readonly append?: boolean;
    /** Nothing more is added. By default true, and false for a call that appends. */
    readonly lastChunk?: boolean;
  };

export interface ArtifactStream {
  /** Adds a chunk; it goes out with the next one, or with `end`, so that the last chunk can be marked as such. */
  write(content: string | ArtifactContent): Promise<void>;
  /** Sends what is left, with `content` if there is more. */
  end(content?: string | ArtifactContent): Promise<{ readonly artifactId: string }>;
}

const CONTENTS = ['text', 'data', 'raw', 'url', 'parts'] as const;
const DESCRIPTION = ['description', 'artifactId', 'metadata'] as const;
const OPTIONS = ['name', ...CONTENTS, 'mediaType', 'filename', ...DESCRIPTION, 'append', 'lastChunk'];

/** The artifacts of one turn: knows what an appending call adds to, and which streams have not been ended. */
export class Artifacts {
  readonly #replay: Replay;
  /** Ids by name, and by stream. */
  readonly #begun = new Map<unknown, string>();
  readonly #unended = new Set<string>();

  constructor(replay: Replay) {
    this.#replay = replay;
  }

  /** The name of a stream that still holds a chunk back. */
  get unended(): string | undefined {
    const [name] = this.#unended;
    return name;
  }

  send(spec: ArtifactSpec, key: unknown = spec?.name): Promise<{ readonly artifactId: string }> {
    const problem = optionsProblem(spec, OPTIONS);
    if (problem !== undefined) return this.#replay.fault('BAD_CALL', `artifact "${spec?.name}": ${problem}`);
    return this.#replay.call<{ artifactId: string }>('artifact', spec.name, 'in order', async (call) => {
      const { append = false, lastChunk = !append } = spec;
      const artifactId = spec.artifactId ?? (append ? this.#begun.get(key) : `artifact-${call.n}`);
      if (artifactId === undefined) {
        throw new AgentFault('BAD_CALL', `artifact "${spec.name}": nothing to append to, no earlier call began it`);
      }
      this.#begun.set(key, artifactId);
      if (!call.recorded) {
        const artifact = build(spec, artifactId);
        await this.#replay.host.artifact(call.n, call.name, { artifact, append, lastChunk });
      }
      return { value: { artifactId } };
    });
  }

  stream(name: string, description: ArtifactDescription = {}): ArtifactStream {
    const key = {};
    let held: ArtifactContent | undefined;
    let append = false;
    let ended = false;
    const send = (content: ArtifactContent, lastChunk: boolean) => {
      const sent = this.send({ ...description, ...content, name, append, lastChunk }, key);
      append = true;
      return sent;
    };
    const misuse = (what: string) => this.#replay.fault('BAD_CALL', `artifact "${name}": ${what}`);
    return {
      write: async (content) => {
        if (ended) return misuse('write after end');
        const earlier = held;
        held = contentOf(content);
        this.#unended.add(name);
        if (earlier) await send(earlier, false);
      },
      end: async (content) => {
        if (ended) return misuse('end was called twice');
        const earlier = held;
        const more = content === undefined ? undefined : contentOf(content);
        const last = more ?? earlier;
        if (!last) return misuse('nothing was written');
        ended = true;
        this.#unended.delete(name);
        const [sent] = await Promise.all([...(more && earlier ? [send(earlier, false)] : []), send(last, true)]);
        return sent as { readonly artifactId: string };
      },
    };
  }
}

function contentOf(content: string | ArtifactContent): ArtifactContent {
  return typeof content === 'string' ? { text: content } : content;
}

function build(spec: ArtifactSpec, artifactId: string): Artifact {
  const what = `artifact "${spec.name}"`;
  const artifact = {
    artifactId,
    name: spec.name,
    ...(spec.description === undefined ? {} : { description: spec.description }),
    parts: partsOf(spec, what),
    ...(spec.metadata === undefined ? {} : { metadata: spec.metadata }),
  };
  return toJson(artifact, what) as unknown as Artifact;
}

function partsOf(spec: ArtifactContent, what: string): readonly unknown[] {
  const given = CONTENTS.filter((key) => key in spec && (spec as Record<string, unknown>)[key] !== undefined);
  if (given.length !== 1) {
    throw new AgentFault(
      'BAD_CALL',
      `${what}: give one of ${CONTENTS.join(', ')}, not ${given.join(' and ') || 'none'}`,
    );
  }
  if ('parts' in spec) {
    if (!Array.isArray(spec.parts) || spec.parts.length === 0) {
      throw new AgentFault('BAD_CALL', `${what}: parts is a list of at least one part`);
    }
    return spec.parts;
  }
  if ('data' in spec) return [dataPart(spec.data, what)];
  const { mediaType, filename } = spec;
  const kind = { ...(mediaType === undefined ? {} : { mediaType }), ...(filename === undefined ? {} : { filename }) };
  if ('text' in spec) return [{ text: spec.text, ...kind }];
  if ('url' in spec) return [{ url: spec.url, ...kind }];
  if (!mediaType) throw new AgentFault('BAD_CALL', `${what}: raw needs a mediaType`);
  return [{ raw: typeof spec.raw === 'string' ? spec.raw : Buffer.from(spec.raw).toString('base64'), ...kind }];
}

/** The content alone is checked here, so that the path in the message begins at the author's value. */
function dataPart(data: unknown, what: string): { data: Json; mediaType: string } {
  const json = toJson(data, `the data of ${what}`);
  // ProtoJSON cannot tell a null from a part without content.
  if (json === null) throw new AgentFault('BAD_CALL', `${what}: data is null`);
  return { data: json, mediaType: 'application/json' };
}
