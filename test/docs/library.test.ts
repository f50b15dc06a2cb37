import assert from "node:assert/strict";
import { test } from "node:test";
import { rowsOf, text } from "./pages.ts";

const page = text("docs/library.md");

interface Member {
  readonly name: string;
  readonly need: "required" | "optional";
}

/** The members of an interface, in the order of its source. */
function membersOf(source: string, name: string): readonly Member[] {
  const [, body = ""] =
    new RegExp(`^export interface ${name} \\{\\n([\\s\\S]*?)^\\}`, "m").exec(text(source)) ?? [];
  const found = [...body.matchAll(/^ {2}(?:readonly )?(\w+)(\?)?[:(]/gm)];
  return found.map(([, member = "", optional]) => ({
    name: member,
    need: optional === undefined ? "required" : "optional",
  }));
}

/** The cells of the table under a heading. */
function rowsUnder(heading: string): readonly (readonly string[])[] {
  const [, rest = ""] = page.split(`\n## ${heading}\n`);
  const [section = ""] = rest.split("\n## ");
  return rowsOf(section, /^`/);
}

test("library.md lists every option of createAuth, in the order of the source", () => {
  const options = membersOf("src/options.ts", "AuthOptions");
  assert.ok(options.length > 20, "finds options");
  const listed = rowsUnder("Options").map(
    ([option = "", fallback]): Member => ({
      name: option.replaceAll("`", ""),
      need: fallback === "required" ? "required" : "optional",
    }),
  );
  assert.deepEqual(listed, options);
});

test("library.md gives every option a default and a meaning", () => {
  for (const row of rowsUnder("Options")) {
    assert.equal(row.length, 3, row.join());
    assert.ok(
      row.every((cell) => cell !== ""),
      row.join(),
    );
  }
});

test("library.md lists every member that createAuth returns", () => {
  const members = membersOf("src/auth.ts", "Auth").map(({ name }) => name);
  assert.ok(members.includes("close"), "finds members");
  const listed = rowsUnder("What it returns").map(([cell]) => /^`(\w+)/.exec(cell ?? "")?.[1]);
  assert.deepEqual(listed, members);
});
