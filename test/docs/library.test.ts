import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createAuth } from "../../src/index.ts";
import { listOptionNames } from "../../src/lib/options.ts";
import { optionTable } from "../../src/options.ts";
import { optionsWith } from "../support/options.ts";
import { at, rowsOf, text } from "./pages.ts";

/** The files whose faults an app can get. Those of the commands and of the gate are elsewhere. */
const FOR_APPS =
  /^(?!lib\/files\/)((lib|pages|audit|identity|http|features|adapters|testing|db\/postgres)\/.+|[^/]+)\.ts$/;

function readSources(files: RegExp): string {
  const src = fileURLToPath(at("src"));
  const names = readdirSync(src, { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => files.test(name))
    .map((name) => readFileSync(join(src, name), "utf8"))
    .join("\n");
}

/** What the first cells name in the table under a heading of library.md. */
function namedUnder(heading: string): readonly string[] {
  const [, rest = ""] = text("docs/library.md").split(`\n## ${heading}\n`);
  const rows = rowsOf(rest.split("\n## ")[0] ?? "", /^`/);
  return rows
    .flatMap(([cell = ""]) => [...cell.matchAll(/`([\w.]+)/g)].map(([, name = ""]) => name))
    .sort();
}

test("library.md lists every option of createAuth and every member that it returns", async () => {
  assert.deepEqual(namedUnder("Options"), listOptionNames(optionTable).toSorted());
  const auth = createAuth(optionsWith());
  assert.deepEqual(namedUnder("What it returns"), Object.keys(auth).sort());
  await auth.close();
});

test("library.md says what to do about every code of a fault that an app can get", () => {
  const [, rest = ""] = text("docs/library.md").split("\n## Faults\n");
  const rows = rowsOf(rest.split("\n## ")[0] ?? "", /^`/);
  const documented = rows.flatMap(([cell = ""]) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, code = ""]) => code),
  );
  const thrown = [...readSources(FOR_APPS).matchAll(/new (?:Fault|Unavailable)\(\s*"(\w+)"/g)];
  assert.ok(thrown.length > 20, `${thrown.length}`);
  for (const [, code = ""] of thrown) assert.ok(documented.includes(code), code);
  const all = readSources(/\.ts$/);
  for (const code of documented) assert.ok(all.includes(`"${code}"`), code);
  assert.deepEqual(documented, [...new Set(documented)]);
});
