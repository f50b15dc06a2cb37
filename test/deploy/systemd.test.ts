import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parseEnv, promisify } from "node:util";
import { settings } from "../../src/server/setting-names.ts";
import { whereInstalled } from "../proxies/program.ts";
import { tempDir } from "../support/temp-dir.ts";

const UNIT = fileURLToPath(new URL("../../docs/deploy/latchkey.service", import.meta.url));
const unit = await readFile(UNIT, "utf8");

/** What systemd calls good enough for a service that faces strangers. */
const MOST_EXPOSED = 2;

whereInstalled("systemd-analyze", (program) => {
  test("systemd finds little that the unit leaves open", async () => {
    const { stdout } = await promisify(execFile)(program, ["security", "--offline=true", UNIT]);
    const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
    assert.ok(exposure <= MOST_EXPOSED, `${exposure}`);
  });

  test("systemd understands every line of the unit", async (t) => {
    const copy = join(await tempDir(t), "latchkey.service");
    await writeFile(copy, unit.replace(/^ExecStart=\S+/m, "ExecStart=/bin/true"));
    const { stdout, stderr } = await promisify(execFile)(program, ["verify", copy]);
    assert.deepEqual([stdout, stderr.replace(/^(?!.*latchkey\.service).*\n/gm, "")], ["", ""]);
  });
});

test("the unit sets nothing that is no setting", () => {
  const environment = /^Environment=(.*)$/m.exec(unit)?.[1] ?? "";
  const names = Object.keys(parseEnv(environment.replaceAll(" ", "\n")));
  assert.deepEqual(
    names.filter((name) => name !== "NODE_ENV" && !settings.some((one) => one.name === name)),
    [],
  );
  assert.equal(names.length, 2);
});
