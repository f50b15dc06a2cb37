import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { at, text } from "./pages.ts";

test("ARCHITECTURE.md names only existing files and folders", () => {
  const page = text("ARCHITECTURE.md");
  const sources = readdirSync(at("src"), { recursive: true, encoding: "utf8" });
  // Only the first file of a folder is named with its path.
  const exists = (path: string): boolean =>
    existsSync(at(path)) || sources.some((source) => `/${source}`.endsWith(`/${path}`));
  const named = [...page.matchAll(/`([a-z][\w-]*(?:\/[\w./-]+|\.ts))`/g)].map(
    ([, path = ""]) => path,
  );
  assert.ok(named.includes("src/core") && named.includes("store.ts"), "finds paths");
  assert.deepEqual(
    named.filter((path) => !exists(path)),
    [],
  );
});
