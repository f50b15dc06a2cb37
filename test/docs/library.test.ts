import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const text = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

const page = text("docs/library.md");

interface Member {
  readonly name: string;
  readonly need: "required" | "optional";
}

/** The members of an interface, as its source has them. */
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
  return section
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

test("the page about the library has every option of createAuth, in the order of the source", () => {
  const options = membersOf("src/options.ts", "AuthOptions");
  assert.ok(options.length > 20, "options are found");
  const told = rowsUnder("Options").map(
    ([option = "", fallback]): Member => ({
      name: option.replaceAll("`", ""),
      need: fallback === "required" ? "required" : "optional",
    }),
  );
  assert.deepEqual(told, options);
});

test("each option on that page has a default and a meaning", () => {
  for (const row of rowsUnder("Options")) {
    assert.equal(row.length, 3, row.join());
    assert.ok(
      row.every((cell) => cell !== ""),
      row.join(),
    );
  }
});

test("the page about the library has all that createAuth returns", () => {
  const members = membersOf("src/auth.ts", "Auth").map(({ name }) => name);
  assert.ok(members.includes("close"), "members are found");
  const told = rowsUnder("What it returns").map(([cell]) => /^`(\w+)/.exec(cell ?? "")?.[1]);
  assert.deepEqual(told, members);
});
