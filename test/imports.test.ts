import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

interface Part {
  readonly name: string;
  /** The other parts that it may import. */
  readonly mayImport: readonly string[];
}

/** The files directly in src. */
const LIBRARY = "the library";

/** The shared helpers of the tests, which only proof may import. */
const TESTS = "test";

/** The table of ARCHITECTURE.md, top down. A part may import only from the rows above it. */
function readParts(page: string): readonly Part[] {
  const [, rest = ""] = page.split("| folder | what it is | may import |");
  const [table = ""] = rest.split("\n\n");
  const rows = table.split("\n").slice(2);
  return rows.map((row) => {
    const [folder = "", , others = ""] = row.split("|").slice(1, -1);
    const mayImport = others.trim();
    return {
      name: /^ `(?:src|packages|proof)\/(\w+)` $/.exec(folder)?.[1] ?? LIBRARY,
      mayImport: mayImport === "none" ? [] : mayImport.split(", "),
    };
  });
}

const parts = readParts(readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8"));

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
      /^((files|db|gate|doctor|cli|web|adapters)\/|core\/hosts\/loopback\.ts$|proxies\/haproxy-script\.ts$)/,
  },
  { what: /"node:(test|assert)/, onlyIn: /^testing\// },
  // Adapters use only what the package exports, so that other developers can write their own.
  { what: /from "\.\.\/(?!index\.ts")/, onlyIn: /^(?!adapters\/)/ },
  // Its codes are not in `FaultCode`, so no code that an app can reach throws it.
  {
    what: /new AnyFault\(/,
    onlyIn:
      /^((files|gate|doctor|cli|core\/transfer)\/|db\/(sqlite\/(store|open|replace|backup|own-files|schema)|transfer)\.ts$)/,
  },
  { what: /process\.(stdin|stdout|stderr|exit)/, onlyIn: /^cli\/main\.ts$/ },
  {
    what: /Date\.now\(\)|performance\.now\(\)/,
    onlyIn: /^(rules\.ts|cli\/|db\/)/,
  },
];

function partOf(file: string): string {
  const [top = "", part = "", ...more] = file.split("/");
  if (top === TESTS) return TESTS;
  return top === "src" && more.length === 0 ? LIBRARY : part;
}

/** The relative imports of a file, types and dynamic imports included, as paths below the root. */
const readImports = (file: string, text: string): readonly string[] =>
  [...text.matchAll(/(?:from|import\(?)\s*"(\.[^"]+)"/g)].map(([, target = ""]) =>
    normalize(join(dirname(file), target)),
  );

function findViolations(file: string, text: string): readonly string[] {
  const part = parts.find(({ name }) => name === partOf(file));
  const forbidden = readImports(file, text)
    .filter((target) => partOf(target) !== part?.name && !part?.mayImport.includes(partOf(target)))
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

test("the table of ARCHITECTURE.md has each part once, in the order of imports", () => {
  const names = parts.map(({ name }) => name);
  assert.deepEqual([...names].sort(), [...new Set([...readSources().keys()].map(partOf))].sort());
  for (const [index, { name, mayImport }] of parts.entries()) {
    const above = [...names.slice(0, index), TESTS];
    const unclear = mayImport.filter((other) => !above.includes(other));
    assert.deepEqual(unclear, [], name);
  }
});

test("imports follow the table of ARCHITECTURE.md", () => {
  const files = readSources();
  assert.ok(files.has("src/core/sign-in/sign-in.ts") && files.has("proof/chaos/main.ts"));
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
    ["src/core/sign-in/sign-in.ts", 'import { x } from "../../web/request/form.ts";'],
    ["src/web/endpoints/login.ts", 'export { x } from "../../db/sqlite/store.ts";'],
    ["src/db/sqlite.ts", 'await import("../gate/serve.ts")'],
    ["src/proxies/plan.ts", 'import { x } from "../cli/command.ts";'],
    ["src/gate/serve.ts", 'import { x } from "../../test/support/gate.ts";'],
    ["packages/attack/src/run.ts", 'import { x } from "../../../src/core/sign-in/sign-in.ts";'],
    ["src/core/sign-in/sign-in.ts", "process.env.PORT"],
    ["src/web/endpoints/login.ts", 'import { DatabaseSync } from "node:sqlite";'],
  ];
  for (const [file, text] of forbidden) assert.equal(findViolations(file, text).length, 1, file);
  const allowed = 'import type { x } from "../../core/sign-in/sign-in.ts";';
  assert.deepEqual(findViolations("src/web/endpoints/login.ts", allowed), []);
  const imports = { a: ["b"], b: ["c", "d"], c: ["a"], d: [] };
  assert.deepEqual(findCycles(new Map(Object.entries(imports))), ["a > b > c > a"]);
});
