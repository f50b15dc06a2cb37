import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { checkLinks } from "../../scripts/site/links.ts";
import { tempDir } from "../support/temp-dir.ts";

const GOOD = '<h2 id="top"></h2><a href="a/#part"><a href="#top"><a href="https://example.org/x">';

test("accepts links to pages, files, headings and other hosts", async (t) => {
  const dir = await siteIn(t, { "index.html": `${GOOD}<img src="x.svg">`, "x.svg": "" });
  assert.deepEqual(await checkLinks(dir, "/"), { pages: 2 });
});

test("reports each dead link with its page", async (t) => {
  const dead = ["b/", "a", "x.svg", "#bottom", "a/#other", "/a/"];
  const dir = await siteIn(t, { "index.html": dead.map((to) => `<a href="${to}">`).join("") });
  const message = `dead links:\n${dead.map((to) => `index.html: ${to}`).join("\n")}`;
  await assert.rejects(checkLinks(dir, "/below"), { message });
});

async function siteIn(
  t: Parameters<typeof tempDir>[0],
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const dir = await tempDir(t);
  await mkdir(join(dir, "a"));
  await writeFile(join(dir, "a/index.html"), '<h2 id="part"></h2>');
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text);
  return dir;
}
