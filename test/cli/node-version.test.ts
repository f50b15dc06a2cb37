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

for (const version of ["23.11.1", "8.17.0"]) {
  test(`refuses Node ${version} before it loads anything`, async (t) => {
    const args = ["--import", asVersion(version), "--", MAIN, "--version"];
    const { code, stdout, stderr } = await startNode(t, args, {}).ended;
    const line = `Latchkey needs Node.js 24 or newer; this is v${version}\n`;
    assert.deepEqual({ code, stdout, stderr }, { code: 1, stdout: "", stderr: line });
  });
}

test("accepts newer versions of Node", async (t) => {
  const args = ["--import", asVersion("100.0.0"), "--", MAIN, "--version"];
  const { code, stderr } = await startNode(t, args, {}).ended;
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
});

test("main.ts imports nothing before the check, and checks the version in package.json", async () => {
  const main = await readFile(MAIN, "utf8");
  assert.doesNotMatch(main, /^import |^export .* from /m);
  assert.equal(main.match(/import\(/g)?.length, 1);
  const { engines } = JSON.parse(
    await readFile(new URL("../../package.json", import.meta.url), "utf8"),
  );
  const [, oldest] = /OLDEST_NODE = (\d+);/.exec(main) ?? [];
  assert.equal(engines.node, `>=${oldest}`);
});
