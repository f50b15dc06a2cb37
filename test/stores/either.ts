import { type TestContext, test } from "node:test";
import type { StoredUser, TransferUser, UserId } from "../../src/core/store.ts";
import type { NewRows } from "../../src/core/transfer/transfer-store.ts";
import type { PostgresStore } from "../../src/stores/postgres/store.ts";
import type { SqliteStore } from "../../src/stores/sqlite/store.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { openStoreAt } from "../support/postgres-store.ts";
import { hashText, logEntry, newFile, openStore } from "../support/store.ts";

export type Either = SqliteStore | PostgresStore;

const server = await sharedPostgres();

/** For each kind, returns a function that opens more connections to one new database. */
export const stores: Readonly<Record<string, (t: TestContext) => Promise<() => Promise<Either>>>> =
  {
    SQLite: async (t) => {
      const file = await newFile(t);
      return () => openStore(t, file);
    },
    PostgreSQL: async (t) => {
      const url = await server.newDatabase();
      return () => openStoreAt(t, url);
    },
  };

/** A test for each kind of store, with two connections to one new database. */
export function ruleForBoth(
  text: string,
  check: (store: Either, other: Either) => Promise<void>,
): void {
  for (const [name, fresh] of Object.entries(stores)) {
    test(`${name}: ${text}`, async (t) => {
      const connect = await fresh(t);
      await check(await connect(), await connect());
    });
  }
}

export const user = (id: string, username = `name of ${id}`): StoredUser => ({
  id: id as UserId,
  username,
  passwordHash: hashText(`hash of ${id}`),
});

export const rows = (
  users: readonly TransferUser[],
  summaries: readonly string[] = [],
): NewRows => ({ users, entries: summaries.map((summary) => logEntry(summary)) });
