import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { failureOf } from "../support/command.ts";
import { tempDir } from "../support/temp-dir.ts";

const NO_PASSWORD =
  /^--database-url cannot have a password (?!.*hunter2).* DATABASE_URL_FILE; .* PGPASSWORD\. See latchkey [a-z]+ --help$/;

/** Arguments, and what the one line on standard error contains. */
const wrong: readonly (readonly [string, RegExp])[] = [
  ["sreve", /unknown command "sreve"\. Did you mean "serve"\? See latchkey --help/],
  ["usr list", /unknown command "usr"\. Did you mean "user"\? See latchkey --help/],
  ["--port 1", /unknown command "--port"/],
  ["log --jsn", /unknown option --jsn\. Did you mean --json\? See latchkey log --help/],
  ["log --limit", /--limit needs a value.* See latchkey log --help/],
  ["serve --database-url postgres://me:hunter2@db/latchkey", NO_PASSWORD],
  ["log --database-url postgres://db/latchkey?user=me&password=hunter2", NO_PASSWORD],
  ["doctor --database-url=postgresql://me:hunter2@one,two:5433/x?sslmode=require", NO_PASSWORD],
  ["serve --port 1 --port 2", /^--port is given more than once\. See latchkey serve --help$/],
  ["log -x", /unknown option -x\. See latchkey log --help/],
  ["log --limit 0", /--limit takes a whole number/],
  [
    "log --limit -1",
    /--limit needs a value; if it begins with a dash, write --limit=-1\. See latchkey log --help/,
  ],
  ["log --limit=-1", /--limit takes a whole number/],
  ["import a b", /import takes FILE\. See latchkey import --help/],
  ["import a --format xml", /--format takes csv, json or htpasswd/],
  ["doctor --url auth.example.org", /--url takes an origin such as https:/],
  ["doctor --url https://auth.example.org/login", /--url takes an origin such as https:/],
  ["log --json=yes", /--json takes no value\. See latchkey log --help/],
  ["log --data-dir --json", /--data-dir needs a value; .* See latchkey log --help/],
  ["log --env-file /nowhere/env", /--env-file: cannot read \/nowhere\/env: no such file/],
  [
    "user codes of",
    /unknown command "user codes of"\. Did you mean "user codes off"\? See latchkey user codes --help/,
  ],
  [
    "user list owner",
    /user list takes no arguments, but got owner\. See latchkey user list --help/,
  ],
  ["user rename owner", /user rename takes FROM TO\. See latchkey user rename --help/],
  ["user sign-out a b", /user sign-out takes \[NAME\]/],
  ["secret --env-file /nowhere", /unknown option --env-file\. See/],
  ["completion tcsh", /completion takes bash, zsh or fish$/],
  ["log --type=", /--type needs a value$/],
  ["\u001b[2Jlog", /unknown command "\\u\{1b\}\[2Jlog"/],
];

for (const [args, about] of wrong) {
  test(`latchkey ${args.replace("\u001b", "ESC")} is one line, and exits with 2`, async (t) => {
    const env = { DATA_DIR: await tempDir(t) };
    assert.match(await failureOf(args.split(" "), { env }, 2), about);
  });
}

test("a secret is refused as a flag without repeating it", async (t) => {
  const dir = await tempDir(t);
  const env = { DATA_DIR: join(dir, "data") };
  for (const args of [["--auth-secret", "hunter2"], ["--auth-secret=hunter2"]]) {
    const refusal = await failureOf(["serve", ...args], { env }, 2);
    assert.match(refusal, /^AUTH_SECRET cannot be a flag.*--env-file\. See latchkey serve --help$/);
    assert.doesNotMatch(refusal, /hunter2/);
    assert.deepEqual(await readdir(dir), []);
  }
});
