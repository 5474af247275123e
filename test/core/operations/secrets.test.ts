/** Secrets at rest (design, section 8): bound to their task and their id, and missed loudly. */
import { describe, expect, it } from 'vitest';
import { openSecret, sealSecret } from '../../../core/operations/secrets.ts';
import type { Deps, TaskStore } from '../../../core/ports.ts';
import type { TaskHead } from '../../../core/task.ts';
import { CountingIds } from '../../fakes/counting-ids.ts';
import { PlainCipher } from '../../fakes/plain-cipher.ts';

const head = { taskId: 'task-a' } as TaskHead;

function storing(items: Record<string, string>): Pick<Deps, 'cipher' | 'ids' | 'store'> {
  const store = { secret: async (_head: TaskHead, id: string) => items[id] } as TaskStore;
  return { cipher: new PlainCipher(), ids: new CountingIds(), store };
}

describe('a secret', () => {
  it('opens under its own id and for its own task only', async () => {
    const items: Record<string, string> = {};
    const deps = storing(items);
    const one = await sealSecret(deps, 'task-a', { pin: '4711' });
    items[one.id] = one.sealed;
    items.other = one.sealed;
    expect(one.sealed).not.toBe('{"pin":"4711"}');
    expect(await openSecret(deps, head, one.id, 'secret')).toEqual({ pin: '4711' });
    await expect(openSecret(deps, head, 'other', 'secret')).rejects.toThrow();
    await expect(openSecret(deps, { ...head, taskId: 'task-b' }, one.id, 'secret')).rejects.toThrow();
  });

  it('has an id of its own for every attempt', async () => {
    const deps = storing({});
    const [one, two] = [await sealSecret(deps, 'task-a', 1), await sealSecret(deps, 'task-a', 1)];
    expect(one.id).not.toBe(two.id);
  });

  it('that is not there is an error that names it', async () => {
    const deps = storing({});
    await expect(openSecret(deps, head, 's-1', 'the credential')).rejects.toThrow(
      'the credential s-1 of task task-a is missing',
    );
  });
});
