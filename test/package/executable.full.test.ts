import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { hash as bcrypt } from "@node-rs/bcrypt";
import { addonsOf, THIS_MACHINE } from "../../scripts/release/executable.ts";
import { getWords, locales } from "../../src/pages/words.ts";
import { send } from "../support/client.ts";
import { EXECUTABLE_ROOT, executableNode, startExecutable } from "../support/executable.ts";
import { OWNER, SECRET } from "../support/gate.ts";
import { ROOT } from "./installed.ts";

const execute = promisify(execFile);

/** Tests of the contract that need no other program beside the gate. */
const CONTRACT = [
  "postgres",
  "login",
  "logout",
  "password",
  "setup",
  "events",
  "limits",
  "states",
].map((name) => `test/spec/${name}.test.ts`);
/** Fewer would mean that most of these files were not found. */
const MIN_PASSED = 15;
const NEEDS_A_PROGRAM = "/a failed insert shows/";

/**
 * Copies the executable into an empty folder for `chroot`, with the libraries that `ldd` names for it
 * and for the addons that it contains.
 */
async function furnishRoot(
  root: string,
  executable: string,
  addons: readonly string[],
): Promise<void> {
  await mkdir(join(root, "tmp"), { recursive: true });
  await copyFile(executable, join(root, "latchkey"));
  const { stdout } = await execute("ldd", [executable, ...addons]);
  for (const [library] of stdout.matchAll(/\/\S+(?= \(0x)/g)) {
    await mkdir(join(root, dirname(library)), { recursive: true });
    await copyFile(await realpath(library), join(root, library));
  }
}

if (process.getuid?.() !== 0 || process.platform !== "linux") {
  test("only root on Linux can chroot: the tests of the executable were skipped", () => {});
} else {
  testExecutable();
}

function testExecutable(): void {
  let root = "";
  const run = (...args: string[]) =>
    execute("chroot", [root, "/latchkey", ...args], { env: { PATH: process.env.PATH } });

  const build = async (file: string) =>
    execute(await executableNode(), ["scripts/release/executable.ts", file], { cwd: ROOT });

  before(async () => {
    root = await mkdtemp(join(tmpdir(), "latchkey-root-"));
    const file = join(root, "built");
    await build(file);
    await furnishRoot(root, file, [...addonsOf(THIS_MACHINE).values()]);
    await rm(file);
  });
  after(() => rm(root, { recursive: true, force: true }));

  test("the executable meets the contract in an empty root folder, with both stores", async () => {
    const args = ["--test", "--test-concurrency=3", `--test-skip-pattern=${NEEDS_A_PROGRAM}`];
    const inRoot = { TMPDIR: join(root, "tmp"), [EXECUTABLE_ROOT]: root };
    // Without this variable, the tests report to the terminal, as they do for a person.
    const env = { ...process.env, ...inRoot, NODE_TEST_CONTEXT: undefined };
    const how = { cwd: ROOT, env, maxBuffer: 16 * 1024 ** 2 };
    const ended = await execute(process.execPath, [...args, ...CONTRACT], how).catch(
      (error: { stdout?: string }) => error,
    );
    const output = ended.stdout ?? String(ended);
    assert.match(output, /^ℹ fail 0$/m, output.slice(output.indexOf("failing tests:")));
    const [, passed = ""] = /^ℹ pass (\d+)$/m.exec(output) ?? [];
    assert.ok(Number(passed) >= MIN_PASSED, `${passed} passed`);
  });

  test("the executable runs commands and contains the script and the native code", async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
    assert.equal((await run("--version")).stdout.trim(), version);
    const script = await readFile(join(ROOT, "src/proxies/latchkey.lua"), "utf8");
    assert.equal((await run("proxy", "haproxy", "--script")).stdout, script);
    assert.match((await run("completion", "bash")).stdout, /^complete -F _latchkey latchkey$/m);
    assert.deepEqual(await readdir(join(root, "tmp")), [], "leaves no native code behind");
  });

  test("the executable contains the texts of every language", async (t) => {
    const gate = await startExecutable(t, root, {
      DATA_DIR: join(root, "tmp/languages"),
      PORT: "0",
      AUTH_SECRET: SECRET,
    });
    for (const locale of locales) {
      const headers = { "Accept-Language": locale };
      const { body } = await send(`${gate.url}/setup`, { headers });
      assert.ok(body.includes(getWords(locale).createAccount), locale);
    }
  });

  test("the executable verifies an imported bcrypt hash", async (t) => {
    const password_hash = await bcrypt(OWNER.password, 4);
    const users = JSON.stringify({ username: OWNER.username, password_hash });
    await writeFile(join(root, "tmp/users.jsonl"), users);
    await run("import", "/tmp/users.jsonl", "--data-dir", "/tmp/imported");
    const DATA_DIR = join(root, "tmp/imported");
    const gate = await startExecutable(t, root, { DATA_DIR, PORT: "0", AUTH_SECRET: SECRET });
    assert.equal((await send(`${gate.url}/login`, { form: OWNER })).location, "/");
  });

  test("the same source gives the same executable", async () => {
    const again = join(root, "again");
    await build(again);
    await execute("cmp", [join(root, "latchkey"), again]);
  });
}
