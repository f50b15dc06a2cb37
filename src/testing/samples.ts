import type { NewLogEntry, PasswordHash } from "../core/store.ts";

/** Stands for a hash where nothing verifies it. */
export const hashText = (text: string): PasswordHash => text as PasswordHash;

export function logEntry(summary: string, fields: Partial<NewLogEntry> = {}): NewLogEntry {
  return { at: new Date(1_000), type: "signin", author: "system", ...fields, summary };
}
