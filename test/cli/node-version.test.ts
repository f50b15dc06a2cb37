import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { MAIN, startNode } from "../support/process.ts";

/** A module that makes the process report another version of Node. */
const asVersion = (version: string): string =>
  `data:text/javascript,${encodeURIComponent(
    [
      `const versions = { ...process.versions, node: "${version}" };`,
      `Object.defineProperty(process, "version", { value: "v${version}" });`,
      `Object.defineProperty(process, "versions", { value: versions });`,
    ].join("\n"),
  )}`;

for (const [version, expected] of [
  ["8.17.0", 1],
  ["23.11.1", 1],
  ["100.0.0", 0],
] as const) {
  test(`${expected === 0 ? "accepts" : "refuses"} Node ${version} before it loads anything`, async (t) => {
    const args = ["--import", asVersion(version), "--", MAIN, "--version"];
    const { code, stderr } = await startNode(t, args, {}).ended;
    const refusal = `Latchkey needs Node.js 24 or newer; this is v${version}\n`;
    assert.deepEqual([code, stderr], [expected, expected === 0 ? "" : refusal]);
  });
}

test("main.ts imports nothing before the check, and checks the version in package.json", async () => {
  const main = await readFile(MAIN, "utf8");
  assert.doesNotMatch(main, /^import |^export .* from /m);
  assert.equal(main.match(/import\(/g)?.length, 1);
  const manifest = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  const [, oldest] = /OLDEST_NODE = (\d+);/.exec(main) ?? [];
  assert.equal(JSON.parse(manifest).engines.node, `>=${oldest}`);
});
