/** Ids that a test can name: `id-000001-abcdefghijklmnop`, then `id-000002-...`; as long as a derived task id. */
import type { Ids } from '../../core/ports.ts';

export class CountingIds implements Ids {
  #count = 0;

  unique(): string {
    this.#count += 1;
    return `id-${String(this.#count).padStart(6, '0')}-abcdefghijklmnop`;
  }
}
