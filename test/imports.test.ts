import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** The files directly in src. */
const LIBRARY = "the library";

/** The shared helpers of the tests, which only proof may import. */
const TESTS = "test";

interface Part {
  /** A folder of src, packages or proof, or the files in src itself. */
  readonly name: string;
  /** The other parts that every file of this part may import. */
  readonly mayImport: readonly string[];
  /** What the files of this part whose path matches may import as well. */
  readonly exceptions?: readonly {
    readonly files: RegExp;
    readonly mayImport: readonly string[];
  }[];
}

/** Top down: a part may import only from the parts above it. ARCHITECTURE.md describes them. */
const parts: readonly Part[] = [
  { name: "base", mayImport: [] },
  { name: "files", mayImport: ["base"] },
  { name: "db", mayImport: ["base", "files"] },
  { name: "core", mayImport: ["base", "db"] },
  { name: "web", mayImport: ["base", "db", "core"] },
  { name: LIBRARY, mayImport: ["base", "db", "core", "web"] },
  { name: "adapters", mayImport: [LIBRARY] },
  { name: "testing", mayImport: ["base", "db", "core", LIBRARY] },
  { name: "gate", mayImport: ["base", "core", "files", "db", "web", LIBRARY] },
  { name: "proxies", mayImport: ["base", "db", "core", "web", "gate"] },
  { name: "doctor", mayImport: ["base", "core", "files", "db", "web", LIBRARY, "gate"] },
  {
    name: "cli",
    mayImport: [
      "base",
      "core",
      "files",
      "db",
      "web",
      LIBRARY,
      "adapters",
      "gate",
      "proxies",
      "doctor",
    ],
  },
  { name: "attack", mayImport: [] },
  { name: "bench", mayImport: ["base", "db", "core", LIBRARY, "adapters", "gate", TESTS] },
  { name: "chaos", mayImport: ["base", "db", "core", "bench", TESTS] },
  { name: "simulation", mayImport: ["base", "db", "core", LIBRARY, TESTS] },
  { name: "fuzz", mayImport: ["base", "db", "core", "web", "testing", "simulation", TESTS] },
  { name: "mutation", mayImport: [TESTS] },
  { name: "all", mayImport: [] },
];

/** What only certain files may use. The paths are relative to src. */
const reserved: readonly { readonly what: RegExp; readonly onlyIn: RegExp }[] = [
  { what: /process\.env/, onlyIn: /^(gate\/settings\/settings|auth|testing\/sign-in-as)\.ts$/ },
  { what: /"node:sqlite"/, onlyIn: /^db\// },
  { what: /"kysely"/, onlyIn: /^db\// },
  { what: /"eta(\/core)?"/, onlyIn: /^web\/pages\/templates\.ts$/ },
  { what: /"hono"/, onlyIn: /^adapters\/hono\.ts$/ },
  // The tests use it to check what Latchkey signs and verifies.
  { what: /"jose["/]/, onlyIn: /^$/ },
  {
    what: /"node:(fs|http|net|child_process)/,
    // loopback.ts uses node:net to parse addresses, without input or output.
    onlyIn:
      /^((files|db|gate|doctor|cli|web|adapters)\/|core\/base\/loopback\.ts$|proxies\/haproxy-script\.ts$)/,
  },
  { what: /"node:(test|assert)/, onlyIn: /^testing\// },
  // Adapters use only what the package exports, so that other developers can write their own.
  { what: /from "\.\.\/(?!index\.ts")/, onlyIn: /^(?!adapters\/)/ },
  // Queries run through a store, so that what watches its operations misses none.
  {
    what: /^(import|export) (?!type )[^;]*"[./]*\/db\/(?!records\.ts|tables\.ts)[^;]*";/m,
    onlyIn: /^(db|gate|doctor|cli)\//,
  },
  { what: /process\.(stdin|stdout|stderr|exit)/, onlyIn: /^cli\/main\.ts$/ },
  {
    what: /Date\.now\(\)|performance\.now\(\)/,
    onlyIn: /^(rules\.ts|cli\/|db\/)/,
  },
];

function partOf(file: string): string {
  if (file.startsWith("src/lib/")) return "base";
  const [top = "", part = "", ...more] = file.split("/");
  if (top === TESTS) return TESTS;
  return top === "src" && more.length === 0 ? LIBRARY : part;
}

/** The relative imports of a file, types and dynamic imports included, as paths below the root. */
const readImports = (file: string, text: string): readonly string[] =>
  [...text.matchAll(/(?:from|import\(?)\s*"(\.[^"]+)"/g)].map(([, target = ""]) =>
    normalize(join(dirname(file), target)),
  );

/** The parts that a file may import, its own among them. */
function findAllowedParts(file: string, rules: readonly Part[]): readonly string[] {
  const name = partOf(file);
  const part = rules.find((one) => one.name === name);
  if (part === undefined) return [];
  const exceptions = (part.exceptions ?? []).filter(({ files }) => files.test(file));
  return [name, ...part.mayImport, ...exceptions.flatMap(({ mayImport }) => mayImport)];
}

function findViolations(file: string, text: string, rules = parts): readonly string[] {
  const allowed = findAllowedParts(file, rules);
  const forbidden = readImports(file, text)
    .filter((target) => !allowed.includes(partOf(target)))
    .map((target) => `${file} must not import ${target}`);
  const misused = reserved
    .filter(
      ({ what, onlyIn }) =>
        file.startsWith("src/") && what.test(text) && !onlyIn.test(file.slice("src/".length)),
    )
    .map(({ what }) => `${file} must not use ${what.source}`);
  return [...forbidden, ...misused];
}

/** Returns every import cycle that a depth-first search finds, one line for each. */
function findCycles(imports: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(" > "));
    if (path.includes(file) || done.has(file)) return;
    for (const target of imports.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  return cycles;
}

/** The sources of the parts, without the tests of a package: these import what other tests may. */
function readSources(): ReadonlyMap<string, string> {
  const files = ["src", "packages", "proof"].flatMap((top) =>
    readdirSync(join(ROOT, top), { recursive: true, encoding: "utf8" })
      .map((name) => `${top}/${name}`)
      .filter((file) => file.endsWith(".ts") && !/\/(node_modules|dist|test)\//.test(file)),
  );
  return new Map(files.map((file) => [file, readFileSync(join(ROOT, file), "utf8")]));
}

test("the rules name every part once, and each imports from parts above it", () => {
  const names = parts.map(({ name }) => name);
  assert.deepEqual([...names].sort(), [...new Set([...readSources().keys()].map(partOf))].sort());
  for (const [index, { name, mayImport, exceptions = [] }] of parts.entries()) {
    const above = [...names.slice(0, index), TESTS];
    const all = [...mayImport, ...exceptions.flatMap((one) => one.mayImport)];
    assert.deepEqual(
      all.filter((other) => !above.includes(other)),
      [],
      name,
    );
  }
});

test("imports follow the rules", () => {
  const files = readSources();
  assert.ok(files.has("src/features/sign-in/sign-in.ts") && files.has("proof/chaos/main.ts"));
  const violations = [...files].flatMap(([file, text]) => findViolations(file, text));
  assert.deepEqual(violations, []);
});

test("no file imports itself through others, types included", () => {
  const files = [...readSources()];
  const cycles = findCycles(new Map(files.map(([file, text]) => [file, readImports(file, text)])));
  assert.deepEqual(cycles, []);
});

test("detects a forbidden import, a reserved feature and an import cycle", () => {
  const forbidden: readonly (readonly [file: string, text: string])[] = [
    ["src/features/sign-in/sign-in.ts", 'import { x } from "../../web/request/form.ts";'],
    ["src/features/sign-in/sign-in-pages.ts", 'export { x } from "../../db/sqlite/store.ts";'],
    ["src/db/sqlite.ts", 'await import("../gate/serve.ts")'],
    ["src/proxies/plan.ts", 'import { x } from "../cli/command.ts";'],
    ["src/gate/serve.ts", 'import { x } from "../../test/support/gate.ts";'],
    ["packages/attack/src/run.ts", 'import { x } from "../../../src/core/sign-in/sign-in.ts";'],
    ["src/features/sign-in/sign-in.ts", "process.env.PORT"],
    ["src/features/sign-in/sign-in-pages.ts", 'import { DatabaseSync } from "node:sqlite";'],
  ];
  for (const [file, text] of forbidden) assert.equal(findViolations(file, text).length, 1, file);
  const allowed = 'import type { x } from "../../core/sign-in/sign-in.ts";';
  assert.deepEqual(findViolations("src/features/sign-in/sign-in-pages.ts", allowed), []);
  const byName: readonly Part[] = [
    { name: "web", mayImport: [], exceptions: [{ files: /-pages\.ts$/, mayImport: ["core"] }] },
  ];
  const text = 'import { x } from "../core/store.ts";';
  assert.deepEqual(findViolations("src/web/sign-in-pages.ts", text, byName), []);
  assert.equal(findViolations("src/web/sign-in.ts", text, byName).length, 1);
  const imports = { a: ["b"], b: ["c", "d"], c: ["a"], d: [] };
  assert.deepEqual(findCycles(new Map(Object.entries(imports))), ["a > b > c > a"]);
});
