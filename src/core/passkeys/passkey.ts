/** A passkey of an account, as the extra `passkeys` has it. */
export interface Passkey {
  /** The credential ID, in base64url. */
  readonly id: string;
  /** What the user calls it. */
  readonly name: string;
  /** The public key as SubjectPublicKeyInfo, in base64url. */
  readonly key: string;
  /** The last signature counter; 0 for a passkey that does not count. */
  readonly counter: number;
  /** In milliseconds since 1970, like all times of a passkey. */
  readonly addedAt: number;
  readonly usedAt: number | undefined;
  /** The challenges that it has answered and that have not expired. */
  readonly answered: readonly Answered[];
}

/** A challenge that must not be answered again, by its nonce. */
export interface Answered {
  readonly nonce: string;
  readonly expiresAt: number;
}

/** Parses the extra. Text that is not a list of passkeys has none, so that nothing signs in. */
export function passkeysIn(text: string | undefined): readonly Passkey[] {
  if (text === undefined) return [];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every(isPasskey) ? list : [];
  } catch {
    return [];
  }
}

/** The text of the extra; `undefined` without passkeys. */
export const textOf = (passkeys: readonly Passkey[]): string | undefined =>
  passkeys.length === 0 ? undefined : JSON.stringify(passkeys);

function isPasskey(value: unknown): value is Passkey {
  const { id, name, key, counter, addedAt, usedAt, answered } = (value ?? {}) as Partial<Passkey>;
  return (
    [id, name, key].every((text) => typeof text === "string") &&
    [counter, addedAt, usedAt ?? 0].every((number) => typeof number === "number") &&
    Array.isArray(answered)
  );
}

/** A client with many addresses has no other limit of its sign-ins: this one bounds the text. */
export const MAX_ANSWERED = 32;

/** The challenges that still have to be remembered, and this one. */
export const rememberAnswer = (
  answered: readonly Answered[],
  { nonce, expiresAt }: Answered,
  now: number,
): readonly Answered[] => [...answered.filter((one) => one.expiresAt > now), { nonce, expiresAt }];
