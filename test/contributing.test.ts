import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { commands } from "../src/cli/commands.ts";

const at = (path: string): URL => new URL(`../${path}`, import.meta.url);
const page = readFileSync(at("CONTRIBUTING.md"), "utf8");

/** What follows these words, wherever they stand, each once. */
const after = (words: RegExp): readonly string[] => [
  ...new Set([...page.matchAll(words)].map(([, found = ""]) => found)),
];

test("every script that CONTRIBUTING names is in package.json", () => {
  const { scripts } = JSON.parse(readFileSync(at("package.json"), "utf8"));
  const named = after(/npm run (?:--silent )?([\w-]+)/g);
  assert.ok(named.includes("screenshots"), "scripts are found");
  assert.deepEqual(
    named.filter((name) => !(name in scripts)),
    [],
  );
});

test("every command that CONTRIBUTING names is one", () => {
  const named = after(/(?:`latchkey|latchkey --) ([a-z][\w-]*)/g);
  assert.ok(named.includes("restore"), "commands are found");
  const words = commands.map(({ name }) => name.split(" ")[0]);
  assert.deepEqual(
    named.filter((name) => !words.includes(name)),
    [],
  );
});

test("every file that CONTRIBUTING names is there", () => {
  const named = after(/((?:docs|src|test|\.ci)\/[\w/.-]*\w|[A-Z]+\.md|Dockerfile)/g);
  assert.ok(named.length > 8, "files are found");
  assert.deepEqual(
    named.filter((path) => !existsSync(at(path))),
    [],
  );
});
