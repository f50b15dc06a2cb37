import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { commands } from "../src/cli/commands.ts";

const at = (path: string): URL => new URL(`../${path}`, import.meta.url);
const text = ["CONTRIBUTING.md", "docs/releasing.md"]
  .map((page) => readFileSync(at(page), "utf8"))
  .join("\n");

/** What the first group of the pattern matches in both pages, each once. */
const findAll = (pattern: RegExp): readonly string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, found = ""]) => found)),
];

test("every script in CONTRIBUTING.md and releasing.md is in package.json", () => {
  const { scripts } = JSON.parse(readFileSync(at("package.json"), "utf8"));
  const named = findAll(/npm run (?:--silent )?([\w-]+)/g);
  assert.ok(named.includes("screenshots"), "finds scripts");
  assert.deepEqual(
    named.filter((name) => !(name in scripts)),
    [],
  );
});

test("every command in CONTRIBUTING.md and releasing.md exists", () => {
  const named = findAll(/(?:`latchkey|latchkey --) ([a-z][\w-]*)/g);
  assert.ok(named.includes("restore"), "finds commands");
  const words = commands.map(({ name }) => name.split(" ")[0]);
  assert.deepEqual(
    named.filter((name) => !words.includes(name)),
    [],
  );
});

test("every file in CONTRIBUTING.md and releasing.md exists", () => {
  const named = findAll(
    /(?<!\.\.\/)\b((?:docs|src|test|proof|\.ci)\/[\w/.-]*\w|[A-Z]+\.md|Dockerfile)/g,
  );
  assert.ok(named.length > 8, "finds files");
  assert.deepEqual(
    named.filter((path) => !existsSync(at(path))),
    [],
  );
});
