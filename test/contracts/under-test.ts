/** The set-up of every contract: what is under test is started before its tests, and stopped after them. */
import { afterAll, beforeAll } from 'vitest';

export interface UnderTest<S> {
  readonly store: S;
  stop?(): Promise<void>;
}

/** To be called in a `describe`; the store is there while a test runs. */
export function started<S>(start: () => Promise<UnderTest<S>>): { readonly store: S } {
  let under: UnderTest<S> | undefined;
  beforeAll(async () => {
    under = await start();
  });
  afterAll(async () => under?.stop?.());
  return {
    get store() {
      if (!under) throw new Error('nothing has been started yet');
      return under.store;
    },
  };
}
