import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { tempDir } from "../../support/temp-dir.ts";

/** A bcrypt hash of the lowest cost, of `U*U`. */
export const HASH = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";

export const HEADER = "username,password_hash\n";

/** A line of CSV for each name. */
export const csvOf = (...usernames: readonly string[]): string =>
  `${HEADER}${usernames.map((username) => `${username},${HASH}\n`).join("")}`;

/** A file with that text in a new folder. */
export async function fileWith(t: TestContext, text: string | Uint8Array): Promise<string> {
  const file = join(await tempDir(t), "import");
  await writeFile(file, text);
  return file;
}
