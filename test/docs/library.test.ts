import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { API, SymbolFlags } from "typescript/unstable/sync";
import { optionNames } from "../../src/core/base/options.ts";
import { createAuth } from "../../src/index.ts";
import { optionTable } from "../../src/option-table.ts";
import { optionsWith } from "../support/options.ts";
import { at, rowsOf, text } from "./pages.ts";

/** The members of a union of texts, as the compiler sees them. */
function membersOf(union: string, path: string): readonly unknown[] {
  const file = fileURLToPath(at(path));
  const api = new API();
  try {
    const project = api.updateSnapshot({ openFiles: [file] }).getDefaultProjectForFile(file);
    const declared = { document: file, position: 0 };
    const symbol = project?.checker.resolveName(union, SymbolFlags.TypeAlias, declared);
    const type = symbol && project?.checker.getDeclaredTypeOfSymbol(symbol);
    if (type?.isUnionType() !== true) throw new Error(`${path} has no union ${union}`);
    return type.getTypes().map((one) => one.isLiteralType() && one.value);
  } finally {
    api.close();
  }
}

/** What the first cells name in the table under a heading of library.md. */
function namedUnder(heading: string): readonly string[] {
  const [, rest = ""] = text("docs/library.md").split(`\n## ${heading}\n`);
  const rows = rowsOf(rest.split("\n## ")[0] ?? "", /^`/);
  return rows.map(([cell = ""]) => /^`([\w.]+)/.exec(cell)?.[1] ?? "").sort();
}

test("library.md lists every option of createAuth and every member that it returns", async () => {
  assert.deepEqual(namedUnder("Options"), optionNames(optionTable).toSorted());
  const auth = createAuth(optionsWith());
  assert.deepEqual(namedUnder("What it returns"), Object.keys(auth).sort());
  await auth.close();
});

test("library.md says what to do about every code of a fault", () => {
  const codes = membersOf("FaultCode", "src/core/base/fault.ts");
  const [, rest = ""] = text("docs/library.md").split("\n## Faults\n");
  const rows = rowsOf(rest.split("\n## ")[0] ?? "", /^`/);
  const told = rows.flatMap(([cell = ""]) => [...cell.matchAll(/`(\w+)`/g)].map(([, one]) => one));
  assert.deepEqual(told.sort(), codes.toSorted());
});
