import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../package/installed.ts";
import { MAIN, startNode } from "../support/process.ts";

const manifest = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
const OLDEST = manifest.engines.node.slice(">=".length);

const moduleOf = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;

/** A module that makes the process report another version of Node. */
const asVersion = (version: string): string =>
  moduleOf(`const versions = { ...process.versions, node: "${version}" };
    Object.defineProperty(process, "version", { value: "v${version}" });
    Object.defineProperty(process, "versions", { value: versions });`);

/** A module after which no other module can be imported by a file where a condition holds. */
const refusing = (condition: string, message: string): string =>
  moduleOf(`import { registerHooks } from "node:module";
    registerHooks({
      resolve(name, context, next) {
        if (${condition}) throw new Error("${message}");
        return next(name, context);
      },
    });`);

const NOTHING_ELSE = refusing('context.parentURL?.startsWith("file:")', "main.ts imports a module");

for (const [version, expected] of [
  ["8.17.0", 1],
  ["23.11.1", 1],
  ["100.0.0", 0],
] as const) {
  test(`${expected === 0 ? "accepts" : "refuses"} Node ${version} before loading`, async (t) => {
    const alone = expected === 0 ? [] : ["--import", NOTHING_ELSE];
    const args = ["--import", asVersion(version), ...alone, "--", MAIN, "--version"];
    const { code, stderr } = await startNode(t, args, {}).ended;
    const refusal = `Latchkey needs Node.js ${OLDEST} or newer; this is v${version}\n`;
    assert.deepEqual([code, stderr], [expected, expected === 0 ? "" : refusal]);
  });
}

/** Node 20 lacks `node:sqlite`, and resolves all imports before it runs anything. */
const WITHOUT_SQLITE = refusing('name === "node:sqlite"', "No such built-in module: node:sqlite");

/** Browsers load the client. */
const entries = Object.keys(manifest.exports)
  .filter((path) => !path.endsWith(".json") && path !== "./client")
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
    const text = `Latchkey needs Node\\.js ${OLDEST} or newer; this is v20\\.20\\.2`;
    const refusals = stderr.match(RegExp(`Fault: ${text}\n[^}]* code: 'node_too_old'`, "g"));
    assert.equal(refusals?.length, title.startsWith("import") ? entries.length : 1, stderr);
    assert.equal((await start("24.0.0")).stderr, "");
  });
}
