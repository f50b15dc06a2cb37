import { hash } from "node:crypto";
import { EXTRAS } from "../store.ts";
import { sessionRowsOf } from "./session-rows.ts";
import type { NewRows } from "./transfer-store.ts";

export interface Difference {
  readonly of: "users" | "log entries";
  /** How many were copied. */
  readonly copied: number;
  readonly found: number;
}

interface Sum {
  count: number;
  /** The sum of the rows' hashes modulo 2 to the 128. */
  sum: bigint;
}

/** Counts and checksums of rows, as far as they were added. */
export interface Digest {
  readonly users: Sum;
  readonly entries: Sum;
}

export const emptyDigest = (): Digest => ({
  users: { count: 0, sum: 0n },
  entries: { count: 0, sum: 0n },
});

export function addRows(digest: Digest, { users, entries }: NewRows): void {
  for (const user of users) {
    const { id, username, passwordHash, sessionsFrom = null } = user;
    const extras = EXTRAS.map((extra) => user[extra] ?? null);
    const sessions = sessionRowsOf(user.sessions);
    add(digest.users, [id, username, passwordHash, sessionsFrom, ...extras, sessions]);
  }
  for (const { at, type, summary, author, userId = null } of entries) {
    // With its place: each database has IDs of its own for entries, but their order is the same.
    add(digest.entries, [digest.entries.count, at.getTime(), type, summary, author, userId]);
  }
}

function add(into: Sum, row: readonly unknown[]): void {
  const sum = hash("sha256", JSON.stringify(row), "buffer");
  const low = (sum.readBigUInt64BE(16) << 64n) | sum.readBigUInt64BE(24);
  into.count += 1;
  into.sum = BigInt.asUintN(128, into.sum + low);
}

export function differencesOf(copied: Digest, found: Digest): readonly Difference[] {
  const kinds = [
    { of: "users", one: copied.users, other: found.users },
    { of: "log entries", one: copied.entries, other: found.entries },
  ] as const;
  return kinds
    .filter(({ one, other }) => one.count !== other.count || one.sum !== other.sum)
    .map(({ of, one, other }) => ({ of, copied: one.count, found: other.count }));
}
