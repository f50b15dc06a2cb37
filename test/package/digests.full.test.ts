import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { nodeVersion } from "../../scripts/release/executable.ts";
import { tempDir } from "../support/temp-dir.ts";
import { ROOT } from "./installed.ts";

const NODE = "scripts/node";
const WRONG = `sha512-${"A".repeat(86)}==`;

/** Runs `npm ci` for the packages of Node.js, locked as in the checkout or with another digest. */
async function installNode(t: TestContext, digest?: string) {
  const folder = await tempDir(t);
  const read = async (name: string) => JSON.parse(await readFile(join(ROOT, name), "utf8"));
  const { scripts } = await read("package.json");
  const root = { name: "latchkey", workspaces: [NODE], scripts: { prepare: scripts.prepare } };
  const lock = await read("package-lock.json");
  const packages = Object.fromEntries(
    Object.entries<object>(lock.packages)
      .filter(([place]) => place === NODE || /^node_modules\/(latchkey-node|node-)/.test(place))
      .map(([place, one]) => [
        place,
        "integrity" in one && digest !== undefined ? { ...one, integrity: digest } : one,
      ]),
  );
  await mkdir(join(folder, "scripts"));
  await cp(join(ROOT, NODE), join(folder, NODE), { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify(root));
  const locked = { ...lock, packages: { "": root, ...packages } };
  await writeFile(join(folder, "package-lock.json"), JSON.stringify(locked));
  const args = ["ci", "--prefer-offline", "--no-audit", "--no-fund"];
  const ended = await promisify(execFile)("npm", args, { cwd: folder }).then(
    () => ({ code: 0, stderr: "" }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
  );
  const program = join(folder, "node_modules/.bin/node");
  return { ...ended, folder, program: existsSync(program) ? program : undefined };
}

test("npm ci installs the pinned Node.js, also if npm leaves its link out", async (t) => {
  const { code, program = "", folder } = await installNode(t);
  assert.equal(code, 0);
  const version = async () => (await promisify(execFile)(program, ["--version"])).stdout;
  assert.equal(await version(), `v${nodeVersion()}\n`);
  for (const isDangling of [false, true]) {
    await rm(program);
    if (isDangling) await symlink("../gone", program);
    await promisify(execFile)("npm", ["run", "prepare"], { cwd: folder });
    assert.equal(await version(), `v${nodeVersion()}\n`);
  }
});

test("npm ci fails if the content of Node.js has another digest, and installs none", async (t) => {
  const { code, program, stderr } = await installNode(t, WRONG);
  assert.equal(program, undefined);
  assert.notEqual(code, 0);
  assert.match(stderr, /npm has not installed node-\S+ [\d.]+: .*digest/);
});
