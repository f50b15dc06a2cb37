import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const SRC = fileURLToPath(new URL("../src/", import.meta.url));

const ARCHITECTURE = new URL("../ARCHITECTURE.md", import.meta.url);

interface Part {
  readonly name: string;
  /** What it may import from, besides itself. */
  readonly mayImport: readonly string[];
}

/** The files directly under src are the library's front door. */
const LIBRARY = "the library";

/** The parts of the house, top down, as the table of ARCHITECTURE.md has them. */
function partsIn(page: string): readonly Part[] {
  const [, rest = ""] = page.split("| folder | what it is | may import |");
  const [table = ""] = rest.split("\n\n");
  const rows = table.split("\n").slice(2);
  return rows.map((row) => {
    const [folder = "", , others = ""] = row.split("|").slice(1, -1);
    const named = others.trim();
    return {
      name: /^ `src\/(\w+)` $/.exec(folder)?.[1] ?? LIBRARY,
      mayImport: named === "none" ? [] : named.split(", "),
    };
  });
}

const parts = partsIn(readFileSync(ARCHITECTURE, "utf8"));

/** What may be named in one place only, and the files that may name it. */
const reserved: readonly { readonly what: RegExp; readonly onlyIn: RegExp }[] = [
  { what: /process\.env/, onlyIn: /^(gate\/settings\/settings|auth)\.ts$/ },
  { what: /"node:sqlite"/, onlyIn: /^stores\// },
  { what: /"eta(\/core)?"/, onlyIn: /^web\/pages\/templates\.ts$/ },
  { what: /"hono"/, onlyIn: /^(web\/|auth\.ts$|gate\/listener\.ts$)/ },
  { what: /"jose["/]/, onlyIn: /^(core\/session-token\.ts$|gate\/https\/acme\/)/ },
  {
    what: /"node:(fs|http|net|child_process)/,
    // Telling addresses apart is no input or output.
    onlyIn: /^((stores|gate|doctor|cli|web|adapters|attack)\/|core\/loopback\.ts$)/,
  },
  { what: /"node:(test|assert)/, onlyIn: /^testing\// },
  { what: /process\.(stdout|stderr|exit)/, onlyIn: /^cli\// },
  {
    what: /Date\.now\(\)|performance\.now\(\)/,
    onlyIn: /^(rules\.ts|gate\/serve\.ts|cli\/|attack\/|stores\/)/,
  },
];

const partOf = (file: string): string =>
  file.includes("/") ? (file.split("/")[0] ?? "") : LIBRARY;

function breaches(file: string, text: string): readonly string[] {
  const found: string[] = [];
  for (const [, target = ""] of text.matchAll(/(?:from|import\(?)\s*"(\.[^"]+)"/g)) {
    const imported = partOf(normalize(join(dirname(file), target)));
    const part = parts.find(({ name }) => name === partOf(file));
    if (imported !== part?.name && !part?.mayImport.includes(imported)) {
      found.push(`${file} must not import ${target}`);
    }
  }
  for (const { what, onlyIn } of reserved) {
    if (what.test(text) && !onlyIn.test(file)) found.push(`${file} must not name ${what.source}`);
  }
  return found;
}

function sources(): readonly string[] {
  return readdirSync(SRC, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(SRC, join(entry.parentPath, entry.name)));
}

test("the table of ARCHITECTURE.md has every part of the house once, and imports name rows above", () => {
  const names = parts.map(({ name }) => name);
  assert.deepEqual([...names].sort(), [...new Set(sources().map(partOf))].sort());
  for (const [at, { name, mayImport }] of parts.entries()) {
    const above = names.slice(0, at);
    assert.deepEqual(
      mayImport.filter((other) => !above.includes(other)),
      [],
      name,
    );
  }
});

test("no part imports what the table of ARCHITECTURE.md does not name for it", () => {
  const files = sources();
  assert.ok(files.includes("core/sign-in.ts"), "the sources are looked at");
  const found = files.flatMap((file) => breaches(file, readFileSync(join(SRC, file), "utf8")));
  assert.deepEqual(found, []);
});

test("an import that points up is found", () => {
  assert.equal(
    breaches("core/sign-in.ts", 'import { x } from "../web/request/form.ts";').length,
    1,
  );
  assert.equal(
    breaches("web/login.ts", 'export { x } from "../stores/sqlite/store.ts";').length,
    1,
  );
  assert.equal(breaches("stores/sqlite.ts", 'await import("../gate/serve.ts")').length, 1);
  assert.equal(breaches("gate/serve.ts", 'import { x } from "../cli/main.ts";').length, 1);
  assert.equal(breaches("web/login.ts", 'import type { x } from "../core/sign-in.ts";').length, 0);
});

test("what belongs to one place is found elsewhere", () => {
  assert.equal(breaches("core/sign-in.ts", "process.env.PORT").length, 1);
  assert.equal(breaches("web/login.ts", 'import { DatabaseSync } from "node:sqlite";').length, 1);
  assert.equal(breaches("gate/settings/settings.ts", "process.env.PORT").length, 0);
});
