/** What the tests read out of the project's Markdown files: code blocks, links, headings and file names. */
import { repositoryFiles, text } from './tree.ts';

export interface Block {
  readonly file: string;
  /** 1-based line of the opening fence. */
  readonly line: number;
  readonly language: string;
  readonly content: string;
}

export function documents(): string[] {
  return repositoryFiles().filter((path) => path.endsWith('.md'));
}

export function blocks(file: string, markdown = text(file)): Block[] {
  const found: Block[] = [];
  let open: { line: number; language: string; lines: string[] } | undefined;
  markdown.split('\n').forEach((line, index) => {
    const fence = line.match(/^```(.*)$/);
    if (open && fence) {
      found.push({ file, line: open.line, language: open.language, content: open.lines.join('\n') });
      open = undefined;
    } else if (open) open.lines.push(line);
    else if (fence) open = { line: index + 1, language: (fence[1] as string).trim(), lines: [] };
  });
  if (open) throw new Error(`${file}:${open.line}: the code block is not closed`);
  return found;
}

/** The text without code blocks. */
export function prose(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```$/gm, '');
}

/** The targets of links and images, without those that leave the repository. */
export function localLinks(markdown: string): string[] {
  return [...prose(markdown).matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => match[1] as string)
    .filter((target) => !/^(https?|mailto):/.test(target));
}

/** The anchors of a document's headings, made as GitHub makes them. */
export function anchors(markdown: string): string[] {
  return [...prose(markdown).matchAll(/^#+ (.+)$/gm)].map((match) =>
    (match[1] as string)
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .trim()
      .replace(/ /g, '-'),
  );
}

/** Files of this repository that the prose names in backticks, as in `core/task.ts`. */
export function namedFiles(markdown: string): string[] {
  return [...prose(markdown).matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.(?:ts|md|json|yml))`/g)].map(
    (match) => match[1] as string,
  );
}
