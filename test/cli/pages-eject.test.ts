import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { test } from "node:test";
import { DEFAULT_PAGES } from "../../src/web/pages/default-pages.ts";
import { runCommand } from "../support/command.ts";
import { startGate } from "../support/gate.ts";
import { startLatchkey } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";

const FILES = [
  ...["codes.eta", "error.eta", "field.eta", "home.eta", "latchkey-passkeys.js"],
  ...["latchkey.css", "latchkey.js", "layout.eta", "login.eta", "passkeys.eta"],
  ...["sessions.eta", "setup.eta", "use-passkey.eta", "user.eta"],
];

const shipped = (file: string): string => readFileSync(join(DEFAULT_PAGES, file), "utf8");

async function assertAllIn(folder: string): Promise<void> {
  assert.deepEqual((await readdir(folder)).sort(), FILES);
  for (const file of FILES) {
    assert.equal(await readFile(join(folder, file), "utf8"), shipped(file), file);
  }
}

const eject = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runCommand(["pages", "eject", ...args], { env });

test("copies all pages to the folder of --to, which it creates, and says so in one line", async (t) => {
  const target = join(await tempDir(t), "some/where");
  const { code, stdout, stderr } = await eject(["--to", target]);
  assert.deepEqual([code, stderr], [0, ""]);
  await assertAllIn(target);
  assert.match(stdout, new RegExp(`^Copied 14 files to ${target}\\. .*PAGES_DIR=${target}, .*\n$`));
});

test("copies to PAGES_DIR without --to", async (t) => {
  const target = await tempDir(t);
  assert.equal((await eject([], { PAGES_DIR: target })).code, 0);
  await assertAllIn(target);
});

test("--to wins over PAGES_DIR", async (t) => {
  const [target, other] = [join(await tempDir(t), "to"), await tempDir(t)];
  assert.equal((await eject(["--to", target], { PAGES_DIR: other })).code, 0);
  await assertAllIn(target);
  assert.deepEqual(await readdir(other), []);
});

test("copies to a folder named pages without --to and PAGES_DIR", async (t) => {
  const dir = await tempDir(t);
  assert.equal((await startLatchkey(t, ["pages", "eject"], {}, dir).ended).code, 0);
  await assertAllIn(join(dir, "pages"));
});

test("resolves a relative --to against the working directory", async (t) => {
  const target = join(await tempDir(t), "own/pages");
  assert.equal((await eject(["--to", relative("", target)])).code, 0);
  await assertAllIn(target);
});

test("copies nothing over an existing page, and names it and --force", async (t) => {
  const target = await tempDir(t);
  await writeFile(join(target, "login.eta"), "my own");
  const { code, stdout, stderr } = await eject(["--to", target]);
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /^latchkey: [^\n]* already has login\.eta: --force [^\n]*\n$/);
  assert.deepEqual(await readdir(target), ["login.eta"]);
  assert.equal(await readFile(join(target, "login.eta"), "utf8"), "my own");
});

test("does not write through a dangling link", async (t) => {
  const dir = await tempDir(t);
  await mkdir(join(dir, "pages"));
  await symlink(join(dir, "elsewhere"), join(dir, "pages/home.eta"));
  assert.equal((await eject(["--to", join(dir, "pages")])).code, 1);
  assert.deepEqual(await readdir(dir), ["pages"]);
});

test("--force overwrites pages and keeps other files", async (t) => {
  const target = await tempDir(t);
  await writeFile(join(target, "login.eta"), "my own");
  await writeFile(join(target, "notes.md"), "notes");
  const { code, stderr } = await eject(["--to", target, "--force"]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.equal(await readFile(join(target, "login.eta"), "utf8"), shipped("login.eta"));
  assert.equal(await readFile(join(target, "notes.md"), "utf8"), "notes");
});

test("--force replaces a link in place of a page and keeps its target", async (t) => {
  const [target, precious] = [await tempDir(t), join(await tempDir(t), "precious")];
  await writeFile(precious, "precious");
  await symlink(precious, join(target, "login.eta"));
  assert.equal((await eject(["--to", target, "--force"])).code, 0);
  await assertAllIn(target);
  assert.equal(await readFile(precious, "utf8"), "precious");
  const { mode } = await stat(join(target, "login.eta"));
  assert.equal(mode & 0o777, 0o644 & ~process.umask(), "the gate may be another user");
});

test("reports a target that is not a folder in one line", async (t) => {
  const file = join(await tempDir(t), "file");
  await writeFile(file, "x");
  for (const target of [file, join(file, "below")]) {
    const { code, stdout, stderr } = await eject(["--to", target]);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /^latchkey: [^\n]+\n$/);
    assert.ok(stderr.includes(file));
  }
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
    assert.match(home.body, /<p>Signed in as owner<\/p>/);
  }
});
