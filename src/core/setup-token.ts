import { createHash, timingSafeEqual } from "node:crypto";

/** Where the one-time setup token is kept. */
export interface SetupTokenSource {
  /** The text as it is kept, or `undefined` where there is none that could be read. */
  read(): Promise<string | undefined>;
  /** No failure if there is none. */
  delete(): Promise<void>;
}

/** Without a token that is kept, or with an empty one, no check is made. */
export function isSetupTokenExpected(kept: string | undefined): kept is string {
  return kept !== undefined && kept.trim() !== "";
}

export function setupTokenMatches(kept: string | undefined, given: string): boolean {
  return !isSetupTokenExpected(kept) || equalInConstantTime(kept.trim(), given.trim());
}

/** Digests are of one length, so the time tells neither the content nor the length. */
function equalInConstantTime(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}
