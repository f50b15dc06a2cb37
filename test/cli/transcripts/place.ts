import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { StoredSession } from "../../../src/core/sessions/session-store.ts";
import type { User } from "../../../src/core/store.ts";
import { certificateFolder } from "../../../src/gate/https/certificate-folder.ts";
import { openSqlite } from "../../../src/stores/sqlite/store.ts";
import { startGate } from "../../support/gate.ts";
import { hashText, logEntry } from "../../support/store.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { csvOf } from "../transfer/import-file.ts";

export interface Place {
  readonly env: Readonly<Record<string, string>>;
  /** The arguments with `@` replaced by the folder, and `GATE` by the port of a running gate. */
  filledIn(args: readonly string[]): Promise<readonly string[]>;
}

/**
 * A folder with `data`, where the accounts `owner` and `guest`, a session of each and one log entry are and the domain
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
    async filledIn(args) {
      const port = args.includes("GATE") ? new URL((await startGate(t)).url).port : "";
      return args.map((arg) => arg.replace("@", folder).replace(/^GATE$/, port));
    },
  };
}

const sessionOf = ({ id, username }: User): StoredSession => ({
  id: `session-of-${username}`,
  userId: id,
  createdAt: new Date(0),
  usedAt: new Date(0),
  expiresAt: new Date("2100-01-01"),
  address: "192.0.2.1",
  device: "curl",
});

async function makeDatabase(file: string, usernames: readonly string[]): Promise<void> {
  const store = await openSqlite({ file });
  for (const username of usernames) {
    const user = await store.insertUser({
      username,
      passwordHash: hashText(`hash of ${username}`),
    });
    if (user === undefined) continue;
    await store.insertSession(sessionOf(user));
    await store.replaceExtra(user.id, "codes", undefined, "codes of this user");
  }
  await store.insertLogEntries([logEntry("an entry")]);
  store.close();
}
