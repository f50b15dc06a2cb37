import assert from "node:assert/strict";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { secretWeakness } from "../../src/core/secret-strength.ts";
import { runLatchkey, startServe } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";

async function newSecret(t: TestContext, env: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await runLatchkey(t, ["secret"], env);
  assert.deepEqual([code, stderr], [0, ""]);
  return stdout;
}

test("a secret is one line of 32 random bytes, without anything that a file or shell would change", async (t) => {
  const secret = await newSecret(t);
  assert.match(secret, /^[\w-]{43}\n$/);
  assert.equal(Buffer.from(secret, "base64url").length, 32);
  assert.equal(secretWeakness(secret.trimEnd()), undefined);
});

test("every secret is another one", async (t) => {
  const secrets = await Promise.all([newSecret(t), newSecret(t), newSecret(t)]);
  assert.equal(new Set(secrets).size, 3);
});

test("it takes no data folder, and makes none", async (t) => {
  const dir = await tempDir(t);
  await newSecret(t, { DATA_DIR: join(dir, "data") });
  assert.deepEqual(await readdir(dir), []);
});

test("a gate takes the printed secret without a warning", async (t) => {
  const DATA_DIR = join(await tempDir(t), "data");
  await mkdir(DATA_DIR);
  const gate = await startServe(t, { DATA_DIR, AUTH_SECRET: (await newSecret(t)).trimEnd() });
  assert.doesNotMatch(gate.stdout(), /"warn"/);
  assert.equal(gate.stderr(), "");
});
