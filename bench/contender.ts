/** What is compared: each does the same work, from the request to the artifact, with a question in between. */
export interface Contender {
  /** One whole cycle. `id` is new each time, and makes message ids of it. */
  cycle(id: string): Promise<void>;
  /** The first half of one: when it is done, the task waits for its answer. */
  ask(id: string): Promise<void>;
  stop?(): Promise<void>;
}
