/**
 * Which cost centres a caller may charge: a file here, a personnel system elsewhere. What is offered are the bare
 * codes. Their names are for the people who keep the file; they are not unique in a real company, so the agent
 * neither shows nor accepts them.
 */
import { readFile } from 'node:fs/promises';
import type { Owner } from '../../agent/index.ts';

export interface Directory {
  /** Codes such as CC-4410, in the order in which they are offered. */
  costCentres(caller: Owner): Promise<readonly string[]>;
}

export interface DirectoryFile {
  readonly costCentres: Readonly<Record<string, string>>;
  /** By the caller's principal. */
  readonly callers: Readonly<Record<string, readonly string[]>>;
  readonly everyoneElse: readonly string[];
}

/** Reads the file anew at every question, so that a correction needs no restart. */
export function fileDirectory(file: URL = new URL('./directory.json', import.meta.url)): Directory {
  return {
    async costCentres(caller) {
      return costCentresOf(JSON.parse(await readFile(file, 'utf8')) as DirectoryFile, caller);
    },
  };
}

/** Throws when the directory offers a code that is not in its own list. */
export function costCentresOf({ callers, costCentres, everyoneElse }: DirectoryFile, caller: Owner): readonly string[] {
  const codes = Object.hasOwn(callers, caller.principal) ? (callers[caller.principal] ?? []) : everyoneElse;
  const unknown = codes.find((code) => !Object.hasOwn(costCentres, code));
  if (unknown !== undefined) throw new Error(`directory: ${unknown} is not a cost centre`);
  return codes;
}
