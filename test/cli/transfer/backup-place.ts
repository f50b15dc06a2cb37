import { cpSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { openSqlite } from "../../../src/db/sqlite/store.ts";
import { outputOf } from "../../support/command.ts";
import { inDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { type Running, startLatchkey } from "../../support/process.ts";
import { hashText, logEntry } from "../../support/store.ts";
import { tempDir } from "../../support/temp-dir.ts";

export interface Filled {
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly database: string;
  /** The name of a missing file in a new folder. */
  readonly backup: string;
}

/** A closed database with these users and this number of entries. */
export async function filled(
  t: TestContext,
  usernames: readonly string[],
  entries: number,
): Promise<Filled> {
  const folder = await tempDir(t);
  const database = join(folder, "latchkey.db");
  const store = await openSqlite({ file: database });
  for (const username of usernames) {
    await store.users.insert({ username, passwordHash: hashText(`hash of ${username}`) });
  }
  await store.log.insert(Array.from({ length: entries }, (_, n) => logEntry(`entry ${n}`)));
  store.close();
  const backup = join(await tempDir(t), "backup.db");
  return { env: { DATA_DIR: folder }, folder, database, backup };
}

/** As a killed gate leaves its database: with one more user, who is in the write-ahead log alone. */
export async function abandoned(t: TestContext, username: string, later: string): Promise<Filled> {
  const place = await filled(t, [username], 1);
  const folder = join(await tempDir(t), "data");
  inDatabase(place.database, (database) => {
    database.exec(
      `INSERT INTO latchkey_users (id, username, password_hash) VALUES ('1', '${later}', '')`,
    );
    cpSync(place.folder, folder, { recursive: true });
  });
  return { ...place, env: { DATA_DIR: folder }, folder, database: join(folder, "latchkey.db") };
}

/** Starts a backup that waits for the database to read, with its unfinished file in the folder. */
export async function startHeld(
  t: TestContext,
  place: Filled,
  backup: string,
  TMPDIR?: string,
): Promise<Running & { release(): void }> {
  const database = new DatabaseSync(place.database);
  database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE");
  t.after(() => database.isOpen && database.close());
  const env = TMPDIR === undefined ? place.env : { ...place.env, TMPDIR };
  const running = startLatchkey(t, ["backup", backup], env);
  const folder = TMPDIR ?? dirname(backup);
  await eventually(async () => (await readdir(folder)).length > 0 || undefined);
  return { ...running, release: () => database.close() };
}

export interface Content {
  readonly usernames: readonly string[];
  readonly summaries: readonly string[];
}

export async function contentOf(file: string): Promise<Content> {
  const store = await openSqlite({ file, missing: "refuse" });
  try {
    const users = await store.users.read("", 100_000);
    const entries = await store.log.read({ afterId: 0, limit: 100_000 });
    return {
      usernames: users.map(({ username }) => username).sort(),
      summaries: entries.map(({ summary }) => summary),
    };
  } finally {
    store.close();
  }
}

/** A backup of a database with `owner`, and another database with `another`. */
export async function backedUp(
  t: TestContext,
): Promise<{ readonly backup: string; readonly other: Filled }> {
  const { env, backup } = await filled(t, ["owner"], 2);
  await outputOf(["backup", backup], { env });
  return { backup, other: await filled(t, ["another"], 1) };
}

/** The files beside the database. */
export const besides = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder)).filter((name) => name !== "latchkey.db").toSorted();

/** Names, sizes, modification times and content of all files in a folder. */
export async function stateOf(folder: string): Promise<readonly unknown[]> {
  const names = (await readdir(folder)).sort();
  return Promise.all(
    names.map(async (name) => {
      const { size, mtimeMs } = await stat(join(folder, name));
      return { name, size, mtimeMs, bytes: await readFile(join(folder, name), "base64") };
    }),
  );
}
