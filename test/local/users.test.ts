import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { secretKey } from '../../local/secret-key.ts';
import { testUsers, userOf } from '../../local/users.ts';

describe('who calls the local runtime (design section 10)', () => {
  test.each([
    [undefined, { tenant: 'local', principal: 'local-user' }],
    ['Bearer alice-token', { tenant: 'local', principal: 'alice' }],
    ['bearer bob-token', { tenant: 'local', principal: 'bob' }],
    ['Bearer other-alice-token', { tenant: 'other', principal: 'alice' }],
  ])('%s is known', (authorization, owner) => {
    expect(userOf(authorization, testUsers)).toEqual(owner);
  });

  test.each([
    '',
    'Bearer',
    'Bearer ',
    'Bearer no-such-token',
    'Bearer constructor',
    'Basic alice-token',
    'alice-token',
  ])('%j is refused, never taken for the local user', (authorization) => {
    expect(userOf(authorization, testUsers)).toBeUndefined();
  });
});

describe('the secret key', () => {
  test('is made once, kept, and readable by its owner only', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'askback-key-'));
    const key = await secretKey(folder);
    expect(key).toHaveLength(32);
    expect(await secretKey(folder)).toEqual(key);
    expect((await stat(join(folder, 'secret.key'))).mode & 0o777).toBe(0o600);
    expect((await readFile(join(folder, 'secret.key'), 'utf8')).trim()).toBe(key.toString('hex'));
    await writeFile(join(folder, 'secret.key'), 'something else');
    await expect(secretKey(folder)).rejects.toThrow('does not hold a key');
    await rm(folder, { recursive: true });
  });
});
