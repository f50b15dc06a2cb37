import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { locatePageFiles, readPageFile } from "../../src/pages/page-files.ts";

const SOURCES = join(import.meta.dirname, "../../src");

test("finds every template, style sheet and script, each by a name of its own", () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(eta|css|js)$/.test(file))
    .map((file) => join(SOURCES, file));
  assert.ok(files.includes(join(SOURCES, "features/codes/latchkey-codes.js")));
  assert.deepEqual([...locatePageFiles().values()].sort(), files.sort());
});

test("reads no file that is not one of the pages", () => {
  assert.throws(() => readPageFile("page-data.ts"), /there is no page file page-data\.ts/);
});
