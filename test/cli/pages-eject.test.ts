import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { DEFAULT_PAGES } from "../../src/web/pages/default-pages.ts";
import { failureOf, outputOf } from "../support/command.ts";
import { startGate } from "../support/gate.ts";
import { startLatchkey } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";

const FILES = readdirSync(DEFAULT_PAGES).sort();

const shipped = (file: string): string => readFileSync(join(DEFAULT_PAGES, file), "utf8");

async function assertAllIn(folder: string): Promise<void> {
  assert.deepEqual((await readdir(folder)).sort(), FILES);
  for (const file of FILES) {
    assert.equal(await readFile(join(folder, file), "utf8"), shipped(file), file);
  }
}

const eject = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  outputOf(["pages", "eject", ...args], { env });

test("copies all pages to the folder of --to, which it creates", async (t) => {
  const target = join(await tempDir(t), "some/where");
  const printed = await eject(["--to", target]);
  await assertAllIn(target);
  const line = new RegExp(`^Copied \\d+ files to ${target}\\. .*PAGES_DIR=${target}, .*\n$`);
  assert.match(printed, line);
});

test("without --to, copies to PAGES_DIR, or else to a folder named pages", async (t) => {
  const PAGES_DIR = await tempDir(t);
  await eject([], { PAGES_DIR });
  await assertAllIn(PAGES_DIR);
  const dir = await tempDir(t);
  assert.equal((await startLatchkey(t, ["pages", "eject"], {}, dir).ended).code, 0);
  await assertAllIn(join(dir, "pages"));
});

test("copies nothing over an existing page, and names it and --force", async (t) => {
  const target = await tempDir(t);
  await writeFile(join(target, "login.eta"), "my own");
  const refusal = await failureOf(["pages", "eject", "--to", target]);
  assert.match(refusal, / already has login\.eta: --force /);
  assert.deepEqual(await readdir(target), ["login.eta"]);
  assert.equal(await readFile(join(target, "login.eta"), "utf8"), "my own");
});

test("--force replaces a link in place of a page and keeps its target", async (t) => {
  const [target, precious] = [await tempDir(t), join(await tempDir(t), "precious")];
  await writeFile(precious, "precious");
  await symlink(precious, join(target, "login.eta"));
  await writeFile(join(target, "home.eta"), "my own");
  assert.match(await failureOf(["pages", "eject", "--to", target]), /home\.eta, login\.eta/);
  await eject(["--to", target, "--force"]);
  await assertAllIn(target);
  assert.equal(await readFile(precious, "utf8"), "precious");
  const { mode } = await stat(join(target, "login.eta"));
  assert.equal(mode & 0o777, 0o644 & ~process.umask(), "the gate may be another user");
});

test("the gate serves unchanged copies exactly like the built-in pages", async (t) => {
  const pagesDir = join(await tempDir(t), "pages");
  await eject(["--to", pagesDir]);
  const [own, plain] = [await startGate(t, { pagesDir }), await startGate(t)];
  const paths = ["/setup?token=x", "/login", "/login?error=1", "/nothing", "/latchkey.css"];
  for (const path of paths) {
    const [page, other] = [await own.send(path), await plain.send(path)];
    assert.deepEqual([page.status, page.body], [other.status, other.body], path);
  }
  for (const gate of [own, plain]) {
    const home = await gate.send("/", { session: await gate.setUp() });
    assert.match(home.body, /"Signed in as owner"/);
  }
});
