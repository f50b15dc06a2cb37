import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { reportSkipped } from "../proxies/program.ts";
import { outputOf } from "../support/command.ts";
import { tempDir } from "../support/temp-dir.ts";
import { text } from "./pages.ts";

const HASH =
  "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";

const USERS = `users:
  ada:
    displayname: Ada
    password: "${HASH}"
    email: ada@example.org
    groups: [admins, family]
  bob:
    displayname: Bob
    disabled: true
    password: "${HASH}"
    email: bob@example.org
  "o'neil":
    displayname: O'Neil
    password: "${HASH}"
    email: oneil@example.org
`;

/** Only Debian's own Python, which may not be the first on the path, finds Debian's packages. */
const PYTHON = ["/usr/bin/python3", "python3"].find(
  (one) => spawnSync(one, ["-c", "import yaml"]).status === 0,
);

if (PYTHON === undefined) reportSkipped("python3-yaml is not installed");
else {
  test("the line for Authelia imports enabled users, with hashes, groups and profiles", async (t) => {
    const folder = await tempDir(t);
    await writeFile(join(folder, "users_database.yml"), USERS);
    const [, section = ""] = text("docs/import.md").split("\n### Authelia\n");
    const [, line = ""] = /```sh\npython3 ([\s\S]*?) \| latchkey import -\n```/.exec(section) ?? [];
    const command = ["-c", `"$0" ${line}`, PYTHON];
    const { stdout: input } = spawnSync("sh", command, { cwd: folder, encoding: "utf8" });
    const place = ["--database-url", `sqlite:${join(folder, "accounts.db")}`];
    await outputOf(["import", "-", ...place], { input });
    const exported = await outputOf(["export", "--with-hashes", ...place]);
    const users = exported
      .trimEnd()
      .split("\n")
      .map((one) => JSON.parse(one))
      .map(({ username, password_hash, groups, profiles: [{ id: _, ...profile }] }) => ({
        ...{ username, password_hash, groups, profile },
      }))
      .sort((one, other) => (one.username < other.username ? -1 : 1));
    assert.deepEqual(users, [
      {
        username: "ada",
        password_hash: HASH,
        groups: ["admins", "family"],
        profile: { name: "Ada", email: "ada@example.org" },
      },
      {
        username: "o'neil",
        password_hash: HASH,
        groups: undefined,
        profile: { name: "O'Neil", email: "oneil@example.org" },
      },
    ]);
  });
}
