import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, chown, cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { whereInstalled } from "../proxies/program.ts";
import { send } from "../support/client.ts";
import { executableNode } from "../support/executable.ts";
import { freePort } from "../support/free-port.ts";
import { startProgram } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const execute = promisify(execFile);

interface Step {
  readonly word: string;
  readonly rest: string;
}

const dockerfile = await readFile(join(ROOT, "Dockerfile"), "utf8");
const steps: readonly Step[] = [
  ...dockerfile.replace(/\\\n */g, "").matchAll(/^([A-Z]+) (.*)$/gm),
].map(([, word = "", rest = ""]) => ({ word, rest }));
const imageStart = steps.findLastIndex(({ word }) => word === "FROM");
const [build, image] = [steps.slice(0, imageStart), steps.slice(imageStart)];

/** The last instruction of this kind in the image's own stage, which is the one that applies. */
const lastOf = (word: string): string => image.findLast((one) => one.word === word)?.rest ?? "";

const environment = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    lastOf("ENV")
      .split(" ")
      .map((one) => one.split("=", 2)),
  );

/** Copies the files of the checkout that .dockerignore includes in the build context. */
async function copyContext(folder: string): Promise<void> {
  const lines = (await readFile(join(ROOT, ".dockerignore"), "utf8")).trimEnd().split("\n");
  assert.equal(lines[0], "*", "excludes everything else");
  const left = lines.slice(1).filter((line) => !line.startsWith("!"));
  for (const name of lines.filter((line) => line.startsWith("!")).map((line) => line.slice(1))) {
    const filter = (path: string): boolean => !left.some((one) => path === join(ROOT, one));
    await cp(join(ROOT, name), join(folder, name), { recursive: true, filter });
  }
}

async function replayBuild(context: string, folder: string): Promise<void> {
  const PATH = `${dirname(await executableNode())}:${process.env.PATH}`;
  for (const { word, rest } of build) {
    if (word === "COPY") {
      const names = rest.split(" ").slice(0, -1);
      for (const name of names)
        await cp(join(context, name), join(folder, name), { recursive: true });
    }
    if (word === "RUN") {
      await execute("sh", ["-c", rest], { cwd: folder, env: { ...process.env, PATH } });
    }
  }
}

/** Copies what the image's stage copies, with its owner and mode. */
async function replayImage(built: string, root: string): Promise<void> {
  for (const { rest } of image.filter(({ word }) => word === "COPY")) {
    const [, options = "", from = "", to = ""] =
      /^--from=build (.*)\/build\/(\S+) (\S+)$/.exec(rest) ?? [];
    await cp(join(built, from), join(root, to), { recursive: true });
    const [, owner] = /--chown=(\d+):/.exec(options) ?? [];
    if (owner !== undefined) await chown(join(root, to), Number(owner), Number(owner));
    const [, mode] = /--chmod=(\d+)/.exec(options) ?? [];
    if (mode !== undefined) await chmod(join(root, to), Number.parseInt(mode, 8));
  }
}

/** The command line that runs a program as the image's user in its root folder. */
const inImage = (root: string, command: readonly string[]): readonly string[] => [
  `--userspec=${lastOf("USER")}`,
  root,
  ...command,
];

if (process.getuid?.() !== 0 || process.platform !== "linux") {
  test("only root on Linux can chroot: the test of the image was skipped", () => {});
} else {
  test("the image has the executable, serves pages and reports health", async (t) => {
    const root = await buildImage(t);
    assert.deepEqual((await readdir(root)).sort(), ["data", "latchkey", "lib", "lib64"]);
    const PORT = String(await freePort());
    const env = { ...environment(), PORT };
    const refused = startProgram(t, "chroot", inImage(root, ["/latchkey", "serve"]), env);
    assert.equal((await refused.ended).code, 2, "it requires a secret");

    const [program = "", ...rest]: readonly string[] = [
      ...JSON.parse(lastOf("ENTRYPOINT")),
      ...JSON.parse(lastOf("CMD")),
    ];
    const AUTH_SECRET = "one for the image, 32 bytes long";
    const gate = startProgram(t, "chroot", inImage(root, [program, ...rest]), {
      ...env,
      AUTH_SECRET,
    });
    await gate.shows(/Latchkey listens on (http:\S+?)"/);
    assert.equal((await send(`http://127.0.0.1:${PORT}/setup`)).status, 200);

    const [, check = "[]"] = /CMD (\[.*\])$/.exec(lastOf("HEALTHCHECK")) ?? [];
    const health = () => startProgram(t, "chroot", inImage(root, JSON.parse(check)), env).ended;
    assert.equal((await health()).code, 0);
    gate.child.kill("SIGTERM");
    assert.equal((await gate.ended).code, 0);
    assert.deepEqual((await readdir(join(root, "data"))).sort(), ["latchkey.db"]);
    assert.equal((await health()).code, 1);
  });
}

/** Follows the Dockerfile without a container engine, and returns the image's root folder. */
async function buildImage(t: TestContext): Promise<string> {
  const dir = await tempDir(t);
  const [context, built, root] = [join(dir, "context"), join(dir, "build"), join(dir, "image")];
  for (const folder of [context, built, root]) await mkdir(folder);
  await copyContext(context);
  await replayBuild(context, built);
  await replayImage(built, root);
  // The temporary folder belongs to root.
  await chmod(dir, 0o755);
  return root;
}

test("the image runs as an unprivileged user, in production, with one writable folder", () => {
  assert.match(lastOf("USER"), /^[1-9]\d*:[1-9]\d*$/);
  const { NODE_ENV, DATA_DIR, TMPDIR } = environment();
  assert.deepEqual([NODE_ENV, DATA_DIR, TMPDIR], ["production", "/data", "/data"]);
  assert.equal(lastOf("VOLUME"), '["/data"]');
});

whereInstalled("caddy", (program) => {
  test("Caddy accepts its configuration in the file for Compose", async (t) => {
    const file = join(await tempDir(t), "Caddyfile");
    const compose = await readFile(join(ROOT, "docs/deploy/compose.yaml"), "utf8");
    const [, content = ""] = compose.split("    content: |\n");
    await writeFile(file, content.replace(/^ {6}/gm, "").replaceAll("$$", "$"));
    const { stdout } = await execute(program, ["adapt", "--config", file]);
    assert.match(stdout, /"dial":"latchkey:3000"/);
  });
});
