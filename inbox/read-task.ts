/**
 * A task as an agent sent it, made into what this page counts on: lists that are lists, texts that are texts. What does
 * not fit is left out, so that one odd message costs neither the list nor the page. What is shown is cleaned elsewhere.
 */
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import type { Artifact, Message, Part, Task, TaskStatus } from '../core/message.ts';

/** Undefined for what is no task. */
export function readTask(value: Json | undefined): Task | undefined {
  if (!isJsonObject(value) || typeof value.id !== 'string' || value.id === '') return undefined;
  const status = readStatus(value.status);
  if (!status) return undefined;
  return {
    id: value.id,
    contextId: text(value.contextId) ?? '',
    status,
    ...metadataOf(value),
    ...(Array.isArray(value.history) ? { history: objects(value.history).map(readMessage) } : {}),
    ...(Array.isArray(value.artifacts) ? { artifacts: objects(value.artifacts).map(readArtifact) } : {}),
  };
}

export function readStatus(value: Json | undefined): TaskStatus | undefined {
  if (!isJsonObject(value) || typeof value.state !== 'string') return undefined;
  return {
    // A state to come is shown in its own words.
    state: value.state as TaskStatus['state'],
    timestamp: text(value.timestamp) ?? '',
    ...(isJsonObject(value.message) ? { message: readMessage(value.message) } : {}),
  };
}

function readMessage(value: JsonObject): Message {
  return {
    messageId: text(value.messageId) ?? '',
    role: value.role === 'ROLE_AGENT' ? 'ROLE_AGENT' : 'ROLE_USER',
    parts: objects(value.parts).map(readPart),
    ...metadataOf(value),
  };
}

function readArtifact(value: JsonObject): Artifact {
  return {
    artifactId: text(value.artifactId) ?? '',
    ...texts(value, ['name', 'description']),
    parts: objects(value.parts).map(readPart),
  };
}

function readPart(value: JsonObject): Part {
  const data = value.data === undefined ? {} : { data: value.data };
  return { ...texts(value, ['text', 'raw', 'url', 'filename', 'mediaType']), ...data };
}

function metadataOf({ metadata }: JsonObject): { readonly metadata?: JsonObject } {
  return isJsonObject(metadata) ? { metadata } : {};
}

function objects(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : [];
}

function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function texts<Name extends string>(value: JsonObject, names: readonly Name[]): { [name in Name]?: string } {
  const known = names.flatMap((name): [Name, string][] => {
    const one = value[name];
    return typeof one === 'string' ? [[name, one]] : [];
  });
  return Object.fromEntries(known) as { [name in Name]?: string };
}
