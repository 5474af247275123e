/** What design.md budgets, as data: the bench fails where a line is beyond its budget. */
export interface Budget {
  /** Section of design.md. */
  readonly design: '4' | '5' | '6' | '9' | '13';
  readonly most?: number;
  readonly least?: number;
}

export const budgets: Readonly<Record<string, Budget>> = {
  'create.writes': { design: '13', most: 1 },
  'create.reads': { design: '13', most: 0 },
  'create.sends': { design: '13', most: 1 },
  'get.reads': { design: '13', most: 1 },
  'get.writes': { design: '13', most: 0 },
  'answer.reads': { design: '13', most: 1 },
  'answer.writes': { design: '13', most: 1 },
  'answer.sends': { design: '13', most: 1 },
  'duplicate.reads': { design: '13', most: 1 },
  'duplicate.writes': { design: '13', most: 0 },
  'refused.writes': { design: '13', most: 1 },
  /** Less the k of 8 + k. */
  'cycle.calls': { design: '13', most: 8 },
  'head.units': { design: '13', most: 2 },
  'head.bytes': { design: '4', most: 2_048 },
  'rounds.units': { design: '13', most: 2.1 },
  'stream.reads': { design: '13', most: 30 },
  'sweep.entries': { design: '13', most: 10 },
  'sweep.pages': { design: '13', most: 8 },
  'sweep.time': { design: '13', most: 1.3 },
  'cpu.memory': { design: '13', least: 3 },
  'cycles.memory': { design: '13', least: 3 },
  'cycles.dynamo': { design: '13', least: 1.5 },
  'stream.first': { design: '13', most: 60 },
  'stream.gaps': { design: '13', most: 0 },
  'api.bytes': { design: '13', most: 650_000 },
  'api.load': { design: '13', most: 75 },
  /** A waiting task holds no memory; what remains is noise of the heap. */
  'heap.waiting': { design: '5', most: 200 },
  'races.turns': { design: '5', most: 0 },
  'races.replies': { design: '5', most: 0 },
};

export function isWithin(value: number, { most, least }: Budget): boolean {
  return !(most !== undefined && !(value <= most)) && !(least !== undefined && !(value >= least));
}

export function budgetText({ most, least }: Budget): string {
  return [most === undefined ? [] : `<= ${most}`, least === undefined ? [] : `>= ${least}`].flat().join(', ');
}
