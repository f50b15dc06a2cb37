import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { packAndInstall, run } from "../../../test/package/installed.ts";
import { startSampleServer } from "./sample-server.ts";

test("the packed package installs into an empty project and attacks a server", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "attack-package-"));
  t.after(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const { tarball, project } = await packAndInstall(dir, ["-w", "latchkey-attack"]);

  const files = (await run(dir, "tar", "-tzf", tarball)).trimEnd().split("\n");
  const others = files.filter((file) => !/^package\/dist\/.*\.js$/.test(file)).sort();
  assert.deepEqual(others, ["package/LICENSE", "package/README.md", "package/package.json"]);
  const installed = join(project, "node_modules/latchkey-attack");
  const { dependencies = {} } = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
  assert.deepEqual(dependencies, {});

  const { url } = await startSampleServer(t);
  const output = await run(project, "npx", "--no-install", "latchkey-attack", url);
  assert.match(output, /^pass open-redirects [\s\S]*\n\d+ passed, 0 got through, \d+ skipped, /m);
});
