import { randomInt } from "node:crypto";
import { digestText } from "../../lib/random-text.ts";

const RECOVERY_CODES = 10;
/**
 * A code has 25 digits, which are 83 bits. It has only digits, because phones show a numeric
 * keyboard for the field.
 */
const PIECES = 5;
const PIECE = /\d{5}/g;

export const createRecoveryCodes = (): readonly string[] =>
  Array.from({ length: RECOVERY_CODES }, () =>
    Array.from({ length: PIECES }, () => String(randomInt(100_000)).padStart(5, "0")).join("-"),
  );

/** Returns the form in which a recovery code is stored. */
export const hashRecoveryCode = (code: string): string =>
  digestText((code.match(PIECE) ?? []).join("-"));
