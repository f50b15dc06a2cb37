import assert from "node:assert/strict";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { secretWeakness } from "../../src/core/sessions/secrets.ts";
import { outputOf, serveHere } from "../support/command.ts";
import { tempDir } from "../support/temp-dir.ts";

const newSecret = (env: Readonly<Record<string, string>> = {}) => outputOf(["secret"], { env });

test("prints 32 random bytes on one line, in letters that files and shells keep as they are", async () => {
  const secret = await newSecret();
  assert.match(secret, /^[\w-]{43}\n$/);
  assert.equal(Buffer.from(secret, "base64url").length, 32);
  assert.equal(secretWeakness(secret.trimEnd()), undefined);
});

test("prints a different secret each time", async () => {
  const secrets = await Promise.all([newSecret(), newSecret(), newSecret()]);
  assert.equal(new Set(secrets).size, 3);
});

test("needs no data folder and creates none", async (t) => {
  const dir = await tempDir(t);
  await newSecret({ DATA_DIR: join(dir, "data") });
  assert.deepEqual(await readdir(dir), []);
});

test("prints a secret that a gate accepts without a warning", async (t) => {
  const DATA_DIR = join(await tempDir(t), "data");
  await mkdir(DATA_DIR);
  const gate = await serveHere(t, { DATA_DIR, AUTH_SECRET: (await newSecret()).trimEnd() });
  assert.doesNotMatch(gate.stdout(), /"warn"/);
  assert.equal(gate.stderr(), "");
});
