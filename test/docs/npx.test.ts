import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../examples/folder-with.ts";

test("no document and no example downloads a package whose name on npm is not ours", async () => {
  const args = ["ls-files", "README.md", "*.md", "examples", "packages", "proof", "src"];
  const files = execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trimEnd().split("\n");
  for (const file of files) {
    const text = await readFile(join(ROOT, file), "utf8");
    assert.doesNotMatch(text, /npx (?:--yes |-y )?latchkey/, file);
  }
});
