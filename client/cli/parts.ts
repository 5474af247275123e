/** What is sent: a text, files and data from the command line as the parts of a message. */
import { basename, extname } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import { misused } from './failures.ts';
import { bytesOf, textIn } from './read-file.ts';
import type { World } from './world.ts';

/** What receipts and documents usually are; anything else goes as bytes. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.gif': 'image/gif',
  '.heic': 'image/heic',
  '.htm': 'text/html',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.webp': 'image/webp',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '.xml': 'application/xml',
  '.zip': 'application/zip',
};

export interface Content {
  /** `-`: standard input. */
  readonly text: string | undefined;
  readonly files: readonly string[];
  /** JSON; `@file`: what that file holds; `-`: standard input. */
  readonly data: readonly string[];
}

/** @throws CommandFailed when there is nothing to send, or a file cannot be read */
export async function partsOf({ text, files, data }: Content, world: World): Promise<Part[]> {
  const said = text === '-' ? (await world.readInput()).trimEnd() : text;
  const parts: Part[] = [
    ...(said === undefined || said === '' ? [] : [{ text: said }]),
    ...(await Promise.all(files.map(filePart))),
    ...(await Promise.all(data.map(async (value) => ({ data: await jsonOf(value, world) })))),
  ];
  if (parts.length === 0) throw misused('there is nothing to send', 'Give a text, --file or --data.');
  return parts;
}

/** @param spelled JSON, `@file` or `-` */
export async function jsonOf(spelled: string, world: World): Promise<Json> {
  const text =
    spelled === '-' ? await world.readInput() : spelled.startsWith('@') ? await textIn(spelled.slice(1)) : spelled;
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw misused(`--data is no JSON: ${(error as Error).message}`, `As in --data '{"costCentre": "CC-4410"}'`);
  }
}

/** @throws CommandFailed when it is no object */
export async function objectOf(spelled: string, world: World): Promise<JsonObject> {
  const value = await jsonOf(spelled, world);
  if (!isJsonObject(value)) throw misused('--data must be an object: the properties of the answer by their names');
  return value;
}

async function filePart(path: string): Promise<Part> {
  const mediaType = MEDIA_TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream';
  const raw = (await bytesOf(path)).toString('base64');
  return { raw, filename: basename(path), mediaType };
}
