/** The options of a call on the turn: what is not one of them is refused, since a slip of the pen would do nothing. */

/** What is wrong with `options` as such, for an author; undefined: nothing. What each of them says is for the call. */
export function optionsProblem(options: unknown, known: readonly string[]): string | undefined {
  if (typeof options !== 'object' || options === null) return `its options are an object: { ${known.join(', ')} }`;
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  return unknown === undefined ? undefined : `"${unknown}" is not an option`;
}
