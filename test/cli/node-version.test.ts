import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../package/installed.ts";
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

/** Node 20 lacks `node:sqlite`, and resolves all imports before it runs anything. */
const WITHOUT_SQLITE = `data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from "node:module";
  registerHooks({
    resolve(name, context, next) {
      if (name === "node:sqlite") throw new Error("No such built-in module: node:sqlite");
      return next(name, context);
    },
  });`,
)}`;

const manifest = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
const entries = Object.keys(manifest.exports)
  .filter((path) => !path.endsWith(".json"))
  .map((path) => `latchkey${path.slice(1)}`);

const loads: Readonly<Record<string, string>> = {
  'require("latchkey/sqlite")': 'require("latchkey/sqlite")',
  "import of every entry": `Promise.allSettled(${JSON.stringify(entries)}.map((one) => import(one)))
    .then((all) => all.forEach(({ reason }) => reason && console.error(reason)));`,
};

for (const [title, load] of Object.entries(loads)) {
  test(`${title} names the version of Node that it needs`, async (t) => {
    const loading = ["--conditions=latchkey-source", "--eval", load];
    const start = (version: string, ...more: readonly string[]) =>
      startNode(t, ["--import", asVersion(version), ...more, ...loading], {}, ROOT).ended;
    const { stderr } = await start("20.20.2", "--import", WITHOUT_SQLITE);
    const refusals = stderr.match(
      /Fault: Latchkey needs Node\.js 24 or newer; this is v20\.20\.2\n[^}]* code: 'node_too_old'/g,
    );
    assert.equal(refusals?.length, title.startsWith("import") ? entries.length : 1, stderr);
    assert.equal((await start("24.0.0")).stderr, "");
  });
}

test("main.ts imports nothing before the check, and checks the version in package.json", async () => {
  const main = await readFile(MAIN, "utf8");
  assert.doesNotMatch(main, /^import |^export .* from /m);
  assert.equal(main.match(/import\(/g)?.length, 1);
  const [, oldest] = /OLDEST_NODE = (\d+);/.exec(main) ?? [];
  assert.equal(manifest.engines.node, `>=${oldest}`);
  const library = await readFile(join(ROOT, "src/core/base/node-version.ts"), "utf8");
  assert.ok(library.includes(`OLDEST_NODE = ${oldest};`));
});
