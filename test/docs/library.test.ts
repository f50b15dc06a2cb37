import assert from "node:assert/strict";
import { test } from "node:test";
import { createAuth } from "../../src/index.ts";
import { isOption, optionTable } from "../../src/option-table.ts";
import { optionsWith } from "../support/options.ts";
import { rowsOf, text } from "./pages.ts";

/** The cells of the table under a heading of library.md. */
function rowsUnder(heading: string): readonly (readonly string[])[] {
  const [, rest = ""] = text("docs/library.md").split(`\n## ${heading}\n`);
  return rowsOf(rest.split("\n## ")[0] ?? "", /^`/);
}

const optionPaths = Object.entries(optionTable).flatMap(([group, option]) =>
  isOption(option) ? [group] : Object.keys(option).map((name) => `${group}.${name}`),
);

test("library.md lists every option of createAuth, with a default and a meaning", () => {
  const rows = rowsUnder("Options");
  assert.deepEqual(
    rows.map(([option = ""]) => option.replaceAll("`", "")).sort(),
    [...optionPaths, "store", "secret"].sort(),
  );
  for (const row of rows) assert.ok(row.length === 3 && row.every(Boolean), row.join());
});

test("library.md lists every member that createAuth returns", async () => {
  const auth = createAuth(optionsWith());
  const listed = rowsUnder("What it returns").map(([cell = ""]) => /^`(\w+)/.exec(cell)?.[1]);
  assert.deepEqual(listed.sort(), Object.keys(auth).sort());
  await auth.close();
});
