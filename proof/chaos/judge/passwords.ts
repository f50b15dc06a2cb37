/** The state of a password that changes. */
export interface PasswordHistory {
  /** The last password whose change was acknowledged. */
  readonly acknowledged: string;
  /** The password of a change without a response. */
  readonly inFlight: string | undefined;
}

/** Exactly one must work: the last acknowledged password or the one in flight, and no older one. */
export function judgePasswords(
  { acknowledged, inFlight }: PasswordHistory,
  accepted: ReadonlySet<string>,
): readonly string[] {
  const valid = [acknowledged, inFlight].filter((one) => one !== undefined);
  const working = valid.filter((one) => accepted.has(one));
  const older = [...accepted].filter((one) => !valid.includes(one));
  return [
    ...(working.length === 0 ? [`"${acknowledged}" was acknowledged and does not work`] : []),
    ...(working.length > 1 ? [`both "${working.join('" and "')}" work`] : []),
    ...older.map((one) => `"${one}" works although it was replaced`),
  ];
}
