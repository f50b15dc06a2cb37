import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { whereInstalled } from "../proxies/program.ts";
import { tempDir } from "../support/temp-dir.ts";
import { ROOT } from "./installed.ts";

whereInstalled("apt-get", () => {
  test("without a Debian mirror, nothing is renewed, and the message says what is missing", async (t) => {
    const folder = await tempDir(t);
    const sources = join(folder, "sources.list");
    const configuration = join(folder, "apt.conf");
    await writeFile(sources, "deb http://mirror.example/ubuntu noble main\n");
    await writeFile(
      configuration,
      `Dir::Etc::SourceList "${sources}"; Dir::Etc::SourceParts "/dev/null";`,
    );
    const pins = join(ROOT, "scripts/release/debian.json");
    const before = await readFile(pins, "utf8");
    const env = { ...process.env, APT_CONFIG: configuration };
    const args = [join(ROOT, "scripts/release/image.ts"), "--renew"];
    await assert.rejects(promisify(execFile)(process.execPath, args, { env }), {
      code: 1,
      stderr: "image: apt has no Debian mirror in its configuration: build on Debian.\n",
    });
    assert.equal(await readFile(pins, "utf8"), before);
  });
});
