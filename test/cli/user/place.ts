import { dirname } from "node:path";
import type { TestContext } from "node:test";
import type { StoredUser } from "../../../src/db/records.ts";
import type { Either } from "../../db/either.ts";
import { hashText, newFile, openStore } from "../../support/store.ts";

/** A database for the commands, with the settings that select it. */
export interface Place {
  readonly env: Readonly<Record<string, string>>;
  readonly store: Either;
  /** All accounts by their names. */
  accounts(): Promise<Readonly<Record<string, StoredUser>>>;
  /** Author, type and summary of every log entry, oldest first. */
  entries(): Promise<readonly string[]>;
}

export type OpenPlace = (t: TestContext, ...usernames: readonly string[]) => Promise<Place>;

export const sqlitePlace: OpenPlace = async (t, ...usernames) => {
  const file = await newFile(t);
  return placeOf(await openStore(t, file), { DATA_DIR: dirname(file) }, usernames);
};

export async function placeOf(
  store: Either,
  env: Place["env"],
  usernames: readonly string[],
): Promise<Place> {
  for (const username of usernames) {
    await store.users.insert({ username, passwordHash: hashText(`hash of ${username}`) });
  }
  return {
    env,
    store,
    async accounts() {
      const users = await store.users.read("", 10_000);
      return Object.fromEntries(users.map((user) => [user.username, user]));
    },
    async entries() {
      const entries = await store.log.read({ afterId: 0, limit: 1_000 });
      return entries.map(({ author, type, summary }) => `${author} ${type}: ${summary}`);
    },
  };
}
