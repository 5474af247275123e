/** Checks what an author writes into an agent card. Types say the same; this tells those who write no TypeScript. */
import { isJsonObject, type JsonObject } from '../core/json.ts';

/** Everything that is wrong with a card; `where` is what the author calls it. */
export function cardProblems(card: unknown, where: string): string[] {
  if (!isJsonObject(card)) return [`${where} must be an object`];
  const problems = [
    ...textProblems(card, where, ['name', 'description', 'version']),
    ...extensionProblems(card, where),
  ];
  const skills: unknown = card.skills;
  if (!Array.isArray(skills) || skills.length === 0)
    return [...problems, `${where}.skills must be a list of at least one skill`];
  const ids = new Set<unknown>();
  for (const [index, skill] of (skills as unknown[]).entries()) {
    const at = `${where}.skills[${index}]`;
    if (!isJsonObject(skill)) {
      problems.push(`${at} must be an object`);
      continue;
    }
    problems.push(...textProblems(skill, at, ['id', 'name', 'description']));
    const { tags } = skill;
    if (!Array.isArray(tags) || !tags.every((tag) => typeof tag === 'string')) {
      problems.push(`${at}.tags must be a list of strings`);
    }
    if (ids.has(skill.id)) problems.push(`${at}.id is used twice`);
    ids.add(skill.id);
  }
  return problems;
}

function extensionProblems({ extensions }: JsonObject, where: string): string[] {
  if (extensions === undefined) return [];
  if (!Array.isArray(extensions)) return [`${where}.extensions must be a list`];
  return (extensions as unknown[]).flatMap((extension, index) => {
    const at = `${where}.extensions[${index}]`;
    if (!isJsonObject(extension)) return [`${at} must be an object`];
    const { uri, required } = extension;
    return [
      ...(typeof uri === 'string' && URL.canParse(uri) ? [] : [`${at}.uri must be a URI`]),
      ...(required === undefined || typeof required === 'boolean' ? [] : [`${at}.required must be true or false`]),
    ];
  });
}

function textProblems(value: { readonly [key: string]: unknown }, where: string, keys: readonly string[]): string[] {
  return keys
    .filter((key) => typeof value[key] !== 'string' || value[key] === '')
    .map((key) => `${where}.${key} must be a text`);
}
