import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { DEFAULT_PAGES } from "../../src/web/pages/templates.ts";
import { startGate } from "../support/gate.ts";
import { runLatchkey, startNode } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

const FILES = [
  ...["error.eta", "field.eta", "home.eta", "latchkey.css", "latchkey.js"],
  ...["layout.eta", "login.eta", "setup.eta"],
];

const shipped = (file: string): string => readFileSync(join(DEFAULT_PAGES, file), "utf8");

async function assertAllIn(folder: string): Promise<void> {
  assert.deepEqual((await readdir(folder)).sort(), FILES);
  for (const file of FILES) {
    assert.equal(await readFile(join(folder, file), "utf8"), shipped(file), file);
  }
}

const eject = (
  t: TestContext,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) => runLatchkey(t, ["pages", "eject", ...args], env);

/** The same in another folder than this one. */
const ejectIn = (t: TestContext, cwd: string, args: readonly string[] = []) =>
  startNode(t, ["--", MAIN, "pages", "eject", ...args], {}, cwd).ended;

test("all the pages are copied to the folder of --to, which is made, and each is named", async (t) => {
  const target = join(await tempDir(t), "some/where");
  const { code, stdout, stderr } = await eject(t, ["--to", target]);
  assert.deepEqual([code, stderr], [0, ""]);
  await assertAllIn(target);
  for (const file of FILES) assert.ok(stdout.includes(`${join(target, file)}\n`), file);
  assert.match(stdout, new RegExp(`PAGES_DIR=${target}`));
});

test("without --to they go to PAGES_DIR", async (t) => {
  const target = await tempDir(t);
  assert.equal((await eject(t, [], { PAGES_DIR: target })).code, 0);
  await assertAllIn(target);
});

test("--to wins over PAGES_DIR", async (t) => {
  const [target, other] = [join(await tempDir(t), "to"), await tempDir(t)];
  assert.equal((await eject(t, ["--to", target], { PAGES_DIR: other })).code, 0);
  await assertAllIn(target);
  assert.deepEqual(await readdir(other), []);
});

test("without either they go to a folder named pages", async (t) => {
  const dir = await tempDir(t);
  assert.equal((await ejectIn(t, dir)).code, 0);
  await assertAllIn(join(dir, "pages"));
});

test("a relative --to is seen from where the command runs", async (t) => {
  const dir = await tempDir(t);
  assert.equal((await ejectIn(t, dir, ["--to", "own/pages"])).code, 0);
  await assertAllIn(join(dir, "own/pages"));
});

test("an empty --to is none", async (t) => {
  const dir = await tempDir(t);
  assert.equal((await ejectIn(t, dir, ["--to", ""])).code, 0);
  await assertAllIn(join(dir, "pages"));
});

for (const file of ["login.eta", "latchkey.css"]) {
  test(`where there is a ${file} already nothing is copied, and the line names it and --force`, async (t) => {
    const target = await tempDir(t);
    await writeFile(join(target, file), "my own");
    const { code, stdout, stderr } = await eject(t, ["--to", target]);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, new RegExp(`^latchkey: [^\\n]*${file}[^\\n]*--force[^\\n]*\\n$`));
    assert.deepEqual(await readdir(target), [file]);
    assert.equal(await readFile(join(target, file), "utf8"), "my own");
  });
}

test("a link that leads nowhere is there already, too, and is not written through", async (t) => {
  const dir = await tempDir(t);
  await mkdir(join(dir, "pages"));
  await symlink(join(dir, "elsewhere"), join(dir, "pages/home.eta"));
  assert.equal((await eject(t, ["--to", join(dir, "pages")])).code, 1);
  assert.deepEqual(await readdir(dir), ["pages"]);
});

test("with --force what is there is overwritten, and what is nobody's page stays", async (t) => {
  const target = await tempDir(t);
  await writeFile(join(target, "login.eta"), "my own");
  await writeFile(join(target, "notes.md"), "notes");
  const { code, stderr } = await eject(t, ["--to", target, "--force"]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.equal(await readFile(join(target, "login.eta"), "utf8"), shipped("login.eta"));
  assert.equal(await readFile(join(target, "notes.md"), "utf8"), "notes");
});

test("with --force a link in the place of a page is replaced, and what it leads to stays", async (t) => {
  const [target, precious] = [await tempDir(t), join(await tempDir(t), "precious")];
  await writeFile(precious, "precious");
  await symlink(precious, join(target, "login.eta"));
  assert.equal((await eject(t, ["--to", target, "--force"])).code, 0);
  await assertAllIn(target);
  assert.equal(await readFile(precious, "utf8"), "precious");
  const { mode } = await stat(join(target, "login.eta"));
  assert.equal(mode & 0o777, 0o644 & ~process.umask(), "the gate may be another user");
});

test("other files in the folder do not keep the pages from being copied", async (t) => {
  const target = await tempDir(t);
  await writeFile(join(target, "notes.md"), "notes");
  assert.equal((await eject(t, ["--to", target])).code, 0);
  assert.deepEqual((await readdir(target)).sort(), [...FILES, "notes.md"].sort());
});

test("a target that is no folder is one clear line and exit code 1", async (t) => {
  const file = join(await tempDir(t), "file");
  await writeFile(file, "x");
  for (const target of [file, join(file, "below")]) {
    const { code, stdout, stderr } = await eject(t, ["--to", target]);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /^latchkey: [^\n]+\n$/);
    assert.ok(stderr.includes(file));
  }
});

test("what was copied works unchanged: the gate's pages are the same as without", async (t) => {
  const pagesDir = join(await tempDir(t), "pages");
  await eject(t, ["--to", pagesDir]);
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

test("latchkey pages ejct is wrong usage: the line says what was meant", async (t) => {
  const ending = await startNode(t, ["--", MAIN, "pages", "ejct"], {}, await tempDir(t)).ended;
  const asks = "there is no command pages ejct. Was pages eject meant? See latchkey pages --help";
  assert.deepEqual([ending.code, ending.stdout, ending.stderr], [2, "", `latchkey: ${asks}\n`]);
});

for (const args of [["eject"], ["pages eject"], ["pagesx", "eject"]]) {
  test(`latchkey ${JSON.stringify(args)} is no command`, async (t) => {
    const { code, stderr } = await runLatchkey(t, args);
    assert.equal(code, 2);
    assert.match(stderr, /^latchkey: there is no command [^\n]+\n$/);
  });
}
