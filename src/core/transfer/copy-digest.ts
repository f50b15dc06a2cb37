import { hash } from "node:crypto";
import { EXTRAS } from "../store.ts";
import { sessionRowsOf } from "./session-rows.ts";
import type { ImportRows } from "./transfer-store.ts";

export type Rows = AsyncGenerator<ImportRows, void, undefined>;

export interface Difference {
  readonly of: "users" | "log entries";
  readonly inSource: number;
  readonly inTarget: number;
}

interface Digest {
  count: number;
  /** The sum of the rows' hashes modulo 2 to the 128, independent of their order. */
  sum: bigint;
}

export async function digestOf(rows: Rows): Promise<{ users: Digest; entries: Digest }> {
  const users: Digest = { count: 0, sum: 0n };
  const entries: Digest = { count: 0, sum: 0n };
  for await (const page of rows) {
    for (const user of page.users) {
      const { id, username, passwordHash, sessionsFrom = null } = user;
      const extras = EXTRAS.map((extra) => user[extra] ?? null);
      const sessions = sessionRowsOf(user.sessions);
      add(users, [id, username, passwordHash, sessionsFrom, ...extras, sessions]);
    }
    for (const { id, at, type, summary, author } of page.entries) {
      add(entries, [id, at.getTime(), type, summary, author]);
    }
  }
  return { users, entries };
}

function add(digest: Digest, row: readonly unknown[]): void {
  const sum = hash("sha256", JSON.stringify(row), "buffer");
  const low = (sum.readBigUInt64BE(16) << 64n) | sum.readBigUInt64BE(24);
  digest.count += 1;
  digest.sum = BigInt.asUintN(128, digest.sum + low);
}

type Digests = Awaited<ReturnType<typeof digestOf>>;

export function differencesOf(source: Digests, target: Digests): readonly Difference[] {
  const kinds = [
    { of: "users", one: source.users, other: target.users },
    { of: "log entries", one: source.entries, other: target.entries },
  ] as const;
  return kinds
    .filter(({ one, other }) => one.count !== other.count || one.sum !== other.sum)
    .map(({ of, one, other }) => ({ of, inSource: one.count, inTarget: other.count }));
}
