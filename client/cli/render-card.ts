/** An agent card as lines for a terminal. */
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { QUESTION_EXTENSION_URI } from '../../core/question/extension.ts';
import { cleanLine } from '../../core/clean-text.ts';
import type { Output } from './output.ts';
import { indent } from './render-task.ts';

/** @param card in its JSON form */
export function cardLines(card: JsonObject, out: Output): string[] {
  const capabilities = isJsonObject(card.capabilities) ? card.capabilities : {};
  const extensions = objects(capabilities.extensions);
  const asks = extensions.some(({ uri }) => uri === QUESTION_EXTENSION_URI);
  const can = [
    capabilities.streaming === true ? 'streams' : 'does not stream',
    capabilities.pushNotifications === true ? 'notifies by webhook' : 'no notifications',
    asks ? 'asks questions with answer schemas' : 'asks, if at all, in free text',
  ];
  const schemes = isJsonObject(card.securitySchemes) ? Object.keys(card.securitySchemes) : [];
  const rows = [
    ['speaks', objects(card.supportedInterfaces).map(spoken).join('\n')],
    ['can', can.join(', ')],
    ['credentials', schemes.length > 0 ? schemes.map((name) => cleanLine(name)).join(', ') : 'none named'],
    [
      'extensions',
      extensions.map(({ uri, required }) => `${line(uri)}${required === true ? ' (required)' : ''}`).join('\n'),
    ],
    ['signed', objects(card.signatures).length > 0 ? 'yes (not verified here)' : ''],
    ['documents', line(card.documentationUrl)],
  ] as const;
  return [
    `${out.paint('bold', line(card.name))} ${out.paint('dim', line(card.version))}`,
    line(card.description, 1000),
    '',
    ...rows.filter(([, value]) => value !== '').map(([name, value]) => row(name, value, out)),
    '',
    ...objects(card.skills).flatMap((skill) => skillLines(skill, out)),
  ];
}

function skillLines({ id, name, description, examples }: JsonObject, out: Output): string[] {
  const shown = Array.isArray(examples)
    ? (examples as readonly Json[]).map((example) => `e.g. "${line(example)}"`)
    : [];
  return [
    `${out.paint('bold', line(name))} ${out.paint('dim', `(${line(id)})`)}`,
    indent(line(description, 1000)),
    ...shown.map(indent),
  ];
}

function spoken({ url, protocolBinding, protocolVersion }: JsonObject): string {
  return `${line(protocolBinding)} ${line(protocolVersion)} at ${line(url, 500)}`;
}

function row(name: string, value: string, out: Output): string {
  return `${out.paint('dim', name.padEnd(12))}${value.replaceAll('\n', `\n${' '.repeat(12)}`)}`;
}

function objects(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : [];
}

function line(value: Json | undefined, chars = 200): string {
  return typeof value === 'string' ? cleanLine(value, chars) : '';
}
