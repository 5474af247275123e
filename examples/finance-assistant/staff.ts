/**
 * What the finance assistant itself knows: whose expenses go to which cost centre, and what the cost centres are called.
 * A file here, a personnel system elsewhere.
 */
import type { Owner } from '../../agent/index.ts';

export interface Staff {
  /** Undefined where that is not settled: the employee is asked. */
  costCentreOf(employee: Owner): Promise<string | undefined>;
  /** What people call a cost centre; undefined for one that is not known here. */
  nameOf(costCentre: string): string | undefined;
}

export interface StaffFile {
  /** By code. */
  readonly costCentres: Readonly<Record<string, string>>;
  /** Cost centre by the employee's principal. */
  readonly employees: Readonly<Record<string, string>>;
}

export function staffOf({ costCentres, employees }: StaffFile): Staff {
  return {
    costCentreOf: async ({ principal }) => (Object.hasOwn(employees, principal) ? employees[principal] : undefined),
    nameOf: (code) => (Object.hasOwn(costCentres, code) ? costCentres[code] : undefined),
  };
}
