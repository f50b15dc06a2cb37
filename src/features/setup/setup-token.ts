import { isSame } from "../../lib/random-text.ts";
import { trimWhiteSpace } from "../../lib/white-space.ts";

/** Stores the one-time setup token. */
export interface SetupTokenSource {
  /** Returns the stored text, or `undefined` if it does not exist or cannot be read. */
  read(): Promise<string | undefined>;
  /** Deletes the token. Does not fail if no token is stored. */
  delete(): Promise<void>;
}

/**
 * Returns whether a token is required. If no token is stored, or an empty one, none is required.
 */
export function isSetupTokenExpected(stored: string | undefined): stored is string {
  return stored !== undefined && trimWhiteSpace(stored) !== "";
}

export function matchesSetupToken(stored: string | undefined, entered: string): boolean {
  if (!isSetupTokenExpected(stored)) return true;
  // In UTF-8, a lone surrogate would be equal to U+FFFD.
  return stored.isWellFormed() && isSame(trimWhiteSpace(stored), trimWhiteSpace(entered));
}
