/** dynalite comes without types; what the local runtime uses of it. */
declare module 'dynalite' {
  import type { Server } from 'node:http';

  interface DynaliteOptions {
    /** The folder of the LevelDB store. */
    readonly path: string;
    /** How long a new table is CREATING. */
    readonly createTableMs: number;
  }
  export default function dynalite(options: DynaliteOptions): Server;
}
