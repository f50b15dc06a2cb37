/**
 * The minimum is in UTF-8 bytes, not characters. It does not apply to the password of the first
 * account.
 */
export const MIN_PASSWORD_BYTES = 8;

export const isTooShort = (password: string): boolean =>
  Buffer.byteLength(password, "utf8") < MIN_PASSWORD_BYTES;
