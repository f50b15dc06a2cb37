import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { makeSecret } from "../../src/gate/make-secret-file.ts";
import { sqlitePlace } from "../cli/user/place.ts";
import { runCommand } from "../support/command.ts";
import { tempDir } from "../support/temp-dir.ts";
import { text } from "./pages.ts";

test("the file of the page prints what the page shows", async (t) => {
  const page = text("docs/apply.md");
  const [, content = ""] = /^```yaml\n(.*?)^```$/ms.exec(page) ?? [];
  const [, shown = ""] = /^```console\n(.*?)^```$/ms.exec(page) ?? [];
  const { env } = await sqlitePlace(t, "owner");
  const folder = await tempDir(t);
  await writeFile(join(folder, "photos"), makeSecret());
  const file = join(folder, "access.yaml");
  await writeFile(file, content.replace("/run/secrets", folder));
  const [, ...runs] = shown.split(/^\$ latchkey (.*)\n/m);
  assert.equal(runs.length, 4);
  for (let at = 0; at < runs.length; at += 2) {
    const args = runs[at]?.replace("access.yaml", file).split(" ") ?? [];
    const { stdout, stderr } = await runCommand(args, { env });
    const notes = stderr.replace(/^latchkey: the database is .*\n/m, "");
    assert.equal(`${stdout}${notes}`, runs[at + 1]);
  }
});
