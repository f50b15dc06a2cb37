import type { NewLogEntry, PasswordHash } from "../core/store.ts";

/** A placeholder for a hash in tests that do not verify it. */
export const hashText = (text: string): PasswordHash => text as PasswordHash;

export function logEntry(summary: string, fields: Partial<NewLogEntry> = {}): NewLogEntry {
  return { at: new Date(1_000), type: "signin", author: "system", ...fields, summary };
}
