import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parseEnv, promisify } from "node:util";
import { whereInstalled } from "../proxies/program.ts";
import { tempDir } from "../support/temp-dir.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const unit = await readFile(join(ROOT, "docs/deploy/latchkey.service"), "utf8");
const LOW_PORTS = await readFile(join(ROOT, "docs/deploy/low-ports.conf"), "utf8");
const run = promisify(execFile);

/** The exposure that systemd rates as OK for a public service. */
const MAX_EXPOSURE = 2;

whereInstalled("systemd-analyze", (program) => {
  /** The last line of what systemd says. */
  const exposureOf = async (unitFile: string) =>
    (await run(program, ["security", "--offline=true", unitFile])).stdout
      .trimEnd()
      .split("\n")
      .at(-1);

  for (const [which, dropIns] of [
    ["the unit", []],
    ["the unit with low ports", [LOW_PORTS]],
  ] as const) {
    test(`systemd rates the exposure of ${which} as low`, async (t) => {
      const rated = await exposureOf(await writeUnit(t, dropIns));
      const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(rated ?? "")?.[1]);
      assert.ok(exposure <= MAX_EXPOSURE, `${exposure}`);
    });

    test(`systemd accepts every line of ${which}`, async (t) => {
      const { stdout, stderr } = await run(program, ["verify", await writeUnit(t, dropIns)]);
      assert.deepEqual([stdout, stderr.replace(/^(?!.*latchkey\.service).*\n/gm, "")], ["", ""]);
    });
  }

  test("the documented installation writes a unit whose programs exist", async (t) => {
    const prefix = await tempDir(t);
    const modules = join(prefix, "lib/node_modules");
    await mkdir(join(prefix, "bin"));
    await mkdir(modules, { recursive: true });
    await symlink(ROOT, join(modules, "latchkey"));
    await symlink(join(ROOT, "src/cli/main.ts"), join(prefix, "bin/latchkey"));
    const page = await readFile(join(ROOT, "docs/deploy/systemd.md"), "utf8");
    const [, steps = ""] = /^ *npm install --global \S+\n(.*?)^ *```/ms.exec(page) ?? [];
    const unitFile = join(prefix, "latchkey.service");
    const commands = steps.replaceAll("/etc/systemd/system/latchkey.service", unitFile);
    const PATH = `${dirname(process.execPath)}:${dirname(program)}:${process.env.PATH}`;
    const { stderr } = await run("sh", ["-ec", commands], {
      env: { ...process.env, PATH, npm_config_prefix: prefix },
    });
    assert.equal(stderr.replace(/^(?!.*latchkey\.service).*\n/gm, ""), "");
    const [, command = ""] = /^ExecStart=(.*)$/m.exec(await readFile(unitFile, "utf8")) ?? [];
    const flags = "--max-semi-space-size=4 --initial-old-space-size=32 --disable-sigusr1 --";
    assert.equal(command, `${process.execPath} ${flags} ${prefix}/bin/latchkey serve`);
    const [node = "", ...args] = command.split(" ");
    const { stdout } = await run(node, [...args.slice(0, -1), "--version"]);
    assert.match(stdout, /^\d+\.\d+\.\d+/);
  });

  test("the drop-in for low ports changes the exposure", async (t) => {
    const [without, withLowPorts] = [await writeUnit(t, []), await writeUnit(t, [LOW_PORTS])];
    assert.notEqual(await exposureOf(without), await exposureOf(withLowPorts));
  });
});

/** Writes the unit and its drop-ins for systemd. It starts /bin/true, as the gate is not installed. */
async function writeUnit(t: TestContext, dropIns: readonly string[]): Promise<string> {
  const folder = await tempDir(t);
  const unitFile = join(folder, "latchkey.service");
  await writeFile(unitFile, unit.replace(/^ExecStart=\S+/m, "ExecStart=/bin/true"));
  await mkdir(`${unitFile}.d`);
  for (const [at, text] of dropIns.entries()) {
    await writeFile(join(`${unitFile}.d`, `${at}.conf`), text);
  }
  return unitFile;
}

test("the unit sets only the mode and the data folder", () => {
  const environment = /^Environment=(.*)$/m.exec(unit)?.[1] ?? "";
  const names = Object.keys(parseEnv(environment.replaceAll(" ", "\n")));
  assert.deepEqual(names.sort(), ["DATA_DIR", "NODE_ENV"]);
  assert.doesNotMatch(LOW_PORTS, /^(Environment|ExecStart)=/m);
});
