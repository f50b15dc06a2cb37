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

/**
 * The floors of src, from the ground up: a folder imports from itself and from the floors below. The
 * folders of one floor do not know each other. ARCHITECTURE.md describes them.
 */
const floors: readonly (readonly string[])[] = [
  ["lib", "client"],
  ["db"],
  ["pages", "recipes"],
  ["audit"],
  ["identity"],
  ["http", "mail"],
  ["features"],
  [LIBRARY],
  ["adapters", "testing"],
  ["gate"],
  ["proxies", "doctor"],
  ["cli"],
];

/** What backs the claims: each uses the product, the tests' helpers, and the others in its list. */
const proofs: Readonly<Record<string, readonly string[]>> = {
  bench: [],
  chaos: ["bench"],
  simulation: [],
  fuzz: ["simulation"],
  mutation: [],
  all: [],
};

/** The package `latchkey-attack` knows Latchkey by HTTP alone. */
const ATTACK = "attack";

/** A rule of a feature: it knows nothing about HTTP and pages, which `NAME-pages.ts` beside it does. */
const isRule = (file: string): boolean =>
  /^src\/features\/[^/]+\//.test(file) && !file.endsWith("-pages.ts");

/** What only certain files may use. The paths are relative to src. */
const reserved: readonly { readonly what: RegExp; readonly onlyIn: RegExp }[] = [
  { what: /process\.env/, onlyIn: /^(gate\/settings\/settings|auth|testing\/sign-in-as)\.ts$/ },
  { what: /"node:sqlite"/, onlyIn: /^db\// },
  { what: /"kysely"/, onlyIn: /^db\// },
  { what: /"eta(\/core)?"/, onlyIn: /^pages\/templates\.ts$/ },
  // The gate does not load it.
  { what: /"yaml"/, onlyIn: /^cli\/apply\/read-document\.ts$/ },
  { what: /"hono"/, onlyIn: /^adapters\/hono\.ts$/ },
  { what: /"drizzle-orm/, onlyIn: /^drizzle\.ts$/ },
  // The tests use it to check what Latchkey signs and verifies.
  { what: /"jose["/]/, onlyIn: /^$/ },
  {
    what: /"node:(fs|http|net|child_process)/,
    // loopback.ts uses node:net to parse addresses, without input or output.
    onlyIn:
      /^((lib\/files|db|gate|doctor|cli|http|pages|recipes|adapters)\/|lib\/loopback\.ts$|proxies\/haproxy-script\.ts$)/,
  },
  { what: /"node:(test|assert)/, onlyIn: /^testing\// },
  // Adapters use only what the package exports, so that other developers can write their own.
  { what: /from "\.\.\/(?!index\.ts")/, onlyIn: /^(?!adapters\/)/ },
  // Queries run through a store, so that what watches its operations misses none.
  {
    what: /^(import|export) (?!type )[^;]*"[./]*\/db\/(queries|sqlite|postgres)\/[^;]*";/m,
    onlyIn: /^(db|gate|doctor|cli)\//,
  },
  { what: /process\.(stdin|stdout|stderr|exit)/, onlyIn: /^cli\/main\.ts$/ },
  { what: /Date\.now\(\)|performance\.now\(\)/, onlyIn: /^(services\.ts|cli\/|db\/)/ },
];

function getPart(file: string): string {
  const [top = "", folder = "", ...rest] = file.split("/");
  if (top === TESTS) return TESTS;
  if (top === "packages") return ATTACK;
  return top === "src" && rest.length === 0 ? LIBRARY : folder;
}

const findFloor = (part: string): number => floors.findIndex((floor) => floor.includes(part));

function mayImport(file: string, target: string): boolean {
  const [from, to] = [getPart(file), getPart(target)];
  if (from === ATTACK) return to === ATTACK;
  if (isRule(file) && (["http", "pages"].includes(to) || target.endsWith("-pages.ts")))
    return false;
  if (from === to) return true;
  const others = proofs[from];
  if (others !== undefined) return findFloor(to) >= 0 || to === TESTS || others.includes(to);
  return findFloor(to) >= 0 && findFloor(to) < findFloor(from);
}

/** The relative imports of a file, types and dynamic imports included, as paths below the root. */
const readImports = (file: string, text: string): readonly string[] =>
  [...text.matchAll(/(?:from|import\(?)\s*"(\.[^"]+)"/g)].map(([, target = ""]) =>
    normalize(join(dirname(file), target)),
  );

function findViolations(file: string, text: string): readonly string[] {
  const forbidden = readImports(file, text)
    .filter((target) => !mayImport(file, target))
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

/** The folder of a feature. `undefined` for other files, and for those that features share. */
const getFeature = (file: string): string | undefined =>
  /^src\/features\/([^/]+)\//.exec(file)?.[1];

/** The features that each feature imports. */
function readFeatureImports(
  files: ReadonlyMap<string, string>,
): ReadonlyMap<string, readonly string[]> {
  const imports = new Map<string, readonly string[]>();
  for (const [file, text] of files) {
    const feature = getFeature(file);
    if (feature === undefined) continue;
    const others = readImports(file, text)
      .map(getFeature)
      .filter((other) => other !== undefined && other !== feature);
    imports.set(feature, [...(imports.get(feature) ?? []), ...(others as readonly string[])]);
  }
  return imports;
}

test("every folder of src and proof has its place", () => {
  const places = [...floors.flat(), ...Object.keys(proofs), ATTACK].sort();
  assert.deepEqual(places, [...new Set([...readSources().keys()].map(getPart))].sort());
});

test("imports point down, and rules know nothing about HTTP", () => {
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

test("no feature imports itself through other features", () => {
  const imports = readFeatureImports(readSources());
  assert.ok(imports.get("sign-in")?.includes("codes"));
  assert.deepEqual(findCycles(imports), []);
});

test("detects a forbidden import, a reserved feature and an import cycle", () => {
  const forbidden: readonly (readonly [file: string, text: string])[] = [
    ["src/features/sign-in/sign-in.ts", 'import { x } from "../../http/form.ts";'],
    ["src/features/sign-in/sign-in.ts", 'import { x } from "./sign-in-pages.ts";'],
    ["src/features/sign-in/sign-in-pages.ts", 'export { x } from "../../gate/serve.ts";'],
    ["src/http/views.ts", 'import { x } from "../features/home/home-pages.ts";'],
    ["src/db/sqlite/store.ts", 'await import("../../gate/serve.ts")'],
    ["src/proxies/plan.ts", 'import { x } from "../cli/command.ts";'],
    ["src/proxies/plan.ts", 'import { x } from "../doctor/check.ts";'],
    ["src/gate/serve.ts", 'import { x } from "../../test/support/gate.ts";'],
    ["packages/attack/src/run.ts", 'import { x } from "../../../src/auth.ts";'],
    ["proof/simulation/gate.ts", 'import { x } from "../chaos/main.ts";'],
    ["src/features/sign-in/sign-in.ts", "process.env.PORT"],
    ["src/features/sign-in/sign-in-pages.ts", 'import { DatabaseSync } from "node:sqlite";'],
  ];
  for (const [file, text] of forbidden) assert.equal(findViolations(file, text).length, 1, file);
  const allowed = 'import type { x } from "../../http/form.ts";';
  assert.deepEqual(findViolations("src/features/sign-in/sign-in-pages.ts", allowed), []);
  const imports = { a: ["b"], b: ["c", "d"], c: ["a"], d: [] };
  assert.deepEqual(findCycles(new Map(Object.entries(imports))), ["a > b > c > a"]);
});
