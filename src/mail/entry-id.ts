import { randomBytes } from "node:crypto";
import type { NewLogEntry } from "../db/records.ts";

const ids = new WeakMap<NewLogEntry, string>();

/**
 * Returns an ID of an entry that has no ID in the database yet. The same object always has the same
 * one, also when it is passed again after a failure; two gates can have equal entries in the same
 * millisecond, which are two.
 */
export function getEntryId(entry: NewLogEntry): string {
  const id = ids.get(entry) ?? randomBytes(16).toString("hex");
  ids.set(entry, id);
  return id;
}
