/** The part of a turn's host that reserves, confirms and releases. Each answers with what stands in the record then. */
import { AgentFault } from '../errors.ts';
import { jsonBytes } from '../json.ts';
import { limits } from '../limits.ts';
import type { Deps } from '../ports.ts';
import type { LateHoldCommand } from '../transition/command.ts';
import type { Recorded, StepResult } from '../turn-host.ts';
import { change } from './change.ts';
import type { TurnWriter } from './turn-writer.ts';

export class TurnHolds {
  readonly #deps: Deps;
  readonly #writer: TurnWriter;
  readonly #records: Map<number, Recorded>;
  /** Which hold each call of this run has. */
  readonly #ns = new Map<number, number>();

  constructor(deps: Deps, writer: TurnWriter, records: Map<number, Recorded>) {
    this.#deps = deps;
    this.#writer = writer;
    this.#records = records;
  }

  /** The hold's ordinal, which names what is to be reserved. */
  async reserve(call: number, name: string, forMs: number): Promise<number> {
    await this.#writer.write({ type: 'reserve', call, name, forMs });
    const mine = (this.#writer.head.holds ?? []).filter((hold) => hold.call === call);
    const { n } = mine.at(-1) ?? {};
    if (n === undefined) throw new Error(`the hold of call ${call} has gone as it was written`);
    this.#ns.set(call, n);
    return n;
  }

  async acquired(call: number, name: string, result: StepResult): Promise<Recorded> {
    const n = this.#ns.get(call);
    if (n === undefined) throw new AgentFault('BAD_CALL', `call ${call} has reserved nothing`);
    if ('ok' in result && jsonBytes(result.ok) > limits.stepResultBytes) {
      throw new AgentFault('LIMIT_EXCEEDED', `what "${name}" holds has over ${limits.stepResultBytes} bytes`);
    }
    const why = await this.#writer.tryWrite({ type: 'acquired', call, name, n, result });
    if (why) {
      await this.#tooLate({ type: 'late-hold', call, name, n, result });
      return this.#writer.leave(why);
    }
    const record = this.#writer.head.calls.find((one) => one.kind === 'hold' && one.call === call);
    const gone = record?.kind === 'hold' && 'gone' in record.came;
    return this.#stands(call, { kind: 'hold', name, n, ...(gone ? { gone } : { result }) });
  }

  /** The turn is over; what was reserved for it must not be left behind. */
  async #tooLate(command: LateHoldCommand): Promise<void> {
    const { bornMs, taskId } = this.#writer.head;
    try {
      await change(this.#deps, this.#writer.head, (head) => (head.bornMs === bornMs ? command : undefined));
    } catch (error) {
      this.#deps.log.warn('what was reserved too late is left to the release that follows', { taskId, error });
    }
  }

  async confirm(call: number, name: string, n: number): Promise<Recorded> {
    await this.#writer.write({ type: 'confirm', call, name, n });
    const record = this.#writer.head.calls.find((one) => one.kind === 'confirm' && one.call === call);
    return this.#stands(call, { kind: 'confirm', name, done: record?.kind === 'confirm' && record.done });
  }

  async release(call: number, name: string, n: number, confirmed: Confirmed | undefined): Promise<Recorded> {
    await this.#writer.write({ type: 'release', call, name, n, ...(confirmed ? { confirmed } : {}) });
    return this.#stands(call, { kind: 'release', name, done: true });
  }

  #stands(call: number, recorded: Recorded): Recorded {
    this.#records.set(call, recorded);
    return recorded;
  }
}

type Confirmed = Extract<Parameters<TurnWriter['write']>[0], { type: 'release' }>['confirmed'];
