import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { certificateFolder } from "../../../src/gate/https/certificate-folder.ts";
import { openSqlite } from "../../../src/stores/sqlite/store.ts";
import { hashText, logEntry } from "../../support/store.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { csvOf } from "../transfer/import-file.ts";

export interface Place {
  readonly env: Readonly<Record<string, string>>;
  /** The arguments with `@` replaced by the folder. */
  filledIn(args: readonly string[]): Promise<readonly string[]>;
}

/**
 * A folder with `data`, where the accounts `owner` and `guest` and one log entry are and the domain
 * `old.example.org` is asked for; `new.csv` with another account; `backup.db`; and `pages`, in
 * which there is a page already.
 */
export async function placeFor(t: TestContext): Promise<Place> {
  const folder = await tempDir(t);
  const DATA_DIR = join(folder, "data");
  await mkdir(DATA_DIR, { mode: 0o700 });
  await makeDatabase(join(DATA_DIR, "latchkey.db"), ["owner", "guest"]);
  await makeDatabase(join(folder, "backup.db"), ["owner"]);
  await certificateFolder(DATA_DIR).request("old.example.org");
  await writeFile(join(folder, "new.csv"), csvOf("visitor"));
  await mkdir(join(folder, "pages"));
  await writeFile(join(folder, "pages/login.eta"), "");
  return {
    env: { DATA_DIR, PORT: "0" },
    filledIn: async (args) => args.map((arg) => arg.replace("@", folder)),
  };
}

async function makeDatabase(file: string, usernames: readonly string[]): Promise<void> {
  const store = await openSqlite({ file });
  for (const username of usernames) {
    await store.insertUser({ username, passwordHash: hashText(`hash of ${username}`) });
  }
  await store.insertLogEntries([logEntry("an entry")]);
  store.close();
}
