import { join } from "node:path";
import type { TestContext } from "node:test";
import type { AccountStore } from "../../../src/core/accounts/account-store.ts";
import type { LogReader } from "../../../src/core/log-reader.ts";
import type { SessionStore } from "../../../src/core/sessions/session-store.ts";
import type { StoredUser } from "../../../src/core/store.ts";
import { openSqlite } from "../../../src/stores/sqlite/store.ts";
import { hashText } from "../../support/store.ts";
import { tempDir } from "../../support/temp-dir.ts";

/** A database for the commands, with the settings that select it. */
export interface Place {
  readonly env: Readonly<Record<string, string>>;
  readonly store: AccountStore & LogReader & SessionStore;
  /** All accounts by their names. */
  accounts(): Promise<Readonly<Record<string, StoredUser>>>;
  /** Author, type and summary of every log entry, oldest first. */
  entries(): Promise<readonly string[]>;
}

export type OpenPlace = (t: TestContext, ...usernames: readonly string[]) => Promise<Place>;

export const sqlitePlace: OpenPlace = async (t, ...usernames) => {
  const DATA_DIR = await tempDir(t);
  const store = await openSqlite({ file: join(DATA_DIR, "latchkey.db") });
  t.after(() => store.close());
  return placeOf(store, { DATA_DIR }, usernames);
};

export async function placeOf(
  store: AccountStore & LogReader & SessionStore,
  env: Place["env"],
  usernames: readonly string[],
): Promise<Place> {
  for (const username of usernames) {
    await store.insertUser({ username, passwordHash: hashText(`hash of ${username}`) });
  }
  return {
    env,
    store,
    async accounts() {
      const users = await store.readUsers({ afterId: "", limit: 10_000 });
      return Object.fromEntries(users.map((user) => [user.username, user]));
    },
    async entries() {
      const entries = await store.readLogEntries({ afterId: 0, limit: 1_000 });
      return entries.map(({ author, type, summary }) => `${author} ${type}: ${summary}`);
    },
  };
}
