import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { referencePages } from "../../docs.ts";
import { settings } from "../../src/gate/settings/table.ts";

const pages = await referencePages();

for (const [name, text] of Object.entries(pages)) {
  test(`docs/reference/${name} is what npm run docs writes`, async () => {
    const page = new URL(`../../docs/reference/${name}`, import.meta.url);
    assert.equal(await readFile(page, "utf8"), text, "stale: run npm run docs");
  });
}

test("the settings page has one row for each setting", () => {
  const rows = [...(pages["settings.md"] ?? "").matchAll(/^\| `([A-Z_\d]+)` \|/gm)];
  assert.deepEqual(
    rows.map(([, name]) => name),
    settings.map(({ name }) => name),
  );
});
