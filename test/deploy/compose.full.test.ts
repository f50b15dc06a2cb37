import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { whereInstalled } from "../proxies/program.ts";
import { tempDir } from "../support/temp-dir.ts";

const execute = promisify(execFile);
const DEPLOY = join(import.meta.dirname, "../../docs/deploy");

whereInstalled("caddy", (program) => {
  test("Caddy accepts its configuration in the file for Compose", async (t) => {
    const file = join(await tempDir(t), "Caddyfile");
    const compose = await readFile(join(DEPLOY, "compose.yaml"), "utf8");
    const [, content = ""] = compose.split("    content: |\n");
    await writeFile(file, content.replace(/^ {6}/gm, "").replaceAll("$$", "$"));
    const { stdout } = await execute(program, ["adapt", "--config", file]);
    assert.match(stdout, /"dial":"latchkey:3000"/);
  });
});

for (const name of ["compose.yaml", "compose.traefik.yaml"]) {
  test(`${name} is YAML, whose settings and labels are text`, async () => {
    const script = "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))";
    const args = ["-c", script, join(DEPLOY, name)];
    const { services } = JSON.parse((await execute("/usr/bin/python3", args)).stdout);
    const { environment, labels = {} } = services.latchkey;
    for (const [key, value] of Object.entries({ ...environment, ...labels })) {
      assert.equal(typeof value, "string", key);
    }
  });
}
