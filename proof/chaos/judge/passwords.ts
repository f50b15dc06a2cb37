/** What one after the other has happened to a password. */
export interface PasswordHistory {
  /** The last one that was answered to be in force. */
  readonly acknowledged: string;
  /** The one that was asked for and not answered, if any. */
  readonly inFlight: string | undefined;
}

/** Exactly one opens the door: the last acknowledged, or the one in flight. `older` never does. */
export function judgePasswords(
  { acknowledged, inFlight }: PasswordHistory,
  opening: ReadonlySet<string>,
): readonly string[] {
  const rightful = [acknowledged, inFlight].filter((one) => one !== undefined);
  const working = rightful.filter((one) => opening.has(one));
  const older = [...opening].filter((one) => !rightful.includes(one));
  return [
    ...(working.length === 0 ? [`"${acknowledged}" was acknowledged and does not open`] : []),
    ...(working.length > 1 ? [`both "${working.join('" and "')}" open`] : []),
    ...older.map((one) => `"${one}" opens and was replaced`),
  ];
}
