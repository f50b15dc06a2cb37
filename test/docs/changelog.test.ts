import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const CHANGELOG = readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8");
const KINDS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];
const RELEASE = /^(\d+)\.(\d+)\.(\d+) - (\d{4}-\d\d-\d\d)$/;

const [, ...versions] = CHANGELOG.split(/^## /m).map((section) => {
  const kinds = [...section.matchAll(/^### (.+)$/gm)].map(([, kind = ""]) => kind);
  return { heading: section.split("\n", 1)[0] ?? "", kinds };
});

test("lists the unreleased changes first, then the versions from the newest, with their dates", () => {
  const [unreleased, ...releases] = versions.map(({ heading }) => heading);
  assert.equal(unreleased, "Unreleased");
  const keys = releases.map((heading) => {
    const [, major = "", minor = "", patch = "", date = ""] = RELEASE.exec(heading) ?? [];
    // No version, no date, or no such day throws.
    assert.equal(new Date(date).toISOString().slice(0, 10), date, heading);
    return [date, ...[major, minor, patch].map((part) => part.padStart(5, "0"))].join();
  });
  assert.deepEqual(keys, [...new Set(keys)].sort().reverse());
});

test("groups changes by the kinds of Keep a Changelog, each once and in its order", () => {
  for (const { heading, kinds } of versions) {
    const expected = KINDS.filter((kind) => kinds.includes(kind));
    assert.deepEqual(kinds, expected, heading);
  }
});
