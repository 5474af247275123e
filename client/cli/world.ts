/** Everything of the outside that the program uses, so that tests give it their own. */
import type { Prompter } from './prompter.ts';

export interface Screen {
  write(text: string): void;
  readonly isTTY: boolean;
  /** Characters in a line; undefined where there is no screen. */
  readonly columns: number | undefined;
}

/** As `awsSignedFetch` of `askback/aws` takes it. */
export interface AwsFetch {
  readonly region: string;
  /** What is signed for; requests to others go as they are. */
  readonly origins: readonly string[];
  readonly fetch: typeof fetch;
}

export interface World {
  /** Results. */
  readonly out: Screen;
  /** Progress, questions and errors. */
  readonly err: Screen;
  /** Undefined where nobody can be asked. */
  readonly prompter: Prompter | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fetch: typeof fetch;
  /** Milliseconds since 1970. */
  now(): number;
  /** Ends early, without an error, when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Reads standard input to its end. */
  readInput(): Promise<string>;
  /** Aborted by Ctrl-C. */
  readonly interrupted: AbortSignal;
  readonly homeFolder: string;
  /** A `fetch` that signs for AWS: loads what signs only when it is called. */
  awsFetch(signed: AwsFetch): Promise<typeof fetch>;
  /** `askback redrive` with its arguments: loads the AWS SDK only when it is called. */
  redrive(args: readonly string[]): Promise<number>;
}
