import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { outputOf, serveHere } from "../support/command.ts";
import { tempDir } from "../support/temp-dir.ts";

test("prints 32 random bytes on one line, in letters that files and shells keep as they are", async () => {
  const secrets = await Promise.all([outputOf(["secret"]), outputOf(["secret"])]);
  for (const secret of secrets) {
    assert.match(secret, /^[\w-]{43}\n$/);
    assert.equal(Buffer.from(secret, "base64url").length, 32);
  }
  assert.notEqual(secrets[0], secrets[1]);
});

test("prints a secret that a gate accepts without a warning", async (t) => {
  const DATA_DIR = join(await tempDir(t), "data");
  await mkdir(DATA_DIR);
  const gate = await serveHere(t, {
    DATA_DIR,
    AUTH_SECRET: (await outputOf(["secret"])).trimEnd(),
  });
  assert.doesNotMatch(gate.stdout(), /"warn"/);
  assert.equal(gate.stderr(), "");
});
