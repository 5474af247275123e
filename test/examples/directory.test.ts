import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { fileDirectory } from '../../examples/expense-agent/directory.ts';

const caller = (principal: string) => ({ tenant: 'local', principal });

test('the worked example: exactly CC-4410 and CC-4420, as bare codes', async () => {
  expect(await fileDirectory().costCentres(caller('local-user'))).toEqual(['CC-4410', 'CC-4420']);
});

test('a caller with one cost centre has nothing to choose', async () => {
  expect(await fileDirectory().costCentres(caller('bob'))).toEqual(['CC-4430']);
});

test("a caller named like one of JavaScript's own properties is like everyone else", async () => {
  expect(await fileDirectory().costCentres(caller('constructor'))).toEqual(['CC-4410', 'CC-4420']);
});

test('a code that is not in the list of cost centres is a mistake in the file, told by name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'askback-directory-'));
  try {
    const file = join(folder, 'directory.json');
    await writeFile(file, '{"costCentres":{"CC-1000":"One"},"callers":{},"everyoneElse":["CC-1000","CC-2000"]}');
    await expect(fileDirectory(pathToFileURL(file)).costCentres(caller('alice'))).rejects.toThrow(
      'directory: CC-2000 is not a cost centre',
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});
