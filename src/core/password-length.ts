/** In UTF-8 bytes, not in characters. The first account's is not measured. */
export const MIN_PASSWORD_BYTES = 8;

export const isTooShort = (password: string): boolean =>
  Buffer.byteLength(password, "utf8") < MIN_PASSWORD_BYTES;
