import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { generatedPages } from "../../scripts/docs.ts";

const pages = await generatedPages();

for (const [name, text] of Object.entries(pages)) {
  test(`docs/${name} is what npm run build -- docs writes`, async () => {
    const page = new URL(`../../docs/${name}`, import.meta.url);
    assert.equal(await readFile(page, "utf8"), text, "stale: run npm run build -- docs");
  });
}
