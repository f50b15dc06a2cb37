import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { StoredUser, UserId } from "../../src/core/store.ts";
import type { PostgresStore } from "../../src/stores/postgres/store.ts";
import { openSqlite, type SqliteStore } from "../../src/stores/sqlite/store.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { openStoreAt } from "../support/postgres-store.ts";
import { hashText } from "../support/store.ts";
import { tempDir } from "../support/temp-dir.ts";

export type Either = SqliteStore | PostgresStore;

const server = await sharedPostgres();

/** For each kind, returns a function that opens more connections to one new database. */
export const stores: Readonly<Record<string, (t: TestContext) => Promise<() => Promise<Either>>>> =
  {
    SQLite: async (t) => {
      const file = join(await tempDir(t), "latchkey.db");
      return async () => {
        const store = await openSqlite({ file });
        t.after(() => store.close());
        return store;
      };
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
