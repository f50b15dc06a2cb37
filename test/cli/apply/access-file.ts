import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { runCommand } from "../../support/command.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { type OpenPlace, sqlitePlace } from "../user/place.ts";

/** Names the database, which a command does after it has opened it. */
const DATABASE_LINE = /^latchkey: the database is .*\n/m;

/** A database with users of these names, and a file that `latchkey apply` reads. */
export async function openAccess(
  t: TestContext,
  open: OpenPlace = sqlitePlace,
  ...usernames: readonly string[]
) {
  const place = await open(t, ...usernames);
  const folder = await tempDir(t);
  const file = join(folder, "access.yaml");
  const args = ["apply", file];
  const { env } = place;
  return {
    ...place,
    folder,
    file,
    /** Writes a file beside that of the command. */
    write: (name: string, content: string | Uint8Array) => writeFile(join(folder, name), content),
    /** Applies the file. Returns the lines of standard output. */
    async apply(content: string, ...options: readonly string[]) {
      await writeFile(file, content);
      const { code, stdout, stderr } = await runCommand([...args, ...options], { env });
      const notes = stderr.replace(/^latchkey: (the database is|\d+ new users?) .*\n/gm, "");
      assert.deepEqual([code, notes], [0, ""]);
      return stdout.trimEnd().split("\n");
    },
    /** Applies the file, and returns all that the command prints. */
    async run(content: string | Uint8Array, ...options: readonly string[]) {
      await writeFile(file, content);
      return runCommand([...args, ...options], { env });
    },
    /** Applies a file that is refused. Returns the lines of standard error without its name. */
    async refuse(content: string | Uint8Array, ...options: readonly string[]) {
      await writeFile(file, content);
      const { code, stdout, stderr } = await runCommand([...args, ...options], { env });
      return {
        code,
        stdout,
        lines: stderr.replaceAll(`latchkey: ${file}:`, "").replace(DATABASE_LINE, "").split("\n"),
      };
    },
  };
}
