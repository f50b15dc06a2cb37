import { hash } from "node:crypto";
import type { TableName } from "../tables.ts";
import { tableNames } from "./pages.ts";
import type { Rows } from "./transfer-store.ts";

export interface Difference {
  readonly of: string;
  /** How many were copied. */
  readonly copied: number;
  readonly found: number;
}

interface Sum {
  readonly count: number;
  /** The sum of the rows' hashes modulo 2 to the 128. */
  readonly sum: bigint;
}

/** Counts and checksums of the rows of each table, as far as they were added. */
export type Digest = Map<TableName, Sum>;

const NONE: Sum = { count: 0, sum: 0n };

export function addRows(digest: Digest, { table, rows }: Rows): void {
  let { count, sum } = digest.get(table) ?? NONE;
  for (const row of rows) {
    // With its place: each database has IDs of its own for entries, but their order is the same.
    const text = JSON.stringify(table === "log" ? row.with(0, count) : row);
    const hashed = hash("sha256", text, "buffer");
    sum += (hashed.readBigUInt64BE(16) << 64n) | hashed.readBigUInt64BE(24);
    count += 1;
  }
  digest.set(table, { count, sum: BigInt.asUintN(128, sum) });
}

export function differencesOf(copied: Digest, found: Digest): readonly Difference[] {
  return tableNames.flatMap((table) => {
    const [one, other] = [copied.get(table) ?? NONE, found.get(table) ?? NONE];
    if (one.count === other.count && one.sum === other.sum) return [];
    const of = table === "log" ? "log entries" : table;
    return [{ of, copied: one.count, found: other.count }];
  });
}
