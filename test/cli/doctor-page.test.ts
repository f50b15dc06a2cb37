import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { checks } from "../../src/doctor/checks.ts";
import { runCommand } from "../support/command.ts";
import { SECRET, startGate } from "../support/gate.ts";
import { tempDir } from "../support/temp-dir.ts";

const page = await readFile(new URL("../../docs/doctor.md", import.meta.url), "utf8");

const withoutNumber = (text: string): string =>
  text.replace(/\d+ [MG]iB/, "some").replace(/schema \d+/, "schema");

test("prints the sample in docs/doctor.md", async (t) => {
  const [, line = "", shown = ""] = /```console\n\$ latchkey (.*)\n([\s\S]*?)```/.exec(page) ?? [];
  const gate = await startGate(t);
  const { origin, port } = new URL(gate.url);
  const envFile = join(await tempDir(t), "latchkey.env");
  const lines = [
    `DATA_DIR=${gate.dataDir}`,
    "HOST=0.0.0.0",
    "SETUP_TOKEN=off",
    `PORT=${port}`,
    `AUTH_SECRET="${SECRET}"`,
  ];
  await writeFile(envFile, `${lines.join("\n")}\n`, { mode: 0o644 });

  const args = line.replace("/etc/latchkey.env", envFile).split(" ");
  const { code, stdout } = await runCommand(args);
  const printed = stdout
    .replaceAll(gate.dataDir, "/var/lib/latchkey")
    .replaceAll(envFile, "/etc/latchkey.env")
    .replaceAll(origin, "http://127.0.0.1:3000");
  assert.equal(withoutNumber(printed), withoutNumber(shown));
  assert.equal(code, 1);
});

test("docs/doctor.md names every check", () => {
  for (const { name } of checks) {
    assert.match(page, new RegExp(`^\\| .*\`${name}\`.* \\|`, "m"), name);
  }
});
