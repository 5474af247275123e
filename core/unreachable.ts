/** Closes a switch: the compiler refuses it while a case is missing; what comes from outside all types is named. */
export function unreachable(what: string, value: never): never {
  throw new Error(`unknown ${what}: ${JSON.stringify(value)}`);
}
